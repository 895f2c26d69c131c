import type { Entry } from "../../events.ts";
import {
  checkAppend,
  chunksOf,
  extendRun,
  LogConflict,
  LogFenced,
  LogMissing,
  type Marks,
  type Ownership,
} from "../../log.ts";
import type { PostgresConnection } from "./connection.ts";

interface Parts {
  readonly connection: PostgresConnection;
  readonly schema: string;
  readonly channel: string;
  readonly message: (runs: readonly string[]) => string;
  readonly marks: Marks;
  readonly wake: (run: string) => void;
}

interface Append {
  readonly run: string;
  readonly first: number;
  readonly last: number;
  readonly as: Ownership | undefined;
  /** What the engine is sent, without whether it was sent before. */
  readonly item: object;
  readonly done: PromiseWithResolvers<void>;
}

interface Result {
  readonly status: "stored" | "dropped" | "fenced" | "conflict";
  readonly seq?: number;
  readonly owner?: string | null;
  readonly epoch?: number;
}

/** Larger than any one append should be; a batch is one statement, and one commit. */
const BATCH_APPENDS = 500;

/** One batch is under way; what arrives meanwhile, of all runs, goes with the next. */
export const createAppends = ({ connection, schema, channel, message, marks, wake }: Parts) => {
  let waiting: Append[] = [];
  let working: Promise<void> | undefined;

  const send = async (batch: readonly Append[]): Promise<Result[]> => {
    const runs = [...new Set(batch.map(({ run }) => run))];
    const [row] = await connection.query<{ results: Result[] }>(
      `SELECT ${schema}.append($1) AS results, pg_notify($2, $3)`,
      (isRetry) => [JSON.stringify(batch.map(({ item }) => ({ ...item, isRetry }))), channel, message(runs)],
    );
    return row!.results;
  };

  const settle = ({ run, first, last, as, done }: Append, { status, seq = 0, owner, epoch = 0 }: Result) => {
    if (status === "stored") {
      marks.set(run, last);
      wake(run);
      return done.resolve();
    }
    if (status === "dropped") return done.reject(new LogMissing(run, true));
    if (status === "fenced") return done.reject(new LogFenced(run, as, { ...(owner != null && { owner }), epoch }));
    try {
      marks.check(run, first - 1, seq);
      done.reject(new LogConflict(run, first - 1, seq));
    } catch (error) {
      done.reject(error);
    }
  };

  /** A batch that the engine refuses as a whole holds something it cannot store: then each goes alone, and fails alone. */
  const store = async (batch: readonly Append[]): Promise<void> => {
    try {
      const results = await send(batch);
      for (const [place, append] of batch.entries()) settle(append, results[place]!);
    } catch (error) {
      if (batch.length === 1) return batch[0]!.done.reject(error);
      for (const append of batch) await store([append]);
    }
  };

  const work = async () => {
    // What is appended in this turn goes together.
    await Promise.resolve();
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH_APPENDS);
      waiting = waiting.slice(BATCH_APPENDS);
      await store(batch.sort(inLockOrder));
    }
    working = undefined;
  };

  return {
    async append(run: string, entries: readonly Entry[], as: Ownership | undefined): Promise<void> {
      if (entries.length === 0) return;
      checkAppend(run, entries, as);
      const done = Promise.withResolvers<void>();
      const [first, last] = [entries[0]!.seq, entries.at(-1)!.seq];
      waiting.push({ run, first, last, as, item: itemOf(run, entries, as), done });
      working ??= work();
      await done.promise;
    },
    /** Resolves when nothing is under way. */
    async idle(): Promise<void> {
      while (working) await working;
    },
  };
};

/**
 * By run, so that the batches of two processes lock rows in the same order; of one run as they came. Starts go first, as
 * they came, since lists show runs in that order; there is no row to lock yet.
 */
const inLockOrder = (one: Append, other: Append): number => {
  if (one.first === 1 || other.first === 1) return Number(other.first === 1) - Number(one.first === 1);
  return one.run < other.run ? -1 : one.run > other.run ? 1 : 0;
};

const itemOf = (run: string, entries: readonly Entry[], as: Ownership | undefined): object => {
  const first = entries[0]!.seq;
  const begun = first === 1 && (as?.epoch ?? 1) === 1 ? extendRun(run, undefined, entries, as) : undefined;
  const end = entries.findLast(({ event }) => event.type === "run-end");
  const texts = entries.map((entry) => JSON.stringify(entry));
  return {
    ...{ run, first, last: entries.at(-1)!.seq, owner: as?.owner, epoch: as?.epoch },
    ...{
      thread: begun?.thread,
      user: begun?.user,
      name: begun?.name,
      agent: begun?.agent,
      startedAt: begun?.startedAt,
    },
    ...(end?.event.type === "run-end" && { endedAt: end.at, outcome: end.event.outcome }),
    chunks: chunksOf(first, texts).map(({ last, text }) => ({ last, body: text })),
  };
};
