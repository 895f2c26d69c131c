import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { createClient } from "../../src/client.ts";
import type { Entry } from "../../src/events.ts";
import { verify } from "../../src/verify.ts";
import { ended, greeting, root, useCommandLine } from "../command-line.ts";
import { describeWith } from "../components.ts";
import { type RedisServer, startRedis } from "../engines/redis.ts";
import { type Relay, startRelay } from "../relay.ts";

const { serve, home } = useCommandLine();

/** A server whose demo plays slowly enough that a call runs for a minute. */
const start = async (handOverMs: number, log: string, directory?: string) => {
  const cwd = directory ?? (await home("rolling"));
  await writeFile(path.join(cwd, "runcast.config.mjs"), `export default { handOverMs: ${handOverMs} };`);
  return await serve(["--log", log], { cwd, env: { RUNCAST_DEMO_SPEED: "2" } });
};

const portOf = ({ url }: { url: string }) => Number(new URL(url).port);

describeWith("redis-server", "two processes, one of which receives SIGTERM", () => {
  let redis: RedisServer | undefined;
  let relay: Relay | undefined;
  afterEach(async () => {
    await relay?.close();
    await redis?.stop();
    redis = relay = undefined;
  });

  test("it accepts no new run, and hands over a run at a safe point while others go on", async () => {
    redis = await startRedis();
    // Long enough for everything below, however slow the machine: the process must stop when its last run has ended.
    const handOverMs = 60_000;
    const [old, other] = [await start(handOverMs, redis.url), await start(handOverMs, redis.url)];
    await post(`${old.url}/runs`, { run: "waits", message: "approval" });
    await post(`${old.url}/runs`, { run: "works", message: "cancel" });
    const { ask } = await entryOf(other.url, "waits", "ask-start");
    await entryOf(other.url, "works", "tool-execute");

    const stoppedAt = Date.now();
    old.child.kill("SIGTERM");
    await expect.poll(async () => (await fetch(`${old.url}/ready`)).status, { interval: 20 }).toBe(503);
    expect(await (await fetch(`${old.url}/ready`)).json()).toEqual({ status: "stopping" });
    const refused = await request(`${old.url}/runs`, { message: "hello" });
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ error: { code: "closing", retryable: true } });

    expect(await entryOf(other.url, "waits", "run-resume")).toMatchObject({ reason: "released" });
    expect(await post(`${old.url}/runs/waits/asks/${ask}`, { allow: true })).toEqual({ status: "accepted" });
    expect(await entryOf(other.url, "waits", "run-end")).toMatchObject({ outcome: "done" });

    await post(`${other.url}/runs/works/cancel`, {});
    expect(await ended(old.child)).toMatchObject({ code: 0 });
    expect(Date.now() - stoppedAt).toBeLessThan(handOverMs);
    expect(await entryOf(other.url, "works", "run-end")).toMatchObject({ outcome: "cancelled" });
    expect((await entriesOf(other.url, "works")).some(({ event }) => event.type === "run-resume")).toBe(false);
    for (const run of ["waits", "works"]) expect(verify(await entriesOf(other.url, run))).toBeUndefined();
  });

  test("when its time is over, it hands over a run in the middle of a call, and viewers see the run continue", async () => {
    redis = await startRedis();
    const [old, other] = [await start(500, redis.url), await start(500, redis.url)];
    relay = await startRelay(() => [portOf(old), portOf(other)]);
    const client = createClient({ url: relay.url, backoff: () => 50 });
    await post(`${old.url}/runs`, { run: "works", message: "cancel" });
    const seen: Entry[] = [];
    const followed = client.follow("works", { onEntry: (entry) => void seen.push(entry) });
    await entryOf(other.url, "works", "tool-execute");

    old.child.kill("SIGTERM");
    expect(await ended(old.child)).toMatchObject({ code: 0 });
    expect(await entryOf(other.url, "works", "run-resume")).toMatchObject({ reason: "released" });
    expect(await entryOf(other.url, "works", "tool-end")).toMatchObject({ outcome: "interrupted" });
    await followed.finished;
    expect(await entryOf(other.url, "works", "run-end")).toMatchObject({ outcome: "done" });
    const stored = await entriesOf(other.url, "works");
    expect(verify(stored)).toBeUndefined();
    expect(seen).toEqual(stored);
  });
});

describe("one process with SQLite", () => {
  test("a process that gets SIGTERM continues its runs at the next start", async () => {
    const directory = await home("alone");
    const first = await start(1000, "sqlite", directory);
    await post(`${first.url}/runs`, { run: "waits", message: "approval" });
    const { ask } = await entryOf(first.url, "waits", "ask-start");
    first.child.kill("SIGTERM");
    expect(await ended(first.child)).toMatchObject({ code: 0 });
    const second = await start(1000, "sqlite", directory);
    expect(await entryOf(second.url, "waits", "run-resume")).toMatchObject({ reason: "released" });
    expect(await post(`${second.url}/runs/waits/asks/${ask}`, { allow: true })).toEqual({ status: "accepted" });
    expect(await entryOf(second.url, "waits", "run-end")).toMatchObject({ outcome: "done" });
    expect(verify(await entriesOf(second.url, "waits"))).toBeUndefined();
  });
});

describe("npm", () => {
  test("a process that gets SIGTERM leaves no server behind", async () => {
    const args = ["run", "runcast", "--", "serve", "--port", "0", "--log", "memory"];
    const npm = spawn("npm", args, { cwd: root, env: process.env });
    const { url } = await greeting(npm);
    const exited = once(npm, "exit");
    npm.kill("SIGTERM");
    await exited;
    await expect.poll(() => fetch(`${url}/health`).catch(() => "gone"), { interval: 100 }).toBe("gone");
  });
});

const request = (url: string, body: unknown): Promise<Response> =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(body),
  });

const post = async (url: string, body: unknown): Promise<unknown> => await (await request(url, body)).json();

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
