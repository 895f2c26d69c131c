import { execFileSync } from "node:child_process";
import { afterEach, expect, test, vi } from "vitest";
import type { Log } from "../../src/log.ts";
import { redis } from "../../src/logs/redis.ts";
import { describeWith } from "../components.ts";
import { startEntry, textEntries } from "../contracts/run-entries.ts";
import { startRedis } from "../engines/redis.ts";
import { startSentinels } from "../engines/sentinel.ts";

const commandOf =
  (port: number) =>
  (...words: string[]): string =>
    execFileSync("redis-cli", ["-p", String(port), ...words], { encoding: "utf8" });

describeWith("redis-server", "a log in a Redis whose primary Sentinels replace", () => {
  const stops: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  });

  test("continues with the new primary, loses and repeats nothing, and wakes again", { timeout: 120_000 }, async () => {
    const primary = await startRedis();
    stops.push(primary.stop);
    const replica = await startRedis("--replicaof", "127.0.0.1", String(primary.port));
    stops.push(replica.stop);
    await vi.waitFor(() => expect(commandOf(replica.port)("role")).toContain("connected"), 20_000);
    const sentinels = await startSentinels("main", primary.port);
    stops.push(sentinels.stop);
    const [watcher] = sentinels.hosts.split(",");
    const sentinel = commandOf(Number(watcher!.split(":")[1]));
    // A Sentinel that does not know the others yet cannot fail over.
    await vi.waitFor(() => {
      const facts = sentinel("sentinel", "master", "main");
      expect(facts).toMatch(/num-slaves\s+1\s/);
      expect(facts).toMatch(/num-other-sentinels\s+2\s/);
    }, 30_000);

    const url = `redis+sentinel://${sentinels.hosts}/main`;
    const open = async (): Promise<Log> => {
      const log = await redis({ url });
      stops.push(log.close);
      return log;
    };
    const [one, other] = [await open(), await open()];
    const as = { owner: "ada", epoch: 1 };
    await one.heartbeat("ada", 120_000);
    await one.append("a", [startEntry("a"), ...textEntries(2, 9)], as);
    expect(commandOf(primary.port)("wait", "1", "10000").trim()).toBe("1");

    await primary.stop();
    for (let seq = 11; seq <= 30; seq++) await one.append("a", textEntries(seq, 1), as);
    expect(await other.read("a", 0, 100)).toEqual([startEntry("a"), ...textEntries(2, 29)]);
    expect(commandOf(replica.port)("role")).toContain("master");

    const woken = vi.fn<() => void>();
    other.watch("a", woken);
    await vi.waitFor(async () => {
      const { seq } = (await one.info("a"))!;
      await one.append("a", textEntries(seq + 1, 1), as);
      expect(woken).toHaveBeenCalled();
    }, 30_000);
  });

  test("names the Sentinels that it cannot reach, without the password", async () => {
    const error = await redis({ url: "redis+sentinel://ada:secret-word@127.0.0.1:1/main" }).catch(
      (caught: Error) => caught,
    );
    expect(String(error)).toContain("cannot reach Redis at redis+sentinel://127.0.0.1:1/main");
    expect(String((error as Error).stack)).not.toContain("secret-word");
  });
});
