import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { drivers, torture, trials } from "../../src/torture.ts";
import { describeWith } from "../components.ts";
import { startPostgres } from "../engines/postgres.ts";
import { freePort, startRedis } from "../engines/redis.ts";
import { serveCommand } from "../torture/serve-command.ts";

const isShort = process.env.RUNCAST_LONG !== "1";
const seed = Number(process.env.RUNCAST_SEED ?? Date.now() % 100_000);
const limits = { timeout: isShort ? 240_000 : 900_000 };
const all = trials.map(({ name }) => name);

/** Starts `runcast serve` with this log and runs all trials against it. */
const verdictsOf = async (log: string) => {
  const directory = await mkdtemp(path.join(tmpdir(), "runcast-torture-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const command = serveCommand(directory, port, log);
  const driver = drivers["native"]!({ url });
  const verdicts: string[] = [];
  try {
    for await (const { trial, verdict, because } of torture({ url, driver, command, seed, isShort }))
      verdicts.push(verdict === "yes" ? `yes ${trial}` : `${verdict} ${trial}: ${because} (seed ${seed})`);
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
  return verdicts;
};

const ALL_YES = all.map((name) => `yes ${name}`);

// Each mostly waits for a silent model, so they can run concurrently.
describe.concurrent("`runcast serve` passes every trial, including kills", () => {
  test("SQLite", limits, async () => expect(await verdictsOf("sqlite")).toEqual(ALL_YES));

  describeWith("redis-server", "with Redis", () => {
    test("Redis", limits, async () => {
      const redis = await startRedis();
      try {
        expect(await verdictsOf(redis.url)).toEqual(ALL_YES);
      } finally {
        await redis.stop();
      }
    });
  });

  describeWith("postgres", "with Postgres", () => {
    test("Postgres", limits, async () => {
      const postgres = await startPostgres();
      try {
        expect(await verdictsOf(postgres.url)).toEqual(ALL_YES);
      } finally {
        await postgres.stop();
      }
    });
  });
});
