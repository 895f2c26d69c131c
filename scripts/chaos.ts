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
const totals = { rounds: 0, runs: 0, kills: 0, executing: 0, entries: 0, acknowledged: 0, fenced: 0, wrong: 0 };
const times: number[] = [];
const happened = new Set<string>();
const possible = new Set<string>();
let mostExecuting = 0;
for (let round = 0; round < Number(values.rounds); round++) {
  for (const engine of engines) {
    const seed = Number(values.seed) + round;
    const report = await playRound({ engine, seed, seconds: Number(values.seconds), runs: Number(values.runs) });
    console.log(reportText(`${engine}, round ${round + 1}, seed ${seed}, ${values.seconds} s`, report));
    totals.rounds++;
    for (const name of ["runs", "kills", "executing", "entries", "acknowledged", "fenced"] as const)
      totals[name] += report[name];
    totals.wrong += report.problems.length;
    mostExecuting = Math.max(mostExecuting, report.mostExecuting);
    for (const kind of Object.keys(report.faults)) happened.add(kind);
    for (const kind of report.possible) possible.add(kind);
    if (engine !== "sqlite") times.push(...report.takeovers.clean);
  }
}
const sorted = times.toSorted((one, other) => one - other);
const p99 = quantile(sorted, 0.99) ?? 0;
console.log(`in all: ${JSON.stringify({ ...totals, mostExecuting })}`);
console.log(
  `takeovers: ${sorted.length}, p50 ${quantile(sorted, 0.5)} ms, p99 ${p99} ms, promised ${LEASE_MS + 1000} ms`,
);
const isShared = engines.some((engine) => engine !== "sqlite");
const impossible = faultsOf(isShared).filter((kind) => !possible.has(kind));
if (impossible.length > 0) console.log(`cannot happen on this machine: ${impossible.join(", ")}`);
const absent = [...possible].filter((kind) => !happened.has(kind));
if (absent.length > 0) console.log(`never happened: ${absent.join(", ")}`);
const isIncomplete =
  Number(values.seconds) >= LONG_SECONDS &&
  (absent.length > 0 || (process.env.RUNCAST_REQUIRE_ALL === "1" && impossible.length > 0));
// Too few calls prove little about interrupted calls.
if (totals.executing < LEAST_EXECUTING)
  console.log(`fewer than ${LEAST_EXECUTING} calls were executing at a kill: play longer rounds`);
// Without a fenced write, no replaced process has tried to write, so the rounds were too short to prove fencing.
if (isShared && totals.fenced === 0) console.log("no write was fenced: play longer rounds");
const isTooShort = totals.executing < LEAST_EXECUTING || (isShared && totals.fenced === 0);
process.exit(totals.wrong > 0 || p99 > LEASE_MS + 1000 || isTooShort || isIncomplete ? 1 : 0);
