// Kills, stops, and disconnects processes while many runs are active, and compares the results: `npm run test:chaos`.
// `-- redis postgres sqlite --rounds 1 --seconds 600 --runs 200 --seed 1`
import { parseArgs } from "node:util";
import { faultsOf } from "../test/chaos/faults.ts";
import type { EngineName } from "../test/chaos/engines.ts";
import { reportText } from "../test/chaos/report-text.ts";
import { LEASE_MS, playRound } from "../test/chaos/round.ts";
import { quantile } from "../test/chaos/takeovers.ts";

const LEAST_EXECUTING = 100;
/** In rounds of this length, every fault that can happen here is expected to happen. */
const LONG_SECONDS = 300;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "1" },
    seconds: { type: "string", default: "600" },
    runs: { type: "string", default: "200" },
    seed: { type: "string", default: process.env.RUNCAST_SEED ?? String(Date.now() % 100_000) },
  },
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const known: readonly EngineName[] = ["redis", "postgres", "sqlite"];
const engines = known.filter((name) => positionals.length === 0 || positionals.includes(name));
const totals = { rounds: 0, runs: 0, kills: 0, executing: 0, entries: 0, acknowledged: 0, cancelled: 0, wrong: 0 };
/** By engine, so that one cannot hide what another one lacks. */
const fenced = new Map<EngineName, number>();
const times = new Map<EngineName, number[]>();
const happened = new Set<string>();
const possible = new Set<string>();
let mostExecuting = 0;
for (let round = 0; round < Number(values.rounds); round++) {
  for (const engine of engines) {
    const seed = Number(values.seed) + round;
    const report = await playRound({ engine, seed, seconds: Number(values.seconds), runs: Number(values.runs) });
    console.log(reportText(`${engine}, round ${round + 1}, seed ${seed}, ${values.seconds} s`, report));
    totals.rounds++;
    for (const name of ["runs", "kills", "executing", "entries", "acknowledged", "cancelled"] as const)
      totals[name] += report[name];
    totals.wrong += report.problems.length;
    mostExecuting = Math.max(mostExecuting, report.mostExecuting);
    for (const kind of Object.keys(report.faults)) happened.add(kind);
    for (const kind of report.possible) possible.add(kind);
    if (engine === "sqlite") continue;
    fenced.set(engine, (fenced.get(engine) ?? 0) + report.fenced);
    times.set(engine, [...(times.get(engine) ?? []), ...report.takeovers.clean]);
  }
}
console.log(`in all: ${JSON.stringify({ ...totals, mostExecuting, fenced: Object.fromEntries(fenced) })}`);
const failures: string[] = totals.wrong > 0 ? [`${totals.wrong} wrong`] : [];
for (const [engine, all] of times) {
  const sorted = all.toSorted((one, other) => one - other);
  const [p50, p99] = [quantile(sorted, 0.5) ?? 0, quantile(sorted, 0.99) ?? 0];
  const text = `takeovers with ${engine}: ${all.length}, p50 ${p50} ms, p99 ${p99} ms, promised ${LEASE_MS + 1000} ms`;
  console.log(text);
  if (p99 > LEASE_MS + 1000) failures.push(`slow ${text}`);
}
const isLong = Number(values.seconds) >= LONG_SECONDS;
const impossible = faultsOf(times.size > 0).filter((kind) => !possible.has(kind));
if (impossible.length > 0) console.log(`cannot happen on this machine: ${impossible.join(", ")}`);
if (isLong && impossible.length > 0 && process.env.RUNCAST_REQUIRE_ALL === "1")
  failures.push("not every fault can happen");
const absent = [...possible].filter((kind) => !happened.has(kind));
if (absent.length > 0) console.log(`never happened: ${absent.join(", ")}`);
if (isLong && absent.length > 0) failures.push("not every fault happened: play longer rounds");
// Too few calls prove little about interrupted calls.
if (mostExecuting < LEAST_EXECUTING)
  failures.push(`at no kill were ${LEAST_EXECUTING} calls executing: play longer rounds, or more runs at a time`);
// Without a fenced write, no replaced process has tried to write.
for (const [engine, writes] of fenced)
  if (writes === 0) failures.push(`no write to ${engine} was fenced: play longer rounds`);
for (const failure of failures) console.log(`FAILED: ${failure}`);
process.exit(failures.length > 0 ? 1 : 0);
