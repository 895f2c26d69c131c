import type { PostgresConnection } from "./connection.ts";

/** The first chunks of a run after a given entry. */
export interface Page {
  /** Undefined if the run does not exist. */
  readonly seq: number | undefined;
  readonly dropped: boolean;
  readonly chunks: readonly { readonly last: number; readonly body: string }[];
}

interface Wanted {
  readonly run: string;
  readonly after: number;
  readonly most: number;
  readonly done: PromiseWithResolvers<Page>;
}

interface Row {
  readonly place: string;
  readonly seq: string | null;
  readonly dropped: boolean | null;
  readonly last: string | null;
  readonly body: string | null;
}

const BATCH = 200;
/** The number of concurrent statements, so a long one does not delay all others. */
const AT_ONCE = 3;

/** Batches reads of many runs, because a process that follows another process's runs is woken for many of them together. */
export const createReads = (connection: PostgresConnection, schema: string) => {
  let waiting: Wanted[] = [];
  let working = 0;

  const send = async (batch: readonly Wanted[]): Promise<void> => {
    const rows = await connection.query<Row>(
      `SELECT w.place, r.seq, r.dropped, e.last, e.body
       FROM unnest($1::text[], $2::bigint[], $3::int[]) WITH ORDINALITY AS w(run, after, most, place)
       LEFT JOIN ${schema}.runs r ON r.run = w.run
       LEFT JOIN LATERAL (
         SELECT * FROM ${schema}.entries WHERE run = r.number AND last > w.after ORDER BY last LIMIT w.most
       ) e ON true ORDER BY w.place, e.last`,
      [batch.map(({ run }) => run), batch.map(({ after }) => after), batch.map(({ most }) => most)],
    );
    const found = Map.groupBy(rows, ({ place }) => Number(place));
    for (const [index, { done }] of batch.entries()) done.resolve(pageOf(found.get(index + 1) ?? []));
  };

  const work = async (): Promise<void> => {
    // Collect all reads of this turn.
    await Promise.resolve();
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH);
      waiting = waiting.slice(BATCH);
      await send(batch).catch((error: unknown) => batch.forEach(({ done }) => done.reject(error)));
    }
    working--;
  };

  return (run: string, after: number, most: number): Promise<Page> => {
    const done = Promise.withResolvers<Page>();
    waiting.push({ run, after, most, done });
    if (working < AT_ONCE) {
      working++;
      void work();
    }
    return done.promise;
  };
};

const pageOf = (rows: readonly Row[]): Page => {
  const seq = rows[0]?.seq;
  return {
    seq: seq == null ? undefined : Number(seq),
    dropped: rows[0]?.dropped === true,
    chunks: rows.flatMap(({ last, body }) => (last === null || body === null ? [] : [{ last: Number(last), body }])),
  };
};
