import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Entry, Event } from "../../src/events.ts";
import { type Log, LogConflict, LogMissing } from "../../src/log.ts";
import { describeLogs } from "./each-log.ts";
import { logVariants } from "./log-variants.ts";
import { endEntry, startEntry, textEntries } from "./run-entries.ts";

test("every file of src/logs is a variant here", async () => {
  const files = await readdir(new URL("../../src/logs/", import.meta.url), { withFileTypes: true });
  const names = files.filter((file) => file.isFile()).map((file) => file.name.replace(/\.ts$/, ""));
  expect(Object.keys(logVariants).sort()).toEqual(names.sort());
});

describeLogs("a log", (name, variant) => {
  let directory: string;
  let log: Log;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), "runcast-log-"));
    log = await variant.open(directory);
  });
  afterEach(async () => {
    await log.close();
    await rm(directory, { recursive: true, force: true });
  });

  const readAll = async (run: string, limit = 1000) => {
    const all: Entry[] = [];
    for (;;) {
      const more = await log.read(run, all.length, limit);
      if (more.length === 0) return all;
      all.push(...more);
    }
  };
  const finish = async (run: string, { thread, at }: { thread?: string; at?: number } = {}) => {
    await log.append(run, [startEntry(run, { thread }), endEntry(2, { at })]);
  };
  const listed = async (query: Parameters<Log["list"]>[0]) => (await log.list(query)).map(({ run }) => run);

  test("reports its name and what it survives", () => {
    expect(log.name).toBe(name);
    expect(log.survives).toMatch(/\w/);
  });

  describe("append and read", () => {
    test("returns what was stored, in order", async () => {
      const entries = [startEntry("a"), ...textEntries(2, 9)];
      await log.append("a", entries.slice(0, 1));
      await log.append("a", entries.slice(1, 4));
      await log.append("a", entries.slice(4));
      expect(await log.read("a", 0, 100)).toEqual(entries);
      expect(await log.read("a", 4, 100)).toEqual(entries.slice(4));
      expect(await log.read("a", 4, 3)).toEqual(entries.slice(4, 7));
      expect(await log.read("a", 9, 1)).toEqual(entries.slice(9));
      expect(await log.read("a", 10, 100)).toEqual([]);
      expect(await log.read("a", 99, 100)).toEqual([]);
    });

    test("reads a long run in pages of any size", async () => {
      const entries = [startEntry("a"), ...textEntries(2, 2999, "x".repeat(2000))];
      await log.append("a", entries.slice(0, 700));
      await log.append("a", entries.slice(700, 2500));
      for (let from = 2500; from < entries.length; from += 20) await log.append("a", entries.slice(from, from + 20));
      for (const limit of [17, 255, 1000, Infinity]) expect(await readAll("a", limit)).toEqual(entries);
      for (let after = 690; after < 710; after++)
        expect(await log.read("a", after, 1)).toEqual(entries.slice(after, after + 1));
      expect(await log.read("a", 1234, 5)).toEqual(entries.slice(1234, 1239));
    });

    test("keeps every field of a delta, whether or not it resembles the previous one", async () => {
      const deltas = [
        { type: "text-delta", part: "a", delta: "1" },
        { type: "text-delta", part: "a", delta: "" },
        { type: "text-delta", part: "b", delta: "2" },
        { type: "thinking-delta", part: "b", delta: "2" },
        { type: "thinking-delta", part: "b", delta: "3", agent: "x" },
        { type: "thinking-delta", part: "b", delta: "4", agent: "x", meta: { n: 1 } },
        { type: "thinking-delta", part: "b", delta: "5", agent: "x", meta: { n: 2 } },
        { type: "thinking-delta", part: "b", delta: "6", agent: "x" },
        { type: "tool-input-delta", call: "b", delta: "7" },
        { type: "tool-output-delta", call: "b", delta: "8" },
        { type: "tool-output-delta", call: "b", delta: "9", stream: "stderr" },
        { type: "tool-output-delta", call: "b", delta: "10", stream: "stderr" },
        { type: "tool-output-delta", call: "b", delta: "11", stream: "stdout" },
        { type: "tool-output-delta", call: "b", delta: "12", later: 1 },
        { type: "tool-output-delta", call: "b", delta: "13", later: 2 },
        { type: "tool-output-delta", call: "b", delta: "14", stream: "stdout" },
      ] as unknown as Event[];
      const entries = [startEntry("a"), ...deltas.map((event, index) => ({ seq: index + 2, at: 2000 + index, event }))];
      await log.append("a", entries);
      expect(await readAll("a")).toStrictEqual(entries);
      expect(await log.read("a", 11, 2)).toStrictEqual(entries.slice(11, 13));
    });

    test("stores a large entry", async () => {
      const entries = [startEntry("a"), ...textEntries(2, 3, "é".repeat(1_000_000))];
      await log.append("a", entries);
      expect(await readAll("a")).toEqual(entries);
    });

    test("appending nothing changes nothing", async () => {
      await log.append("a", []);
      expect(await log.info("a")).toBeUndefined();
    });

    test("rejects a writer that is not at the end, and writes nothing", async () => {
      await expect(log.append("a", textEntries(2, 1))).rejects.toThrow(LogConflict);
      expect(await log.info("a")).toBeUndefined();
      const entries = [startEntry("a"), ...textEntries(2, 2)];
      await log.append("a", entries);
      for (const seq of [1, 3, 5]) await expect(log.append("a", textEntries(seq, 2))).rejects.toThrow(LogConflict);
      expect(await readAll("a")).toEqual(entries);
      await log.append("a", textEntries(4, 1));
      expect((await log.info("a"))?.seq).toBe(4);
    });

    test("of two writers at the same position, only one writes", async () => {
      await log.append("a", [startEntry("a")]);
      const results = await Promise.allSettled([
        log.append("a", textEntries(2, 2)),
        log.append("a", textEntries(2, 5)),
      ]);
      expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
      expect(await readAll("a")).toEqual([startEntry("a"), ...textEntries(2, 2)]);
    });

    test("stores all entries of an append or none", async () => {
      await log.append("a", [startEntry("a")]);
      const unstorable = { seq: 4, at: 1, event: { type: "data", name: "x", value: 1n } } as unknown as Entry;
      const gap = [...textEntries(2, 1), ...textEntries(4, 1)];
      await expect(log.append("a", gap)).rejects.toThrow(/entry 4 follows entry 2/);
      if (variant.durable) await expect(log.append("a", [...textEntries(2, 2), unstorable])).rejects.toThrow();
      expect(await readAll("a")).toEqual([startEntry("a")]);
      await log.append("a", textEntries(2, 1));
    });

    test("rejects an append that cannot be stored, but not those in the same batch", async () => {
      const wrong = { ...startEntry("a"), event: { ...startEntry("a").event, name: {} } } as unknown as Entry;
      await log.append("c", [startEntry("c")]);
      const end = { ...endEntry(2), event: { type: "run-end", outcome: {} } } as unknown as Entry;
      const results = await Promise.allSettled([
        log.append("a", [wrong]),
        log.append("b", [startEntry("b")]),
        log.append("c", [end]),
      ]);
      expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "rejected"]);
      for (const file of [{}, { mediaType: "text/plain", name: {} }] as unknown as { mediaType: string }[])
        await expect(log.put("b", new Uint8Array(1), file)).rejects.toThrow("must be a string");
    });

    test("accepts concurrent appends of many runs", async () => {
      const runs = Array.from({ length: 200 }, (_, index) => `run-${index}`);
      await Promise.all(
        runs.map(async (run) => {
          await log.append(run, [startEntry(run)]);
          for (let seq = 2; seq < 20; seq += 3) await log.append(run, textEntries(seq, 3));
        }),
      );
      for (const run of runs) expect(await readAll(run)).toEqual([startEntry(run), ...textEntries(2, 18)]);
    });

    test("readers see only complete, stored appends", async () => {
      const appended = [0];
      const writer = (async () => {
        appended.push(1);
        await log.append("a", [startEntry("a")]);
        for (let seq = 2; seq < 400; seq += 4) {
          appended.push(seq + 3);
          await log.append("a", textEntries(seq, 4));
        }
      })();
      for (let seen = 0; seen < 401;) {
        const entries = (await log.info("a")) ? await log.read("a", 0, 1000) : [];
        expect(appended).toContain(entries.length);
        expect(entries.length).toBeGreaterThanOrEqual(seen);
        expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
        seen = entries.length;
        await new Promise((resolve) => setImmediate(resolve));
      }
      await writer;
    });

    test("rejects ids that are not safe names", async () => {
      for (const run of ["", ".", "..", "../a", "a/b", "a\\b", "a\0", "a b", "x".repeat(65)]) {
        await expect(log.append(run, [startEntry(run)])).rejects.toThrow(/not a run id/);
        await expect(log.put(run, new Uint8Array(1), { mediaType: "text/plain" })).rejects.toThrow(/not a run id/);
        await expect(log.drop(run)).rejects.toThrow(/not a run id/);
        expect(await log.get(run, "x")).toBeUndefined();
        expect(await log.info(run)).toBeUndefined();
      }
    });
  });

  describe("watch", () => {
    test("wakes when there is something to read", async () => {
      const complete = Promise.withResolvers<void>();
      log.watch("a", async () => {
        if ((await log.read("a", 0, 100)).length === 4) complete.resolve();
      });
      await log.append("a", [startEntry("a")]);
      await log.append("b", [startEntry("b")]);
      await log.append("a", textEntries(2, 3));
      await complete.promise;
    });

    test("stops, even from within a wake, and survives a watcher that throws", async () => {
      const woken: string[] = [];
      const warned = new Promise((resolve) => process.once("warning", resolve));
      log.watch("a", () => {
        throw new Error("a watcher's own trouble");
      });
      const stop = log.watch("a", () => woken.push("stopped"));
      const again = () => {
        woken.push("again");
        stopAgain();
        stopAgain = log.watch("a", again);
      };
      let stopAgain = log.watch("a", again);
      const same = () => woken.push("same");
      const stopSame = log.watch("a", same);
      log.watch("a", same);
      stop();
      stop();
      stopSame();
      await log.append("a", [startEntry("a")]);
      await vi.waitFor(() => expect(new Set(woken)).toEqual(new Set(["again", "same"])), 20_000);
      expect(await warned).toMatchObject({ message: "a watcher's own trouble" });
    });

    test("supports ten thousand watchers of one run and of as many runs", async () => {
      const woken = new Set<number>();
      const runOf = (index: number) => (index < 10_000 ? "a" : `other-${index}`);
      const stops = Array.from({ length: 20_000 }, (_, index) => log.watch(runOf(index), () => woken.add(index)));
      await log.append("a", [startEntry("a")]);
      await log.append("other-10000", [startEntry("other-10000")]);
      await vi.waitFor(() => expect(woken.size).toBe(10_001), 20_000);
      for (const stop of stops) stop();
      woken.clear();
      const heard = Promise.withResolvers<void>();
      log.watch("a", () => heard.resolve());
      await log.append("a", textEntries(2, 1));
      await heard.promise;
      expect(woken.size).toBe(0);
    });
  });

  describe("info and list", () => {
    test("derives a run's info from its entries", async () => {
      await log.append("a", [startEntry("a", { thread: "t", at: 7 })]);
      const first = { run: "a", thread: "t", name: "agent", agent: "agent", seq: 1, startedAt: 7, epoch: 0 };
      expect(await log.info("a")).toEqual(first);
      await log.append("a", [...textEntries(2, 1), endEntry(3, { at: 9, outcome: "error" })]);
      const ended = { ...first, seq: 3, endedAt: 9, outcome: "error" };
      expect(await log.info("a")).toEqual(ended);
      expect(await log.list({ limit: 5 })).toEqual([ended]);
    });

    test("distinguishes an unknown run from a dropped one", async () => {
      const missing = (run: string) =>
        (async () => log.read(run, 0, 1))().then(
          () => undefined,
          (error: LogMissing) => error,
        );
      expect(await missing("a")).toBeInstanceOf(LogMissing);
      expect((await missing("a"))?.dropped).toBe(false);
      await finish("a");
      await log.drop("a");
      expect(await missing("a")).toBeInstanceOf(LogMissing);
      expect((await missing("a"))?.dropped).toBe(true);
      expect(await log.info("a")).toMatchObject({ run: "a", seq: 2, outcome: "done", dropped: true });
      for (const seq of [1, 3]) await expect(log.append("a", textEntries(seq, 1))).rejects.toThrow(LogMissing);
      await expect(log.put("a", new Uint8Array(1), { mediaType: "text/plain" })).rejects.toThrow(LogMissing);
    });

    test("lists newest first, in pages, by thread and by whether runs are open", async () => {
      for (let index = 0; index < 10; index++) {
        const run = `run-${index}`;
        const thread = index % 2 ? "odd" : undefined;
        if (index % 3) await log.append(run, [startEntry(run, { thread })]);
        else await finish(run, { thread });
      }
      const all = Array.from({ length: 10 }, (_, index) => `run-${9 - index}`);
      expect(await listed({ limit: 100 })).toEqual(all);
      expect(await listed({ limit: 4 })).toEqual(all.slice(0, 4));
      expect(await listed({ limit: 4, before: "run-6" })).toEqual(all.slice(4, 8));
      expect(await listed({ limit: 4, before: "run-0" })).toEqual([]);
      expect(await listed({ limit: 4, before: "no-such-run" })).toEqual([]);
      expect(await listed({ limit: 100, thread: "odd" })).toEqual(["run-9", "run-7", "run-5", "run-3", "run-1"]);
      expect(await listed({ limit: 2, thread: "odd", before: "run-7", open: true })).toEqual(["run-5", "run-1"]);
      expect(await listed({ limit: 3, open: true })).toEqual(["run-8", "run-7", "run-5"]);
      await log.drop("run-6");
      expect(await listed({ limit: 3, before: "run-6" })).toEqual(["run-5", "run-4", "run-3"]);
      expect(await listed({ limit: 100 })).toEqual(all.filter((run) => run !== "run-6"));
    });

    test("lists by user and by agent, alone and combined with other fields", async () => {
      for (let index = 0; index < 12; index++) {
        const run = `run-${index}`;
        const user = ["ada", "grace", undefined][index % 3];
        const agent = index % 2 ? "odd" : "even";
        // The source of every other pair has renamed its agent.
        const named = index % 4 < 2 ? { name: agent } : { name: "renamed", agentKey: agent };
        await log.append(run, [startEntry(run, { user, ...named, thread: index < 6 ? "t" : undefined })]);
      }
      expect(await log.info("run-9")).toMatchObject({ user: "ada", name: "odd", agent: "odd" });
      expect(await log.info("run-3")).toMatchObject({ user: "ada", name: "renamed", agent: "odd" });
      expect((await log.info("run-2"))?.user).toBeUndefined();
      expect(await listed({ limit: 9, user: "ada" })).toEqual(["run-9", "run-6", "run-3", "run-0"]);
      expect(await listed({ limit: 2, user: "ada", before: "run-9" })).toEqual(["run-6", "run-3"]);
      expect(await listed({ limit: 9, user: "ada", agent: "odd" })).toEqual(["run-9", "run-3"]);
      expect(await listed({ limit: 1, user: "ada", agent: "odd", thread: "t", open: true })).toEqual(["run-3"]);
      expect(await listed({ limit: 2, agent: "even" })).toEqual(["run-10", "run-8"]);
      expect(await listed({ limit: 9, agent: "renamed" })).toEqual([]);
      expect(await listed({ limit: 9, user: "nobody" })).toEqual([]);
    });
  });

  describe("drop and retain", () => {
    test("rejects dropping a run that has not ended", async () => {
      await log.append("a", [startEntry("a")]);
      await expect(log.drop("a")).rejects.toThrow(/has not ended/);
      expect(await readAll("a")).toHaveLength(1);
      await log.append("a", [endEntry(2)]);
      await log.drop("a");
      await log.drop("a");
      await log.drop("never-there");
      expect(await log.info("never-there")).toBeUndefined();
    });

    test("drops by age and by count, oldest end first, never an open run", async () => {
      for (const [run, at] of [
        ["a", 300],
        ["b", 100],
        ["c", 200],
        ["d", 400],
      ] as const)
        await finish(run, { at });
      await log.append("open", [startEntry("open", { at: 1 })]);
      expect(await log.retain({}, 10_000)).toBe(0);
      expect(await log.retain({ maxRuns: 4, maxAgeMs: 1000 }, 500)).toBe(0);
      expect(await log.retain({ maxAgeMs: 300 }, 500)).toBe(1);
      expect(await listed({ limit: 10 })).toEqual(["open", "d", "c", "a"]);
      expect(await log.retain({ maxRuns: 2 }, 500)).toBe(1);
      expect(await listed({ limit: 10 })).toEqual(["open", "d", "a"]);
      expect(await log.retain({ maxRuns: 0 }, 500)).toBe(2);
      expect(await listed({ limit: 10 })).toEqual(["open"]);
      expect(await log.info("b")).toMatchObject({ dropped: true });
    });
  });

  test("accepts nothing more once it is closed", async () => {
    const pending = log.append("a", [startEntry("a")]);
    await log.close();
    await pending;
    await expect(log.append("a", textEntries(2, 1))).rejects.toThrow(/closed/);
  });

  if (!variant.durable) return;

  test("finds everything again after it was closed", async () => {
    const entries = [startEntry("a", { thread: "t" }), ...textEntries(2, 600)];
    await log.append("a", entries);
    await finish("b");
    await finish("gone");
    await log.drop("gone");
    const before = await Promise.all(["a", "b", "gone"].map((run) => log.info(run)));
    for (let round = 0; round < 2; round++) {
      await log.close();
      await log.close();
      log = await variant.open(directory);
      expect(await Promise.all(["a", "b", "gone"].map((run) => log.info(run)))).toEqual(before);
      expect(await readAll("a", 100)).toEqual(entries);
      expect(await listed({ limit: 10 })).toEqual(["b", "a"]);
      expect(await listed({ limit: 10, open: true })).toEqual(["a"]);
    }
    await expect(log.append("a", textEntries(601, 1))).rejects.toThrow(LogConflict);
    await log.append("a", textEntries(602, 1));
    expect(await log.read("a", 600, 10)).toEqual(textEntries(601, 2));
  });
});
