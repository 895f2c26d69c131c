import type { Log } from "../../src/log.ts";
import { memory } from "../../src/logs/memory.ts";
import { sqlite } from "../../src/logs/sqlite.ts";

export interface LogVariant {
  /** Whether a log that is opened again finds what was stored. */
  readonly durable: boolean;
  /** Whether several logs may be open on one directory at a time: each stands for a process. */
  readonly shared: boolean;
  open(directory: string): Log | Promise<Log>;
  /** A lease that the slowest step of a test does not outlast. */
  readonly leaseMs: number;
  /** Lets time pass by the clock of the engine. */
  pass(ms: number): Promise<unknown>;
}

/** A clock that only a test moves. */
let time = 0;
const ownClock = {
  leaseMs: 10_000,
  pass: async (ms: number) => void (time += ms),
};
const now = () => time;

/** Every file of src/logs, by its name. */
export const logVariants: Readonly<Record<string, LogVariant>> = {
  memory: { durable: false, shared: false, open: () => memory({ now }), ...ownClock },
  sqlite: { durable: true, shared: false, open: (directory) => sqlite({ directory, now }), ...ownClock },
};
