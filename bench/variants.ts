/** The servers under test, ours first. A variant is one file. `storing` variants can serve a stored run. */
export interface Variant {
  readonly file: string;
  readonly ours?: true;
  readonly storing?: true;
  readonly needs?: "redis" | "postgres";
  /** The baseline, and the baseline again as a guard against noise. */
  readonly yardstick?: true;
}

export const variants = {
  raw: { file: "./servers/raw.ts", yardstick: true },
  "raw-again": { file: "./servers/raw.ts", yardstick: true },
  "raw-pull": { file: "./servers/raw-pull.ts", yardstick: true },
  "raw-logged": { file: "./servers/raw-logged.ts", yardstick: true },
  "raw-once": { file: "./servers/raw-once.ts", yardstick: true },
  "runcast-memory": { file: "./servers/runcast-memory.ts", ours: true, storing: true },
  "runcast-sqlite": { file: "./servers/runcast-sqlite.ts", ours: true, storing: true },
  "runcast-redis": { file: "./servers/runcast-redis.ts", ours: true, storing: true, needs: "redis" },
  "runcast-postgres": { file: "./servers/runcast-postgres.ts", ours: true, storing: true, needs: "postgres" },
  fastify: { file: "./peers/fastify.ts" },
  "better-sse": { file: "./peers/better-sse.ts" },
  hono: { file: "./peers/hono.ts" },
  "ag-ui": { file: "./peers/ag-ui.ts" },
  "ai-sdk": { file: "./peers/ai-sdk.ts" },
  "resumable-stream": { file: "./peers/resumable-stream.ts", needs: "redis" },
  "resumable-follower": { file: "./peers/resumable-follower.ts", needs: "redis" },
} as const satisfies Record<string, Variant>;

export type VariantName = keyof typeof variants;
