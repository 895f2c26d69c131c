import { once } from "node:events";
import { afterEach, expect, test } from "vitest";
import type { Entry } from "../../src/events.ts";
import { verify } from "../../src/verify.ts";
import { useCommandLine } from "../command-line.ts";
import { describeWith } from "../components.ts";
import { startPostgres } from "../engines/postgres.ts";
import { startRedis } from "../engines/redis.ts";

const share = (startEngine: () => Promise<{ readonly url: string; stop(): Promise<void> }>): void => {
  const { serve } = useCommandLine();
  let engine: Awaited<ReturnType<typeof startEngine>> | undefined;
  afterEach(async () => {
    await engine?.stop();
    engine = undefined;
  });

  /** Two servers whose demo plays slowly enough that the call of `cancel` runs until a test ends it. */
  const start = async () => {
    engine = await startEngine();
    const { url } = engine;
    const options = { env: { RUNCAST_DEMO_SPEED: "5" } };
    const [one, other] = await Promise.all([serve(["--log", url], options), serve(["--log", url], options)]);
    return { one, other };
  };

  test("an answer reaches a run in the other process, and so does a cancel", async () => {
    const { one, other } = await start();
    await post(`${one.url}/runs`, { run: "asks", message: "approval" });
    const { ask } = await entryOf(other.url, "asks", "ask-start");
    expect(await post(`${other.url}/runs/asks/asks/${ask}`, { allow: true })).toEqual({ status: "accepted" });
    expect(await entryOf(one.url, "asks", "run-end")).toMatchObject({ outcome: "done" });

    await post(`${one.url}/runs`, { run: "stopped", message: "cancel" });
    await entryOf(other.url, "stopped", "tool-execute");
    expect(await post(`${other.url}/runs/stopped/cancel`, {})).toEqual({ status: "cancelled" });
    expect(await entryOf(one.url, "stopped", "run-end")).toMatchObject({ outcome: "cancelled" });
  });

  test("the same id posted to both starts one run", async () => {
    const { one, other } = await start();
    const answers = await Promise.all(
      [one, other].map(({ url }) => post(`${url}/runs`, { run: "same", message: "hello" })),
    );
    expect(answers.filter((answer) => (answer as { started: boolean }).started)).toHaveLength(1);
    await entryOf(one.url, "same", "run-end");
    expect(verify(await entriesOf(other.url, "same"))).toBeUndefined();
  });

  test("runs of a killed process continue in the other one, and a waiting approval stays open", async () => {
    const { one, other } = await start();
    await post(`${one.url}/runs`, { run: "waits", message: "approval" });
    await post(`${one.url}/runs`, { run: "works", message: "cancel" });
    const { ask } = await entryOf(other.url, "waits", "ask-start");
    await entryOf(other.url, "works", "tool-execute");
    one.child.kill("SIGKILL");
    await once(one.child, "exit");

    await entryOf(other.url, "works", "run-resume");
    expect(await entryOf(other.url, "works", "tool-end")).toMatchObject({ outcome: "interrupted" });
    expect(await entryOf(other.url, "works", "run-end")).toMatchObject({ outcome: "done" });
    await entryOf(other.url, "waits", "run-resume");
    expect(await post(`${other.url}/runs/waits/asks/${ask}`, { allow: true })).toEqual({ status: "accepted" });
    expect(await entryOf(other.url, "waits", "run-end")).toMatchObject({ outcome: "done" });
    for (const run of ["waits", "works"]) expect(verify(await entriesOf(other.url, run))).toBeUndefined();
  });
};

describeWith("redis-server", "two processes with one Redis", () => share(() => startRedis()));
describeWith("postgres", "two processes with one Postgres", () => share(() => startPostgres()));

const post = async (url: string, body: unknown): Promise<unknown> => {
  const headers = { "content-type": "application/json", accept: "application/json" };
  return await (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).json();
};

const entriesOf = async (url: string, run: string): Promise<Entry[]> => {
  const response = await fetch(`${url}/runs/${run}/export.jsonl`);
  if (!response.ok) return [];
  return (await response.text())
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Entry);
};

/** The first event of this type, once the run has one. */
const entryOf = async (url: string, run: string, type: string): Promise<Record<string, unknown>> =>
  await expect
    .poll(async () => (await entriesOf(url, run)).find(({ event }) => event.type === type)?.event, { interval: 50 })
    .toBeDefined()
    .then(async () => (await entriesOf(url, run)).find(({ event }) => event.type === type)!.event);
