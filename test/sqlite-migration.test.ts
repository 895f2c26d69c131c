import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkText } from "../src/cli/check.ts";
import type { Entry } from "../src/events.ts";
import type { Log } from "../src/log.ts";
import { sqlite } from "../src/logs/sqlite.ts";
import { createRunner } from "../src/runner.ts";
import { endEntry } from "./contracts/run-entries.ts";

const VERSION_1 = readFileSync(new URL("fixtures/sqlite-1.sql", import.meta.url), "utf8");

/** The results of the version that wrote the file: the number of entries of each run, and the hash of their JSON. */
const RECORDED: Readonly<Record<string, readonly [seq: number, hash: string]>> = {
  everything: [279, "2b00b79004e0e1c5bdbda506daf025a313f8b827ddf5bcea82091d868f400476"],
  answer: [72, "845385a56d52e83b1459e2c0585cd270a099840a99dfc45dbeddeecaf42943f9"],
  approval: [71, "19cdd43da8772f05c974eb3b6ddf5cba5666cb09ee43bd358d6ac96ecafe54e6"],
  cut: [9, "e59c400efd1a7a99c2bcc315aedf60b670971ea68f13178616b18308913434de"],
};

let directory: string;
let log: Log | undefined;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "runcast-migration-"));
  mkdirSync(path.join(directory, "files/approval"), { recursive: true });
  writeFileSync(path.join(directory, "files/approval/56hUapzbUxeLSJih"), "a file of version 1");
  change(VERSION_1);
});
afterEach(async () => {
  await log?.close();
  log = undefined;
  rmSync(directory, { recursive: true, force: true });
});

const change = (statements: string) => {
  const database = new DatabaseSync(path.join(directory, "log.db"));
  database.exec(statements);
  database.close();
};
const open = () => (log = sqlite({ directory }));

/** The whole content of the database. */
const contents = () => {
  const database = new DatabaseSync(path.join(directory, "log.db"));
  const schema = database.prepare("SELECT name, type, sql FROM sqlite_schema ORDER BY name").all();
  const tables = schema.filter(({ type }) => type === "table").map(({ name }) => name);
  const rows = tables.map((name) => database.prepare(`SELECT * FROM ${name}`).all());
  const version = database.prepare("PRAGMA user_version").get();
  database.close();
  return { schema, rows, version };
};

const readAll = (run: string) => log!.read(run, 0, Number.MAX_SAFE_INTEGER) as readonly Entry[];

test("a file of version 1 opens, every run reads the same, and complete runs pass `runcast check`", async () => {
  for (let round = 0; round < 2; round++) {
    open();
    for (const [run, [seq, hash]] of Object.entries(RECORDED)) {
      const entries = readAll(run);
      expect(entries).toHaveLength(seq);
      expect(createHash("sha256").update(JSON.stringify(entries)).digest("hex")).toBe(hash);
      expect(await log!.info(run)).toMatchObject({ run, name: "demo", agent: "demo", seq, epoch: 0 });
    }
    for (const run of ["everything", "answer"]) {
      const text = readAll(run).map((entry) => JSON.stringify(entry));
      expect(text[0]).toContain('"protocol":1');
      expect(checkText(text.join("\n"), run)).toMatchObject({ ok: true });
    }
    const stored = await log!.get("approval", "56hUapzbUxeLSJih");
    expect(Buffer.concat(await Array.fromAsync(stored!.bytes)).toString()).toBe("a file of version 1");
    expect(await log!.info("gone")).toMatchObject({ dropped: true });
    await log!.close();
  }
  expect(contents().version).toEqual({ user_version: 3 });
});

test("its runs are found by the user who started them", async () => {
  open();
  const runsOf = async (user: string) => (await log!.list({ limit: 9, user })).map(({ run }) => run);
  expect(await runsOf("ada")).toEqual(["cut", "everything"]);
  expect(await runsOf("grace")).toEqual(["answer"]);
  expect((await log!.info("approval"))?.user).toBeUndefined();
});

test("its runs are found by the name of their agent", async () => {
  open();
  expect((await log!.list({ limit: 9, agent: "demo" })).map(({ run }) => run)).toEqual([
    "cut",
    "approval",
    "answer",
    "everything",
  ]);
});

test("its open runs are orphans that are taken over and continue", async () => {
  open();
  await log!.heartbeat("me", 10_000);
  expect((await log!.orphans(9)).map(({ run }) => run)).toEqual(["approval", "cut"]);
  const taken = await log!.takeOver("approval", "me");
  expect(taken).toEqual({ owner: "me", epoch: 1, seq: 71 });
  await log!.append("approval", [endEntry(72)], taken);
  expect(await createRunner({ log: log! }).recover()).toBe(1);
  expect(await log!.orphans(9)).toEqual([]);
  expect(readAll("cut").at(-1)?.event).toMatchObject({ type: "run-end", outcome: "interrupted" });
});

test("a damaged run does not prevent the migration of the others", async () => {
  change("UPDATE segments SET body = 'x' WHERE number = 2; UPDATE journal SET body = body || '5\tx' || char(10)");
  expect(open).toThrow(/is damaged: row 1 of its journal/);
  expect(contents().version).toEqual({ user_version: 3 });
  change("DELETE FROM journal");
  open();
  expect(() => readAll("answer")).toThrow(/is damaged/);
  expect(await log!.info("everything")).toMatchObject({ user: "ada" });
});

test("an interrupted migration leaves the file unchanged", async () => {
  // The last step fails, after all others succeeded.
  change("CREATE INDEX recordsUntil ON runs (number)");
  const before = contents();
  expect(open).toThrow(/cannot be used: .*recordsUntil/);
  expect(contents()).toEqual(before);
  change("DROP INDEX recordsUntil");
  open();
  expect(readAll("everything")).toHaveLength(279);
});

test("a file of a newer version is rejected and left unchanged", () => {
  change("PRAGMA user_version = 4; CREATE TABLE later (x)");
  const before = contents();
  expect(open).toThrow(
    /log\.db was written by a newer version of Runcast \(format 4; this one reads up to 3\): upgrade, or choose another/,
  );
  expect(contents()).toEqual(before);
});
