import type { Log } from "../../src/log.ts";
import { memory } from "../../src/logs/memory.ts";
import { sqlite } from "../../src/logs/sqlite.ts";

export interface LogVariant {
  /** Whether a log that is opened again finds what was stored. */
  readonly durable: boolean;
  open(directory: string): Log;
}

/** Every file of src/logs, by its name. */
export const logVariants: Readonly<Record<string, LogVariant>> = {
  memory: { durable: false, open: () => memory() },
  sqlite: { durable: true, open: (directory) => sqlite({ directory }) },
};
