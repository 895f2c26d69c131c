import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Log } from "../../src/log.ts";
import { redis } from "../../src/logs/redis.ts";
import { describeWith } from "../components.ts";
import { endEntry, startEntry, textEntries } from "../contracts/run-entries.ts";
import { type RedisServer, startRedis } from "../engines/redis.ts";

describeWith("redis-server", "a log in a Redis cluster of three nodes", () => {
  const nodes: RedisServer[] = [];
  const logs: Log[] = [];

  beforeAll(async () => {
    for (let index = 0; index < 3; index++) nodes.push(await startRedis("--cluster-enabled", "yes"));
    const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`);
    execFileSync("redis-cli", ["--cluster", "create", ...addresses, "--cluster-yes"], { stdio: "ignore" });
    for (let index = 0; index < 2; index++)
      logs.push(await redis({ url: `redis+cluster://${addresses.slice(index).join(",")}` }));
  }, 120_000);
  afterAll(async () => {
    for (const log of logs) await log.close();
    for (const node of nodes) await node.stop();
  });

  test("spreads runs over all nodes and keeps every promise across them", { timeout: 120_000 }, async () => {
    const [one, other] = logs as [Log, Log];
    const runs = Array.from({ length: 30 }, (_, index) => `run-${index}`);
    const as = { owner: "ada", epoch: 1 };
    await one.heartbeat("ada", 60_000);
    const woken = new Set<string>();
    for (const run of runs) other.watch(run, () => woken.add(run));
    const { file } = await one.put("run-0", Buffer.alloc(600_000, "x"), { mediaType: "text/plain" });
    for (const run of runs) await one.append(run, [startEntry(run, { thread: "t" })], as);
    await Promise.all(runs.map((run) => one.append(run, textEntries(2, 5), as)));
    await vi.waitFor(() => expect(woken.size).toBe(30), 20_000);

    for (const run of runs)
      expect(await other.read(run, 0, 99)).toEqual([startEntry(run, { thread: "t" }), ...textEntries(2, 5)]);
    expect((await other.list({ limit: 99, thread: "t" })).map(({ run }) => run)).toEqual([...runs].reverse());
    expect((await other.get("run-0", file))?.size).toBe(600_000);
    expect(await other.takeOver("run-1", "bob")).toBeUndefined();
    expect(await other.orphans(99)).toEqual([]);
    await one.heartbeat("ada", 0);
    expect(await other.orphans(99)).toHaveLength(30);
    const bob = await other.takeOver("run-1", "bob");
    await expect(one.append("run-1", textEntries(7, 1), as)).rejects.toThrow(/bob owns it/);
    await other.send("run-1", { id: "1", kind: "cancel" });
    expect(await one.controls("run-1", 0, 9)).toHaveLength(1);
    await other.append("run-1", [endEntry(7)], bob);
    expect(await one.retain({ maxRuns: 0 }, 0)).toBe(1);
    expect(await one.records.add("quota", "day", 2)).toBe(2);
    expect(await other.records.list("quota", { limit: 9 })).toEqual([{ id: "day", value: 2 }]);
    const sizes = nodes.map(({ port }) =>
      execFileSync("redis-cli", ["-p", String(port), "dbsize"], { encoding: "utf8" }),
    );
    for (const size of sizes) expect(Number.parseInt(size, 10)).toBeGreaterThan(5);
  });
});
