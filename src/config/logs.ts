import type { Log } from "../log.ts";
import { memory } from "../logs/memory.ts";
import { sqlite } from "../logs/sqlite.ts";

/** `place` is where its files lie, if it has any. */
export interface OpenedLog {
  readonly log: Log;
  readonly place?: string;
}

/** The logs that a configuration may name. */
export const logs = {
  memory: () => ({ log: memory() }),
  sqlite: (directory) => ({ log: sqlite({ directory }), place: directory }),
} as const satisfies Readonly<Record<string, (directory: string) => OpenedLog>>;

export type LogName = keyof typeof logs;

export const isLogName = (name: unknown): name is LogName => typeof name === "string" && Object.hasOwn(logs, name);
