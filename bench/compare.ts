// Puts Runcast and its peers through the trials of `runcast torture`, and writes docs/comparison.md: `npm run compare`, or
// `npm run compare -- agno langgraph` for some of them, with what earlier runs on this machine have found of the others.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { writeComparison } from "./compare/document.ts";
import type { Measured } from "./compare/measured.ts";
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
  console.error(`there is no ${unknown}; there are ${known.join(" ")}`);
  process.exit(2);
}

const port = async (): Promise<number> => {
  const probe = createServer();
  const free = await listen(probe);
  await new Promise((resolve) => probe.close(resolve));
  return free;
};

const measure = async (peer: Peer): Promise<Measured> => {
  const found: Result[] = [];
  const { url, command, driver, name, versions } = peer;
  const options = { url, command, driver, seed, isShort: values.short === true };
  try {
    for await (const result of torture(options)) {
      found.push(result);
      console.error(`  ${result.verdict.padEnd(3)} ${result.trial}: ${result.because.slice(0, 160)}`);
    }
  } finally {
    await peer.stop?.();
  }
  console.log(`\n${name} (${versions})\n${reportTable(found)}`);
  return { name, versions, measured: new Date().toISOString().slice(0, 10), isShort: options.isShort, results: found };
};

// A server that was started ends with this process.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
install();
mkdirSync(results, { recursive: true });
for (const file of positionals.length > 0 ? positionals : known) {
  const { setUp } = (await import(path.join(folder, `${file}.ts`))) as { setUp: SetUp };
  const directory = mkdtempSync(path.join(tmpdir(), `runcast-compare-${file}-`));
  let measured: Measured[];
  try {
    const made = await setUp({ directory, port });
    if (typeof made === "string") {
      console.log(made);
      measured = [{ name: file, absent: made }];
    } else {
      measured = [];
      for (const peer of [made].flat()) {
        console.error(peer.name);
        measured.push(await measure(peer));
      }
    }
  } catch (error) {
    console.error(error);
    measured = [{ name: file, absent: `${file} does not start here` }];
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
  writeFileSync(path.join(results, `${file}.json`), JSON.stringify(measured, null, 1));
}
writeComparison(results);
process.exit(0);
