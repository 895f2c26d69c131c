import { expect, onTestFinished, test, vi } from "vitest";
import { LogConflict, LogFenced, LogMissing, LogReset } from "../src/log.ts";
import { postgres } from "../src/logs/postgres.ts";
import { connect } from "../src/logs/postgres/connection.ts";
import { describeWith } from "./components.ts";
import { endEntry, startEntry, textEntries } from "./contracts/run-entries.ts";
import { cutOffEngine } from "./engines/cut-off.ts";
import { expectLossNoticed } from "./engines/lost-entries.ts";
import { startPostgres } from "./engines/postgres.ts";
import { startRelay } from "./relay.ts";

describeWith("postgres", "a log in a Postgres that fails", () => {
  const engine = cutOffEngine(startPostgres, (port) =>
    postgres({ url: `postgres://runcast@127.0.0.1:${port}/postgres` }),
  );
  const { logs, open, openThroughProxy, cut, whileCutting } = engine;

  test("loses and repeats nothing when connections are cut repeatedly", async () => {
    const writer = await openThroughProxy();
    const reader = await open();
    const as = { owner: "ada", epoch: 1 };
    const entries = [startEntry("a"), ...textEntries(2, 100), endEntry(102)];
    await whileCutting(150, async (step) => {
      for (const entry of entries) {
        await writer.append("a", [entry], as);
        step();
      }
      for (let count = 1; count <= 20; count++) {
        expect(await writer.records.add("quota", "a", 1)).toBe(count);
        step();
      }
    });
    expect(await reader.read("a", 0, 1000)).toEqual(entries);
  });

  test("a connection that breaks at startup is an error with a reason, and the process continues", async () => {
    const server = await startPostgres();
    const relay = await startRelay(() => [server.port]);
    const starting = connect({
      url: `postgres://runcast@127.0.0.1:${relay.port}/postgres`,
      channel: "startup",
      prepare: async (client) => {
        relay.cut();
        await client.query("SELECT 1");
      },
      onMessage: () => {},
      onGap: () => {},
      silenceMs: 5000,
    });
    await expect(starting).rejects.toThrow(/cannot reach Postgres at .*terminated unexpectedly/);
    await relay.close();
    await server.stop();
  });

  test("appends of one batch succeed or fail individually, in order", async () => {
    const log = await open();
    const as = { owner: "ada", epoch: 1 };
    const begun = ["goes-on", "fenced", "conflict", "ends", "twice", "long"];
    await Promise.all(begun.map((run) => log.append(run, [startEntry(run)], as)));
    const long = textEntries(2, 3000);
    const results = await Promise.allSettled([
      log.append("goes-on", textEntries(2, 1), as),
      log.append("fenced", textEntries(2, 1), { owner: "bob", epoch: 1 }),
      log.append("conflict", textEntries(3, 1), as),
      log.append("ends", [endEntry(2)], as),
      log.append("twice", textEntries(2, 1), as),
      log.append("twice", textEntries(3, 1), as),
      log.append("long", long, as),
      log.append("starts", [startEntry("starts")], as),
    ]);
    expect(results.map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "rejected",
      ...Array.from({ length: 5 }, () => "fulfilled"),
    ]);
    expect(results[1]).toMatchObject({ reason: expect.any(LogFenced) });
    expect(results[2]).toMatchObject({ reason: expect.any(LogConflict) });
    const another = await open();
    const seqs = await Promise.all([...begun, "starts"].map(async (run) => (await another.info(run))?.seq));
    expect(seqs).toEqual([2, 1, 1, 2, 3, 3001, 1]);
    expect(await another.info("ends")).toMatchObject({ outcome: "done" });
    expect(await another.read("long", 1, 5000)).toEqual(long);
  });

  test("reads of one batch get their own results, and a failed one does not affect others", async () => {
    const writer = await open();
    const runs = Array.from({ length: 300 }, (_, index) => `run-${index}`);
    const many = [startEntry("many"), ...textEntries(2, 999)];
    await Promise.all(runs.map((run) => writer.append(run, [startEntry(run), ...textEntries(2, 2)])));
    for (const entry of many) await writer.append("many", [entry]);
    const reader = await open();
    const results = await Promise.allSettled([
      reader.read("nobody", 0, 10),
      reader.read("many", 0, 5000),
      reader.read("many", 990, 5),
      ...runs.map((run, index) => reader.read(run, index % 4, 10)),
    ]);
    expect(results[0]).toMatchObject({ status: "rejected", reason: expect.any(LogMissing) });
    const values = results.slice(1).map((result) => (result.status === "fulfilled" ? result.value : result.reason));
    expect(values[0]).toEqual(many);
    expect(values[1]).toEqual(many.slice(990, 995));
    for (const [index, run] of runs.entries())
      expect(values[index + 2]).toEqual([startEntry(run), ...textEntries(2, 2)].slice(index % 4));
  });

  test.each([
    ["one run", 0],
    ["too many runs for one message", 120],
  ])("an owner that was replaced early by a jump of the clock reads what was stored since: %s", async (_, count) => {
    const one = await open();
    const other = await postgres({ url: engine.server.url, ahead: () => 120_000 });
    onTestFinished(() => other.close());
    const ada = { owner: "ada", epoch: 1 };
    await one.heartbeat("ada", 60_000);
    await one.append("a", [startEntry("a")], ada);
    const others = Array.from({ length: count }, (__, index) => `${index}`.padEnd(64, "x"));
    await Promise.all(others.map((run) => other.append(run, [startEntry(run)])));
    expect(await one.read("a", 1, 9)).toEqual([]);
    const bob = await other.takeOver("a", "bob");
    const woken = new Promise<void>((resolve) => one.watch("a", resolve));
    const writing = others.map((run) => other.append(run, textEntries(2, 1)));
    await Promise.all([...writing, other.append("a", textEntries(2, 1), bob)]);
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
    woken.length = 0;
    await writer.append("a", textEntries(2, 1));
    await vi.waitFor(() => expect(woken).toContain("entries"), 20_000);
    expect(await follower.read("a", 0, 9)).toHaveLength(2);
  });

  test("continues when a connection is half open", async () => {
    const relay = await startRelay(() => [engine.server.port]);
    const url = `postgres://runcast@127.0.0.1:${relay.port}/postgres`;
    const follower = await postgres({ url, silenceMs: 300 });
    try {
      const writer = await open();
      const woken: string[] = [];
      follower.watch("a", () => woken.push("entries"));
      await follower.append("a", [startEntry("a")]);
      relay.freeze();
      await follower.append("a", textEntries(2, 1));
      expect(await follower.read("a", 0, 9)).toHaveLength(2);
      await vi.waitFor(() => expect(woken).toContain("entries"), 20_000);
      woken.length = 0;
      await writer.append("a", textEntries(3, 1));
      await vi.waitFor(() => expect(woken).toContain("entries"), 20_000);
    } finally {
      relay.cut();
      await follower.close();
      await relay.close();
    }
  });

  test("concurrently started processes create the tables once, and newer tables are refused", async () => {
    await Promise.all(Array.from({ length: 4 }, () => open()));
    await logs[0]!.append("a", [startEntry("a")]);
    expect(await logs[3]!.info("a")).toMatchObject({ seq: 1 });
    const { default: pg } = await import("pg");
    const client = new pg.Client(engine.server.url);
    await client.connect();
    await client.query("UPDATE runcast.version SET version = 99");
    await client.end();
    await expect(open()).rejects.toThrow(/version 99/);
  });

  test("reports that the engine has lost stored entries", async () => {
    const log = await open();
    await log.append("a", [startEntry("a"), ...textEntries(2, 9)]);
    const { default: pg } = await import("pg");
    const client = new pg.Client(engine.server.url);
    await client.connect();
    await client.query("DELETE FROM runcast.entries");
    await client.query("UPDATE runcast.runs SET seq = 5");
    await client.end();
    await expect(log.read("a", 10, 9)).rejects.toThrow(LogReset);
    await expect(log.append("a", textEntries(11, 1))).rejects.toThrow(/ended at 10 and now ends at 5/);
  });

  test("a viewer's cursor is refused if the log lost its entry and then grew past it", async () => {
    await expectLossNoticed({
      open,
      remember: async () => {},
      forget: async () => {
        const { default: pg } = await import("pg");
        const client = new pg.Client(engine.server.url);
        await client.connect();
        await client.query("DELETE FROM runcast.entries WHERE last > 2");
        await client.query("UPDATE runcast.runs SET seq = 2");
        await client.end();
      },
    });
  });

  test("names the unreachable server, without the password", async () => {
    await engine.server.stop();
    const url = `postgres://ada:secret-word@127.0.0.1:${engine.server.port}/x?application_name=secret-word`;
    const error = (await postgres({ url }).catch((caught: unknown) => caught)) as Error;
    expect(error.message).toContain(`cannot reach Postgres at postgres://127.0.0.1:${engine.server.port}/x`);
    expect(`${error.stack} ${(error.cause as Error).stack}`).not.toContain("secret-word");
  });
});
