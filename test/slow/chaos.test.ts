import { expect, test } from "vitest";
import type { EngineName } from "../chaos/engines.ts";
import { reportText } from "../chaos/report-text.ts";
import { playRound } from "../chaos/round.ts";
import { describeWith } from "../components.ts";

/** Faults that pass quickly. A full disk or a half-open connection takes longer than this suite allows. */
const SHORT = ["kill", "terminate", "pause longer than the lease", "cut clients", "cut from the engine"];
const SEED = Number(process.env.RUNCAST_SEED ?? Date.now() % 100_000);

/** The short form of `npm run test:chaos`, which also measures takeover times. Other tests run concurrently here. */
const play = (engine: EngineName, seconds: number) => {
  test(`${engine}: nothing is lost, duplicated or repeated while processes die`, { timeout: 300_000 }, async () => {
    const report = await playRound({ engine, seed: SEED, seconds, runs: 8, only: SHORT });
    console.log(reportText(`${engine}, seed ${SEED}, ${seconds} s`, report));
    expect(report.problems).toEqual([]);
    expect(report.kills).toBeGreaterThan(0);
    expect(report.entries).toBeGreaterThan(0);
    expect(report.executions).toBeGreaterThan(0);
  });
};

describeWith("redis-server", "processes that share a Redis", () => play("redis", 8));
describeWith("postgres", "processes that share a Postgres", () => play("postgres", 8));
describeWith("node", "one process with SQLite, killed and started again", () => play("sqlite", 5));
