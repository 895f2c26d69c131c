import path from "node:path";
import { afterAll } from "vitest";
import type { Log } from "../../src/log.ts";
import { memory } from "../../src/logs/memory.ts";
import { postgres } from "../../src/logs/postgres.ts";
import { redis } from "../../src/logs/redis.ts";
import { sqlite } from "../../src/logs/sqlite.ts";
import { startPostgres } from "../engines/postgres.ts";
import { startRedis } from "../engines/redis.ts";

export interface LogVariant {
  /** The program that must be installed. */
  readonly program?: string;
  /** Whether entries survive closing and opening the log. */
  readonly durable: boolean;
  /** Whether several logs may be open on one directory at a time, each representing a process. */
  readonly shared: boolean;
  open(directory: string): Log | Promise<Log>;
  /** A lease longer than the slowest step of a test. */
  readonly leaseMs: number;
  /** Advances the engine's clock. */
  pass(ms: number): Promise<unknown>;
}

/** A clock that only tests advance. */
let time = 0;
const ownClock = {
  leaseMs: 10_000,
  pass: async (ms: number) => void (time += ms),
};
const now = () => time;

/** For engines in a separate process: their clock runs, and the test's offset is added to it. */
const sharedClock = { ...ownClock, leaseMs: 60_000 };

/** Starts an engine on first use in a test file, and stops it after the file. */
const once = <Engine extends { stop(): Promise<void> }>(start: () => Promise<Engine>): (() => Promise<Engine>) => {
  let started: Promise<Engine> | undefined;
  afterAll(async () => await (await started)?.stop());
  return () => (started ??= start());
};
const redisServer = once(startRedis);
const postgresServer = once(startPostgres);

/** Every file of src/logs, by name. */
export const logVariants: Readonly<Record<string, LogVariant>> = {
  memory: { durable: false, shared: false, open: () => memory({ now }), ...ownClock },
  sqlite: { durable: true, shared: false, open: (directory) => sqlite({ directory, now }), ...ownClock },
  postgres: {
    program: "postgres",
    durable: true,
    shared: true,
    open: async (directory) => {
      const schema = path.basename(directory).toLowerCase().replace(/\W/g, "_");
      return await postgres({ url: (await postgresServer()).url, schema, ahead: now });
    },
    ...sharedClock,
  },
  redis: {
    program: "redis-server",
    durable: true,
    shared: true,
    open: async (directory) =>
      await redis({ url: (await redisServer()).url, prefix: path.basename(directory), ahead: now }),
    ...sharedClock,
  },
};
