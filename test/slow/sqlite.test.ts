import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, readdir, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Entry } from "../../src/events.ts";
import type { Log } from "../../src/log.ts";
import { sqlite } from "../../src/logs/sqlite.ts";
import { endEntry, startEntry, textEntries } from "../contracts/run-entries.ts";

let directory: string;
const opened: Log[] = [];
const open = () => {
  const log = sqlite({ directory });
  opened.push(log);
  return log;
};
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "runcast-sqlite-"));
});
afterEach(async () => {
  const closed = await Promise.allSettled(opened.splice(0).map((log) => log.close()));
  for (const each of [directory, `${directory}-copy`]) await rm(each, { recursive: true, force: true });
  expect(closed.filter(({ status }) => status === "rejected")).toEqual([]);
});
const database = () => new DatabaseSync(path.join(directory, "log.db"));

test("rejects a directory that this process has open, until it is closed", async () => {
  const first = open();
  await first.append("a", [startEntry("a")]);
  expect(open).toThrow(`the log in ${directory} is in use`);
  expect(open).toThrow(/choose another directory/);
  await first.append("a", textEntries(2, 1));
  await first.close();
  expect(await open().read("a", 0, 10)).toHaveLength(2);
});

test("rejects a directory that another process has open, until that one dies", async () => {
  const fixture = fileURLToPath(new URL("../fixtures/append-until-killed.ts", import.meta.url));
  const child = spawn(process.execPath, ["--no-warnings", fixture, directory, "a"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  await once(child.stdout, "data");
  child.stdout.resume();
  expect(open).toThrow(`the log in ${directory} is in use`);
  child.kill("SIGKILL");
  await exited;
  expect(await open().info("a")).toMatchObject({ run: "a", epoch: 1 });
});

test("rejects a file that it cannot read, with a hint", async () => {
  writeFileSync(path.join(directory, "log.db"), "no database at all".repeat(1000));
  expect(open).toThrow(/is damaged .* move the directory away/);
  await rm(path.join(directory, "log.db"));
  let other = database();
  other.exec("CREATE TABLE notes (text)");
  other.close();
  expect(open).toThrow(/is a database, but not a Runcast log/);
  await rm(path.join(directory, "log.db"));
  await open().close();
  other = database();
  other.exec("PRAGMA user_version = 99");
  other.close();
  expect(open).toThrow(/newer version of Runcast \(format 99; this one reads up to 3\): upgrade/);
});

test("reports a truncated database as damaged", async () => {
  const log = open();
  await log.append("a", [startEntry("a"), ...textEntries(2, 2000, "x".repeat(500))]);
  await log.close();
  await truncate(path.join(directory, "log.db"), 16_384);
  const readAll = () => open().read("a", 0, Infinity);
  expect(readAll).toThrow(/is damaged/);
});

test("reports an invalid journal as damaged", async () => {
  await open().close();
  const other = database();
  other.exec("INSERT INTO runs (number, run, name, seq, startedAt) VALUES (1, 'a', '', 0, 0)");
  other.exec(`INSERT INTO journal (body) VALUES ('1\t{"seq":1' || char(10))`);
  other.close();
  expect(open).toThrow(/is damaged: row 1 of its journal/);
});

test("wakes in the turn that stored, before append resolves", async () => {
  const log = open();
  const order: string[] = [];
  log.watch("a", () => order.push(`wake ${(log.read("a", 0, 10) as readonly Entry[]).length}`));
  const stored = Promise.resolve(log.append("a", [startEntry("a")])).then(() => order.push("stored"));
  expect(await log.info("a")).toBeUndefined();
  expect(() => log.read("a", 0, 10)).toThrow(/there is no run a/);
  await stored;
  expect(order).toEqual(["wake 1", "stored"]);
});

test("a turn that cannot be stored leaves no trace", async () => {
  const log = open();
  await log.append("old", [startEntry("old")]);
  // The database rejects a fractional time.
  const unstorable: Entry = { ...startEntry("bad"), at: 1.5 };
  const appends = [
    log.append("new", [startEntry("new")]),
    log.append("old", textEntries(2, 2)),
    log.append("bad", [unstorable]),
  ];
  const results = await Promise.allSettled(appends);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect((await log.list({ limit: 10 })).map(({ run, seq }) => [run, seq])).toEqual([["old", 1]]);
  await Promise.all([log.append("new", [startEntry("new")]), log.append("old", textEntries(2, 2))]);
  await log.close();
  const again = open();
  expect(await again.read("old", 0, 10)).toEqual([startEntry("old"), ...textEntries(2, 2)]);
  expect(await again.read("new", 0, 10)).toEqual([startEntry("new")]);
});

test("a takeover that cannot be stored leaves the run to its owner", async () => {
  const log = open();
  const ada = { owner: "ada", epoch: 1 };
  await log.append("a", [startEntry("a")], ada);
  const unstorable: Entry = { ...startEntry("bad"), at: 1.5 };
  const results = await Promise.allSettled([
    log.append("a", textEntries(2, 1), ada),
    log.takeOver("a", "bob"),
    log.append("bad", [unstorable]),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(await log.info("a")).toMatchObject({ ...ada, seq: 1 });
  await log.append("a", textEntries(2, 1), ada);
  expect(await log.takeOver("a", "bob")).toEqual({ owner: "bob", epoch: 2, seq: 2 });
  await log.close();
  expect(await open().info("a")).toMatchObject({ owner: "bob", epoch: 2, seq: 2 });
});

test("the files on disk are consistent after every turn, even while entries move to segments", async () => {
  const log = open();
  const runs = Array.from({ length: 8 }, (_, index) => `run-${index}`);
  const padding = "x".repeat(20_000);
  const appended = new Map<string, Entry[]>(runs.map((run) => [run, []]));
  const copy = `${directory}-copy`;
  for (let turn = 0; turn < 56; turn++) {
    await Promise.all(
      runs.map((run, index) => {
        const entries = appended.get(run)!;
        if (entries.at(-1)?.event.type === "run-end") return;
        const seq = entries.length + 1;
        const ends = turn > 44 && turn % runs.length === index;
        entries.push(seq === 1 ? startEntry(run) : ends ? endEntry(seq) : textEntries(seq, 1, padding)[0]!);
        return log.append(run, entries.slice(-1));
      }),
    );
    if (turn < 24) continue;
    // The files now are what a kill at this moment would leave. Everything is synchronous, so that no state is missed.
    cpSync(directory, copy, { recursive: true });
    const left = sqlite({ directory: copy });
    for (const [run, entries] of appended) {
      expect(await left.read(run, 0, Infinity)).toEqual(entries);
      expect(await log.read(run, 0, Infinity)).toEqual(entries);
    }
    await left.close();
    rmSync(copy, { recursive: true });
  }
});

test("removes leftover files of a kill when it opens", async () => {
  const log = open();
  await log.append("a", [startEntry("a")]);
  const { file } = await log.put("a", Buffer.from("kept"), { mediaType: "text/plain" });
  await log.close();
  writeFileSync(path.join(directory, "files", "a", "without-a-row"), "");
  writeFileSync(path.join(directory, "unfinished", "half"), "");
  mkdirSync(path.join(directory, "files", "never-started"));
  writeFileSync(path.join(directory, "files", "never-started", "file"), "");
  open();
  expect(await readdir(path.join(directory, "files"))).toEqual(["a"]);
  expect(await readdir(path.join(directory, "files", "a"))).toEqual([file]);
  expect(await readdir(path.join(directory, "unfinished"))).toEqual([]);
});

test("removes the bytes of a dropped run from the disk", async () => {
  const log = open();
  await log.append("a", [startEntry("a"), endEntry(2)]);
  await log.put("a", Buffer.from("x"), { mediaType: "text/plain" });
  await log.drop("a");
  expect(existsSync(path.join(directory, "files", "a"))).toBe(false);
});

test("memory stays flat for one long run and for many finished ones", { timeout: 120_000 }, async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed / 2 ** 20;
  };
  const log = open();
  await log.append("long", [startEntry("long")]);
  const before = heap();
  for (let seq = 2; seq < 300_000; seq += 200) await log.append("long", textEntries(seq, 200));
  expect(heap() - before).toBeLessThan(40);
  for (let index = 0; index < 30_000; index += 300) {
    const runs = Array.from({ length: 300 }, (_, offset) => `run-${index + offset}`);
    await Promise.all(runs.map((run) => log.append(run, [startEntry(run), ...textEntries(2, 3), endEntry(5)])));
  }
  expect(heap() - before).toBeLessThan(40);
  expect(await log.read("long", 150_000, 2)).toEqual(
    textEntries(150_001, 2).map((entry) => expect.objectContaining({ seq: entry.seq })),
  );
  expect(await log.info("run-0")).toMatchObject({ seq: 5, outcome: "done" });
});
