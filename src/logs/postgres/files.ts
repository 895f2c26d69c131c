import { randomBytes } from "node:crypto";
import { checkRunId, checkText, edges, type Log, LogMissing } from "../../log.ts";
import type { PostgresConnection } from "./connection.ts";

const CHUNK_BYTES = 256 * 1024;
/** How long files are kept before their run starts. */
const STRAY_MS = 3_600_000;

/** Each file consists of its chunks and a row, which is inserted once all chunks are stored. */
export const openFiles = (connection: PostgresConnection, schema: string, ahead: () => number) => {
  async function* read(run: string, file: string, size: number, start: number, end: number): AsyncIterable<Uint8Array> {
    for (let place = start; place < Math.min(end, size);) {
      const chunk = Math.floor(place / CHUNK_BYTES);
      const [row] = await connection.query<{ bytes: Buffer }>(
        `SELECT bytes FROM ${schema}.file_chunks WHERE run = $1 AND file = $2 AND place = $3`,
        [run, file, chunk],
      );
      if (!row) throw new Error("the file was removed while it was being read");
      const from = chunk * CHUNK_BYTES;
      yield row.bytes.subarray(place - from, end - from);
      place = from + row.bytes.length;
    }
  }

  const files: Pick<Log, "put" | "get" | "discard"> = {
    async put(run, bytes, { mediaType, name }) {
      checkRunId(run);
      checkText("mediaType", mediaType ?? null);
      checkText("name", name);
      const file = randomBytes(12).toString("base64url");
      const kept = Buffer.from(bytes);
      for (let from = 0; from < kept.length; from += CHUNK_BYTES)
        await connection.query(`INSERT INTO ${schema}.file_chunks VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`, [
          run,
          file,
          from / CHUNK_BYTES,
          kept.subarray(from, from + CHUNK_BYTES),
        ]);
      const about = JSON.stringify({ mediaType, name, size: kept.length });
      const rows = await connection.query(
        `INSERT INTO ${schema}.files SELECT $1, $2, $3, ${schema}.now_ahead($4)
         WHERE NOT EXISTS (SELECT FROM ${schema}.runs WHERE run = $1 AND dropped)
         ON CONFLICT (run, file) DO UPDATE SET about = excluded.about RETURNING file`,
        [run, file, about, ahead()],
      );
      if (rows.length === 0) throw new LogMissing(run, true);
      return { file, mediaType, bytes: kept.length, name, ...edges(kept, mediaType) };
    },

    async get(run, file, { start = 0, end = Infinity } = {}) {
      if (`${run}${file}`.includes("\0")) return undefined;
      const [row] = await connection.query<{ about: string }>(
        `SELECT about FROM ${schema}.files f WHERE run = $1 AND file = $2 AND (made > ${schema}.now_ahead($3)
         OR EXISTS (SELECT FROM ${schema}.runs r WHERE r.run = f.run))`,
        [run, file, ahead() - STRAY_MS],
      );
      if (!row) return undefined;
      const { mediaType, name, size } = JSON.parse(row.about) as { mediaType: string; name?: string; size: number };
      return { mediaType, name, size, bytes: read(run, file, size, Math.max(0, start), Math.max(0, end)) };
    },

    async discard(run, gone) {
      await connection.query(
        `WITH gone AS (DELETE FROM ${schema}.files WHERE run = $1 AND file = ANY($2))
         DELETE FROM ${schema}.file_chunks WHERE run = $1 AND file = ANY($2)`,
        [run, gone],
      );
    },
  };
  return {
    ...files,
    /** Removes files whose run never started. */
    sweep: () =>
      connection.query(
        `WITH gone AS (DELETE FROM ${schema}.files f WHERE made < ${schema}.now_ahead($1)
           AND NOT EXISTS (SELECT FROM ${schema}.runs r WHERE r.run = f.run) RETURNING run, file)
         DELETE FROM ${schema}.file_chunks c USING gone WHERE c.run = gone.run AND c.file = gone.file`,
        [ahead() - 2 * STRAY_MS],
      ),
  };
};
