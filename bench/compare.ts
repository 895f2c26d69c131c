// Puts Runcast and its peers through the trials of `runcast torture`, and writes docs/comparison.md: `npm run compare`, or
// `npm run compare -- agno langgraph` for some of them, with the results of earlier runs on this machine for the others.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { changesOf } from "./compare/changes.ts";
import { systemsOf, verdictTable, writeComparison } from "./compare/document.ts";
import { Floor } from "./compare/floor.ts";
import { type Measured, readMeasured } from "./compare/measured.ts";
import { install } from "./install.ts";
import { listen } from "./listen.ts";
import type { Peer, SetUp } from "./peers/torture/peer.ts";
import { reportTable, type Result, torture } from "../src/torture.ts";

const { values, positionals } = parseArgs({
  options: { short: { type: "boolean" }, seed: { type: "string" } },
  allowPositionals: true,
});
const seed = Number(values.seed ?? 7);
const folder = path.join(import.meta.dirname, "peers/torture");
const results = path.join(import.meta.dirname, "results/torture");
const known = readdirSync(folder)
  .filter((file) => file.endsWith(".ts") && file !== "peer.ts")
  .map((file) => path.basename(file, ".ts"));
const unknown = positionals.find((name) => !known.includes(name));
if (unknown !== undefined) {
  console.error(`unknown: ${unknown}; use ${known.join(" ")}`);
  process.exit(2);
}

const port = async (): Promise<number> => {
  const probe = createServer();
  const free = await listen(probe);
  await new Promise((resolve) => probe.close(resolve));
  return free;
};

const began = Date.now();
const elapsed = (): string => {
  const seconds = Math.round((Date.now() - began) / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
};
const progress = (name: string, text: string) => console.error(`${elapsed()}  ${name}: ${text}`);

/** A system yields the floor to the next one while its silent trial only waits. */
const floor = new Floor();

const measure = async (peer: Peer, rank: number): Promise<Measured> => {
  const found: Result[] = [];
  const { url, command, driver, name, versions, setUp } = peer;
  const isShort = values.short === true;
  const whileIdle = (idle: Promise<unknown>) => floor.lend(rank, idle);
  progress(name, "starts");
  try {
    for await (const result of torture({ url, command, driver, seed, isShort, whileIdle })) {
      found.push(result);
      const { verdict, trial, ms, because } = result;
      progress(name, `${verdict.padEnd(3)} ${trial}, ${(ms / 1000).toFixed(1)} s: ${because.slice(0, 160)}`);
    }
  } finally {
    await peer.stop?.();
  }
  console.log(`\n${name} (${versions})\n${reportTable(found)}\n`);
  return { name, versions, setUp, measured: new Date().toISOString().slice(0, 10), isShort, results: found };
};

/** Does this while no other system has the floor. `what` is for the line in the document if it fails. */
const inTurn = async <Value>(rank: number, what: string, work: () => Promise<Value>): Promise<Value | string> => {
  await floor.take(rank);
  try {
    return await work();
  } catch (error) {
    console.error(error);
    return `${what} does not start here`;
  } finally {
    floor.give();
  }
};

/** Measures the systems of one file. `rank` is its place among the files. */
const measureFile = async (file: string, rank: number): Promise<Measured[]> => {
  const { setUp } = (await import(path.join(folder, `${file}.ts`))) as { setUp: SetUp };
  const directory = mkdtempSync(path.join(tmpdir(), `runcast-compare-${file}-`));
  const measuredOr = (found: Measured | string, name: string): Measured => {
    if (typeof found !== "string") return found;
    console.log(found);
    return { name, absent: found };
  };
  const made = await inTurn(rank, file, () => setUp({ directory, port }));
  const measured = [made].flat().map(async (peer, index) => {
    if (typeof peer === "string") return measuredOr(peer, file);
    const own = rank + index / 100;
    return measuredOr(await inTurn(own, peer.name, () => measure(peer, own)), peer.name);
  });
  const all = await Promise.all(measured);
  rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  return all;
};

// A server that was started ends with this process.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
install();
mkdirSync(results, { recursive: true });
const before = readMeasured(results);
await Promise.all(
  (positionals.length > 0 ? positionals : known).map(async (file, rank) => {
    const measured = await measureFile(file, rank);
    writeFileSync(path.join(results, `${file}.json`), JSON.stringify(measured, null, 1));
  }),
);
const after = readMeasured(results);
writeComparison(after);
console.log(verdictTable(systemsOf(after)));
console.log(`\nIt took ${elapsed()} (minutes and seconds).`);
if (before.length > 0) {
  const changes = changesOf(before, after);
  console.log(`Verdicts that differ from the last run on this machine: ${changes.length}`);
  for (const change of changes) console.log(`- ${change}`);
}
process.exit(0);
