import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Entry } from "../src/events.ts";
import { type Log, LogConflict, LogReset } from "../src/log.ts";
import { redis } from "../src/logs/redis.ts";
import { TAKE_OVER } from "../src/logs/redis/run-scripts.ts";
import { describeWith } from "./components.ts";
import { endEntry, startEntry, textEntries } from "./contracts/run-entries.ts";
import { cutOffEngine } from "./engines/cut-off.ts";
import { expectLossNoticed } from "./engines/lost-entries.ts";
import { startRedis } from "./engines/redis.ts";

describeWith("redis-server", "a log in a Redis that fails", () => {
  const engine = cutOffEngine(startRedis, (port) => redis({ url: `redis://127.0.0.1:${port}` }));
  const { open, openThroughProxy, cut, whileCutting } = engine;

  const readAll = async (log: Log, run: string) => {
    const all: Entry[] = [];
    for (let more = await log.read(run, 0, 100); more.length > 0; more = await log.read(run, all.length, 100))
      all.push(...more);
    return all;
  };

  test("loses and repeats nothing when connections are cut repeatedly", async () => {
    const writer = await openThroughProxy();
    const reader = await open();
    const as = { owner: "ada", epoch: 1 };
    const entries = [startEntry("a"), ...textEntries(2, 200), endEntry(202)];
    await whileCutting(30, async (step) => {
      for (const entry of entries) {
        await writer.append("a", [entry], as);
        step();
      }
      for (let count = 1; count <= 50; count++) {
        expect(await writer.records.add("quota", "a", 1)).toBe(count);
        step();
      }
      expect(await writer.send("a", { id: "1", kind: "cancel" })).toBe("ended");
    });
    expect(await readAll(reader, "a")).toEqual(entries);
    expect(await reader.list({ limit: 9 })).toMatchObject([{ run: "a", seq: 202, outcome: "done" }]);
  });

  test("recognizes its own append after a lost reply", async () => {
    const mine = await openThroughProxy();
    const others = await open();
    await others.append("a", [startEntry("a")]);
    const bob = await others.takeOver("a", "bob");
    cut();
    await expect(mine.append("a", textEntries(2, 1))).rejects.toThrow(LogConflict);
    await others.append("a", textEntries(2, 1), bob);
    cut();
    const appended = await Promise.resolve(mine.append("a", textEntries(2, 2), bob)).catch((error: unknown) => error);
    expect(appended).toBeInstanceOf(LogConflict);
    expect((await others.info("a"))?.seq).toBe(2);
  });

  test("recognizes its own takeover after a lost reply", async () => {
    const others = await open();
    await others.append("a", [startEntry("a")], { owner: "ada", epoch: 1 });
    await others.append("b", [startEntry("b")], { owner: "ada", epoch: 1 });
    // From now on, the script is sent by its hash.
    expect(await others.takeOver("b", "bob")).toMatchObject({ epoch: 2 });
    const proxy = await startForgetfulProxy(engine.server.port, TAKE_OVER.hash);
    onTestFinished(() => proxy.close());
    const mine = await engine.open(proxy.port);
    expect(await mine.takeOver("a", "bob")).toEqual({ owner: "bob", epoch: 2, seq: 1 });
    expect(proxy.forgotten).toBe(1);
    expect(await others.info("a")).toMatchObject({ owner: "bob", epoch: 2 });
  });

  test("an owner that was replaced early, because the engine's clock jumped, reads what was stored since", async () => {
    const one = await open();
    const other = await redis({ url: engine.server.url, ahead: () => 120_000 });
    onTestFinished(() => other.close());
    const ada = { owner: "ada", epoch: 1 };
    await one.heartbeat("ada", 60_000);
    await one.append("a", [startEntry("a")], ada);
    expect(await one.read("a", 1, 9)).toEqual([]);
    const bob = await other.takeOver("a", "bob");
    const woken = new Promise<void>((resolve) => one.watch("a", resolve));
    await other.append("a", textEntries(2, 1), bob);
    await woken;
    expect(await one.read("a", 1, 9)).toEqual(textEntries(2, 1));
  });

  test("wakes all watchers that may have missed a wake", async () => {
    const follower = await openThroughProxy();
    const writer = await open();
    const woken: string[] = [];
    follower.watch("a", () => woken.push("entries"));
    follower.watchControls(() => woken.push("controls"));
    cut();
    await writer.append("a", [startEntry("a")]);
    await vi.waitFor(() => expect(new Set(woken)).toEqual(new Set(["entries", "controls"])), 20_000);
    expect(await follower.read("a", 0, 9)).toHaveLength(1);
    woken.length = 0;
    await writer.append("a", textEntries(2, 1));
    await vi.waitFor(() => expect(woken).toContain("entries"), 20_000);
  });

  test("reports that the engine has lost stored entries", async () => {
    const log = await open();
    await log.append("a", [startEntry("a"), ...textEntries(2, 9)]);
    expect(await log.read("a", 10, 9)).toEqual([]);
    // Simulates a replica that had not received the last entries and is now the primary.
    const { createClient } = await import("redis");
    const client = createClient({ url: engine.server.url });
    await client.connect();
    await client.xTrim("runcast:{a}:entries", "MAXLEN", 0);
    await client.hSet("runcast:{a}:info", "seq", "5");
    await client.close();
    await expect(log.read("a", 10, 9)).rejects.toThrow(LogReset);
    await expect(log.append("a", textEntries(11, 1))).rejects.toThrow(/ended at 10 and now ends at 5/);
    expect(await log.read("a", 5, 9)).toEqual([]);
  });

  test("a viewer's cursor is refused if the log lost its entry and then grew past it", async () => {
    const { createClient } = await import("redis");
    const client = createClient({ url: engine.server.url });
    await client.connect();
    const keys = ["runcast:{a}:info", "runcast:{a}:entries"];
    await expectLossNoticed({
      open,
      remember: async () => {
        for (const key of keys) await client.copy(key, `${key}:older`);
      },
      forget: async () => {
        for (const key of keys) await client.copy(`${key}:older`, key, { REPLACE: true });
        await client.close();
      },
    });
  });

  test("finds a run of a dead process that the index lists under a living one, after a takeover that failed", async () => {
    const log = await open();
    await log.append("a", [startEntry("a")], { owner: "ada", epoch: 1 });
    await log.heartbeat("bob", 60_000);
    const { createClient } = await import("redis");
    const client = createClient({ url: engine.server.url });
    await client.connect();
    await client.hSet("runcast:{index}:owners", "a", `${Date.now()}+bob`);
    await client.close();
    await vi.waitFor(async () => expect(await log.orphans(9)).toMatchObject([{ run: "a" }]), {
      timeout: 20_000,
      interval: 1,
    });
    expect(await log.takeOver("a", "carol")).toMatchObject({ epoch: 2 });
  });

  test("names the unreachable server, without the password", async () => {
    await engine.server.stop();
    const url = `redis://ada:secret-word@127.0.0.1:${engine.server.port}/0?x=secret-word`;
    const error = (await redis({ url }).catch((caught: unknown) => caught)) as Error;
    expect(error.message).toContain(`cannot reach Redis at redis://127.0.0.1:${engine.server.port}`);
    expect(`${error.stack} ${(error.cause as Error).stack}`).not.toContain("secret-word");
    await expect(redis({ url, prefix: "{a}" })).rejects.toThrow(/prefix/);
  });
});

/** Forwards to this port. Cuts the connection when the reply to the first request that contains this text arrives. */
const startForgetfulProxy = async (port: number, text: string) => {
  const sockets = new Set<Socket>();
  let forgotten = 0;
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    let mustForget = false;
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("error", () => from.destroy()).on("close", () => to.destroy());
    }
    client.on("data", (bytes) => {
      if (forgotten === 0 && bytes.includes(text)) mustForget = true;
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      if (!mustForget) return void client.write(bytes);
      forgotten++;
      client.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get forgotten() {
      return forgotten;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};
