import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Log } from "../../src/log.ts";
import { sqlite } from "../../src/logs/sqlite.ts";
import { startEntry, textEntries } from "../contracts/run-entries.ts";
import { randomFrom } from "../random.ts";

const KILLS = process.env.RUNCAST_LONG ? 50 : 5;
const seed = Number(process.env.RUNCAST_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`the writer is killed after a random line, RUNCAST_SEED=${seed}`);
const RUNS = ["one", "two", "three", "four"];
const fixture = fileURLToPath(new URL("../fixtures/append-until-killed.ts", import.meta.url));

/** Starts a new directory after this many kills, because each kill is followed by a check of the whole directory. */
const KILLS_OF_A_DIRECTORY = 5;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "runcast-kill-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Runs the writer until it has printed `lines` lines, kills it, and returns everything it printed. */
const killAfter = async (lines: number): Promise<string[][]> => {
  const child = spawn(process.execPath, ["--no-warnings", fixture, directory, RUNS.join()], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const reports: string[][] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    reports.push(line.split(" "));
    if (reports.length === lines) child.kill("SIGKILL");
  }
  expect(await exited).toEqual([null, "SIGKILL"]);
  return reports;
};

const contentOf = async (log: Log, run: string, file: string) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await log.get(run, file))!.bytes) chunks.push(chunk);
  return String(Buffer.concat(chunks));
};

const rounds = Array.from({ length: KILLS / KILLS_OF_A_DIRECTORY }, (_, index) => index + 1);
test.for(rounds)("acknowledged writes survive kills, round %i", { timeout: 120_000 }, async (round) => {
  const random = randomFrom(seed + round);
  const files: string[][] = [];
  const controls: string[][] = [];
  let stored = 0;
  for (let kill = 0; kill < KILLS_OF_A_DIRECTORY; kill++) {
    const reports = await killAfter(20 + Math.floor(random() * 1500));
    const acknowledged = new Map<string, number>();
    const counts = new Map<string, number>();
    const epochs = new Map<string, number>();
    for (const [kind, run, number, file] of reports as [string, string, string, string][]) {
      if (kind === "file") files.push([run, number, file]);
      else if (kind === "control") controls.push([run, number]);
      else ({ entry: acknowledged, count: counts, epoch: epochs })[kind]!.set(run, Number(number));
    }
    const log = sqlite({ directory });
    stored = 0;
    for (const run of RUNS) {
      const info = await log.info(run);
      expect(info!.seq).toBeGreaterThanOrEqual(acknowledged.get(run) ?? 0);
      // Each process takes over every run once, so the epoch counts the processes.
      if (epochs.has(run)) expect([kill + 1, info!.epoch]).toEqual([epochs.get(run), epochs.get(run)]);
      const count = (await log.records.get("count", run)) ?? 0;
      expect([0, 1]).toContain((count as number) - (counts.get(run) ?? (count as number)));
      const queued = (await log.controls(run, 0, 10_000)).map(({ control }) => control.id);
      expect(new Set(queued).size).toBe(queued.length);
      for (const [, id] of controls.filter(([of]) => of === run)) expect(queued).toContain(id);
      const entries = await log.read(run, 0, Infinity);
      expect(entries).toEqual([startEntry(run), ...textEntries(2, info!.seq - 1, run.repeat(1000))]);
      stored += entries.length;
    }
    for (const [run, seq, file] of files as [string, string, string][])
      expect(await contentOf(log, run, file)).toBe(`${run} ${seq}`.repeat(20_000));
    const found = await Promise.all(RUNS.map((run) => readdir(path.join(directory, "files", run)).catch(() => [])));
    expect(found.flat().length).toBeGreaterThanOrEqual(files.length);
    expect(await readdir(path.join(directory, "unfinished"))).toEqual([]);
    await log.close();
  }
  console.log(
    `${KILLS_OF_A_DIRECTORY} kills, ${stored} entries, ${files.length} files and ${controls.length} controls, none lost`,
  );
});
