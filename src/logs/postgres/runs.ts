import type { RunOutcome } from "../../events.ts";
import { entriesOf, LogMissing, type Marks, type RunInfo, type RunQuery } from "../../log.ts";
import type { PostgresConnection } from "./connection.ts";
import { createReads } from "./reads.ts";

interface Row {
  readonly run: string;
  readonly thread: string | null;
  readonly user: string | null;
  readonly name: string;
  readonly agent: string;
  readonly seq: string;
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly outcome: RunOutcome | null;
  readonly dropped: boolean;
  readonly owner: string | null;
  readonly epoch: string;
}

/** Chunks per statement. The first page, which is enough for live viewers, is batched with other reads. */
const FIRST_CHUNKS = 16;
const PAGE_CHUNKS = 256;

export const openRuns = (connection: PostgresConnection, schema: string, marks: Marks, ahead: () => number) => {
  const pageAfter = createReads(connection, schema);
  const query = async (where: string, values: readonly unknown[]) =>
    (await connection.query<Row>(`SELECT r.* FROM ${schema}.runs r WHERE ${where}`, values)).map(infoOf);
  const info = async (run: string): Promise<RunInfo | undefined> =>
    run.includes("\0") ? undefined : (await query("run = $1", [run]))[0];

  const drop = async (run: string): Promise<boolean> => {
    const [row] = await connection.query<{ result: string }>(`SELECT ${schema}.drop_run($1) AS result`, [run]);
    if (row!.result === "open") throw new Error(`run ${run} has not ended: only finished runs can be deleted`);
    return row!.result === "gone";
  };

  return {
    info,
    drop,

    async read(run: string, after: number, limit: number) {
      const chunks: string[] = [];
      let most = FIRST_CHUNKS;
      for (let place = after; ; most = PAGE_CHUNKS) {
        const page = await pageAfter(run.replaceAll("\0", "/"), place, Math.min(limit, most));
        if (page.seq === undefined || page.dropped) throw new LogMissing(run, page.dropped);
        marks.check(run, after, page.seq);
        for (const { body } of page.chunks) chunks.push(body);
        place = page.chunks.at(-1)?.last ?? place;
        if (page.chunks.length === 0 || place >= page.seq || place - after >= limit) break;
      }
      const entries = entriesOf(chunks, after, limit);
      if (entries.length > 0) marks.set(run, entries.at(-1)!.seq);
      return entries;
    },

    async list({ limit, before, open, thread, user, agent }: RunQuery): Promise<RunInfo[]> {
      const values: unknown[] = [limit];
      const given = (value: unknown) => `$${values.push(value)}`;
      const where = ["NOT dropped"];
      if (before !== undefined) where.push(`number < (SELECT number FROM ${schema}.runs WHERE run = ${given(before)})`);
      if (open) where.push("ended_at IS NULL");
      if (thread !== undefined) where.push(`thread = ${given(thread)}`);
      if (user !== undefined) where.push(`"user" = ${given(user)}`);
      if (agent !== undefined) where.push(`agent = ${given(agent)}`);
      return await query(`${where.join(" AND ")} ORDER BY number DESC LIMIT $1`, values);
    },

    orphans: (limit: number) =>
      query(
        `ended_at IS NULL AND NOT EXISTS (SELECT FROM ${schema}.owners o
         WHERE o.owner = r.owner AND o.until > ${schema}.now_ahead($2)) LIMIT $1`,
        [limit, ahead()],
      ),

    async retain(endedBefore: number, maxRuns: number): Promise<number> {
      const finished = "ended_at IS NOT NULL AND NOT dropped";
      for (let gone = 0; ;) {
        // Skip rows that another process is dropping.
        const leaving = await connection.query<{ run: string }>(
          `SELECT run FROM ${schema}.runs WHERE ${finished} ORDER BY ended_at, number
           LIMIT least(100, greatest(
             (SELECT count(*) FROM ${schema}.runs WHERE ${finished} AND ended_at < $1),
             (SELECT count(*) FROM ${schema}.runs WHERE ${finished}) - $2::float8)::bigint)
           FOR UPDATE SKIP LOCKED`,
          [endedBefore, maxRuns === Infinity ? Number.MAX_SAFE_INTEGER : maxRuns],
        );
        if (leaving.length === 0) return gone;
        for (const { run } of leaving) if (await drop(run)) gone++;
      }
    },
  };
};

const infoOf = (row: Row): RunInfo => ({
  run: row.run,
  thread: row.thread ?? undefined,
  user: row.user ?? undefined,
  name: row.name,
  agent: row.agent,
  seq: Number(row.seq),
  startedAt: row.started_at,
  endedAt: row.ended_at ?? undefined,
  outcome: row.outcome ?? undefined,
  ...(row.dropped && { dropped: true }),
  owner: row.owner ?? undefined,
  epoch: Number(row.epoch),
});
