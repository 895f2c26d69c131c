import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Log } from "../../src/log.ts";
import { memory } from "../../src/logs/memory.ts";
import { postgres } from "../../src/logs/postgres.ts";
import { redis } from "../../src/logs/redis.ts";
import { sqlite } from "../../src/logs/sqlite.ts";

/** The logs that the board is measured on. The environment contains the addresses of the engines. */
export const boardLogs: Readonly<Record<string, (runs: number) => Log | Promise<Log>>> = {
  memory: (runs) => memory({ maxRuns: runs }),
  sqlite: () => sqlite({ directory: mkdtempSync(path.join(process.env["BENCH_DIRECTORY"] ?? tmpdir(), "log-")) }),
  redis: () => redis({ url: process.env["REDIS_URL"]!, prefix: "board" }),
  postgres: () => postgres({ url: process.env["POSTGRES_URL"]!, schema: "board" }),
};
