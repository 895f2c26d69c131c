import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Entry } from "../../src/events.ts";
import { randomFrom } from "../random.ts";
import { startRelay } from "../relay.ts";
import { problemsOf } from "./check.ts";
import { startFaults } from "./faults.ts";
import { type EngineName, startEngine } from "./engines.ts";
import { startFleet, tallyFile } from "./fleet.ts";
import { startUsers } from "./users.ts";
import { executingAtKills, takeoversOf } from "./takeovers.ts";
import { readTally } from "./tally.ts";

export interface RoundOptions {
  readonly engine: EngineName;
  readonly seed: number;
  readonly seconds: number;
  /** The number of concurrent runs. */
  readonly runs: number;
  /** Only these faults occur. Default: all. */
  readonly only?: readonly string[];
}

/** The events of a round, and its violations. */
export interface Report {
  readonly problems: readonly string[];
  readonly runs: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly kills: number;
  /** All calls that were executing when their process was killed, and the most at one kill. */
  readonly executing: number;
  readonly mostExecuting: number;
  readonly faults: Readonly<Record<string, number>>;
  /** The faults that can happen on this machine. */
  readonly possible: readonly string[];
  readonly entries: number;
  readonly viewers: number;
  readonly executions: number;
  readonly acknowledged: number;
  readonly cancelled: number;
  readonly takeovers: ReturnType<typeof takeoversOf>;
  readonly fenced: number;
  /** The directory with all data. Removed if there are no violations. */
  readonly directory: string;
}

export const LEASE_MS = 3000;
/** How long the last runs may take after all faults are repaired: a half-open connection is detected by its silence. */
const RETRY_MS = 120_000;

/** Runs processes behind a load balancer, users with runs, and faults for this long. Then compares everything. */
export const playRound = async ({ engine: name, seed, seconds, runs, only }: RoundOptions): Promise<Report> => {
  const random = randomFrom(seed);
  const directory = await mkdtemp(path.join(tmpdir(), `runcast-chaos-${name}-`));
  const engine = await startEngine(name);
  const size = engine.port === undefined ? 1 : 3;
  const fleet = await startFleet({ engine, size, leaseMs: LEASE_MS, directory });
  const balancer = await startRelay(() => fleet.slots.filter((slot) => slot.isUp()).map(({ port }) => port));
  const problems: string[] = [];
  try {
    const users = startUsers({ url: balancer.url, atOnce: runs, random, name: `r${seed}` });
    await sleep(1500);
    const faults = startFaults({ fleet, engine, balancer, leaseMs: LEASE_MS, random: randomFrom(seed + 1), only });
    await sleep(seconds * 1000);
    await faults.end();
    await users.leave(RETRY_MS).catch((error: Error) => problems.push(error.message));

    const tally = readTally(tallyFile(directory));
    const outcomes: Record<string, number> = {};
    let entries = 0;
    const url = `http://127.0.0.1:${fleet.slots[0]!.port}`;
    const tallyOf = Map.groupBy(tally, (each) => ("run" in each ? each.run : ""));
    const seenOf = Map.groupBy(users.seen, ({ run }) => run);
    const acknowledgedOf = Map.groupBy(users.acknowledged, ({ run }) => run);
    const cancelsOf = Map.groupBy(users.cancels, ({ run }) => run);
    for (const [run, seen] of seenOf) {
      const stored = await entriesOf(url, run);
      entries += stored.length * seen.length;
      const end = stored.at(-1)?.event;
      const outcome = end?.type === "run-end" ? end.outcome : "none";
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      const [answers, cancels] = [acknowledgedOf.get(run) ?? [], cancelsOf.get(run) ?? []];
      problems.push(...problemsOf(run, stored, tallyOf.get(run) ?? [], seen, answers, cancels));
    }
    const executing = executingAtKills(tally, fleet.kills);
    return {
      problems,
      runs: seenOf.size,
      outcomes,
      kills: fleet.kills.length,
      executing: executing.reduce((sum, count) => sum + count, 0),
      mostExecuting: Math.max(0, ...executing),
      faults: faults.counts,
      possible: faults.possible,
      entries,
      viewers: users.seen.length,
      executions: tally.filter((each) => each.do === "begin").length,
      acknowledged: users.acknowledged.length,
      cancelled: users.cancels.filter(({ isAcknowledged }) => isAcknowledged).length,
      takeovers: takeoversOf(tally, fleet.kills, faults.engineTrouble),
      fenced: tally.filter((each) => each.do === "fenced").length,
      directory,
    };
  } finally {
    await balancer.close();
    await fleet.close();
    await engine.stop();
    if (problems.length === 0) await rm(directory, { recursive: true, force: true });
  }
};

const entriesOf = async (url: string, run: string): Promise<Entry[]> => {
  const text = await (await fetch(`${url}/runs/${run}/export.jsonl`)).text();
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Entry);
};
