import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import type { Entry } from "../../src/events.ts";
import { verify } from "../../src/verify.ts";
import { stateOf } from "../server-chain.ts";
import { root, useCommandLine } from "../command-line.ts";
import { describeWith } from "../components.ts";
import { type RedisServer, startRedis } from "../engines/redis.ts";

const { serve, home } = useCommandLine();

describeWith("redis-server", "two processes with one Redis, in front of a Runcast elsewhere", () => {
  let redis: RedisServer | undefined;
  afterEach(async () => {
    await redis?.stop();
    redis = undefined;
  });

  test("runs of a killed one continue from the log and end like the upstream runs", { timeout: 180_000 }, async () => {
    const cwd = await home("upstream");
    const above = await serve([], { cwd: await home("above"), env: { RUNCAST_DEMO_SPEED: "2" } });
    const source = new URL("src/sources/http.ts", `file://${root}/`).href;
    const dialect = new URL("src/dialects/native.ts", `file://${root}/`).href;
    await writeFile(
      path.join(cwd, "runcast.config.mjs"),
      `import { http } from ${JSON.stringify(source)};
       import { native } from ${JSON.stringify(dialect)};
       export default { agents: { above: http({ dialect: native, url: ${JSON.stringify(above.url)} }) } };`,
    );
    redis = await startRedis();
    const [one, other] = await Promise.all([
      serve(["--log", redis.url], { cwd }),
      serve(["--log", redis.url], { cwd }),
    ]);
    const messages = { waits: "approval", works: "cancel", talks: "Hello", nests: "nested" };
    for (const [run, message] of Object.entries(messages)) await post(`${one.url}/runs`, { run, message });
    const { ask } = await eventOf(other.url, "waits", "ask-start");
    const { call } = await eventOf(other.url, "works", "tool-execute");
    await eventOf(other.url, "talks", "text-delta");
    await eventOf(other.url, "nests", "agent-start");

    one.child.kill("SIGKILL");
    await once(one.child, "exit");
    for (const run of ["waits", "works"])
      expect((await entriesOf(other.url, run)).at(-1)?.event.type, run).not.toBe("run-end");
    // The process that takes over the runs must handle both the waiting ask and the cancel. If the takeover takes long,
    // the responses only say that they are queued.
    await post(`${other.url}/runs/waits/asks/${ask}`, { allow: true });
    await post(`${other.url}/runs/works/cancel`, { call });
    expect(await eventOf(other.url, "waits", "ask-end")).toMatchObject({ outcome: "answered" });
    expect(await eventOf(other.url, "works", "tool-end")).toMatchObject({ outcome: "cancelled" });

    for (const run of Object.keys(messages)) {
      expect(await eventOf(other.url, run, "run-end"), run).toMatchObject({ outcome: "done" });
      const entries = await entriesOf(other.url, run);
      expect(verify(entries), run).toBeUndefined();
      expect(
        entries.some(({ event }) => event.type === "run-resume" || JSON.stringify(event).includes("interrupted")),
        run,
      ).toBe(false);
      const { upstream } = entries[0]!.event.meta as { upstream: { id: string } };
      // Each server has its own name for the agent.
      const ofUpstream = withoutErrors(stateOf(await entriesOf(above.url, upstream.id)));
      expect(withoutErrors(stateOf(entries)), run).toEqual({ ...ofUpstream, agentKey: "above" });
    }
    const { runs } = (await (await fetch(`${above.url}/runs?limit=100`)).json()) as { runs: unknown[] };
    expect(runs).toHaveLength(Object.keys(messages).length);
  });
});

const post = async (url: string, body: unknown): Promise<unknown> => {
  const headers = { "content-type": "application/json", accept: "application/json" };
  return await (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).json();
};

const entriesOf = async (url: string, run: string): Promise<Entry[]> => {
  const response = await fetch(`${url}/runs/${run}/export.jsonl`);
  if (!response.ok) return [];
  const lines = (await response.text()).trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Entry);
};

/** A call whose end does not come in time after a cancel is ended here, without the error that it has upstream. */
const withoutErrors = (state: unknown): object =>
  JSON.parse(JSON.stringify(state, (key, value: unknown) => (key === "error" ? undefined : value))) as object;

/** The first event of this type, once the run has one. */
const eventOf = async (url: string, run: string, type: string): Promise<Record<string, unknown>> => {
  const find = async () => (await entriesOf(url, run)).find(({ event }) => event.type === type)?.event;
  await expect.poll(find, { interval: 50, timeout: 100_000 }).toBeDefined();
  return (await find())!;
};
