import { engineAddress, type Log } from "../log.ts";
import { memory } from "../logs/memory.ts";
import { postgres } from "../logs/postgres.ts";
import { redis } from "../logs/redis.ts";
import { sqlite } from "../logs/sqlite.ts";

/** `place` is where the log is stored, unless it is only in this process. */
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

/** The logs that a configuration may give as a URL, by scheme. */
const engines: Readonly<Record<string, (url: string) => Promise<Log>>> = {
  redis: (url) => redis({ url }),
  rediss: (url) => redis({ url }),
  "redis+cluster": (url) => redis({ url }),
  "redis+sentinel": (url) => redis({ url }),
  postgres: (url) => postgres({ url }),
  postgresql: (url) => postgres({ url }),
};

export type LogUrl =
  `${"redis" | "rediss" | "redis+cluster" | "redis+sentinel" | "postgres" | "postgresql"}://${string}`;

/** URL prefixes of logs, for messages. */
export const logUrls = ["redis://…", "postgres://…"] as const;

const engineOf = (url: string) => {
  const [, scheme = "", rest] = /^([a-z+]+):\/\/(.+)$/.exec(url) ?? [];
  return rest !== undefined && Object.hasOwn(engines, scheme) ? engines[scheme] : undefined;
};

export const isLogUrl = (text: unknown): text is LogUrl => typeof text === "string" && engineOf(text) !== undefined;

export const openLogAt = async (url: string): Promise<OpenedLog> => ({
  log: await engineOf(url)!(url),
  place: engineAddress(url),
});
