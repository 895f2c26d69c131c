import { setTimeout as delay } from "node:timers/promises";
import type { Entry, RunOutcome } from "../../events.ts";
import {
  checkAppend,
  chunksOf,
  extendRun,
  LogConflict,
  LogFenced,
  LogMissing,
  type Marks,
  type Ownership,
  type Tails,
} from "../../log.ts";
import { type PostgresConnection, Unreachable } from "./connection.ts";

interface Parts {
  readonly connection: PostgresConnection;
  readonly schema: string;
  readonly channel: string;
  readonly message: (runs: readonly string[]) => string;
  readonly marks: Marks;
  readonly tails: Tails;
  readonly wake: (run: string) => void;
}

interface Append {
  readonly run: string;
  readonly first: number;
  readonly last: number;
  readonly entries: readonly Entry[];
  readonly chunks: ReturnType<typeof chunksOf>;
  readonly end: Entry | undefined;
  readonly as: Ownership | undefined;
  readonly term: number;
  readonly done: PromiseWithResolvers<void>;
}

interface Result {
  readonly status: "stored" | "dropped" | "fenced" | "conflict";
  readonly seq?: number;
  readonly owner?: string | null;
  readonly epoch?: number;
}

/** Far more than one turn should produce. A batch is one statement and one commit. */
const BATCH_APPENDS = 500;
/**
 * After a batch of this many, the next one collects appends for a moment, because a statement and its notification cost
 * as much as many of them.
 */
const BUSY_APPENDS = 10;
const COLLECT_MS = 2;

/** Sends one batch at a time. Appends that arrive in the meantime, for any run, go into the next one. */
export const createAppends = ({ connection, schema, channel, message, marks, tails, wake }: Parts) => {
  let waiting: Append[] = [];
  let working: Promise<void> | undefined;

  /** Sends appends of any kind. Each is checked separately. */
  const sendEach = async (batch: readonly Append[], wasSent = false): Promise<Result[]> => {
    const [row] = await connection.query<{ results: Result[] }>(
      `SELECT ${schema}.append($1) AS results, pg_notify($2, $3)`,
      (isRetry) => {
        const items = batch.map((append) => ({ ...itemOf(append), isRetry: wasSent || isRetry }));
        return [JSON.stringify(items), channel, message(runsOf(batch))];
      },
    );
    return row!.results;
  };

  /** Sends appends that continue existing runs, which are nearly all of them, in one much cheaper statement. */
  const sendTogether = async (batch: readonly Append[]): Promise<Result[]> => {
    let wasSent = false;
    const [row] = await connection.query<{ places: string[] }>(
      `SELECT ${schema}.extend(string_to_array($1, ','), string_to_array($2, ',')::bigint[], string_to_array($3, ',')::bigint[],
         $4, string_to_array($5, ',')::bigint[], string_to_array($6, E'\\n'), $7, $8) AS places, pg_notify($9, $10)`,
      (isRetry) => {
        wasSent = isRetry;
        return [...columnsOf(batch), channel, message(runsOf(batch))];
      },
    );
    const stored = new Set(row!.places.map(Number));
    const left = batch.filter((_, index) => !stored.has(index + 1));
    const others = left.length > 0 ? await sendEach(left, wasSent) : [];
    let place = 0;
    return batch.map((_, index) => (stored.has(index + 1) ? { status: "stored" } : others[place++]!));
  };

  const settle = (
    { run, first, last, entries, end, as, term, done }: Append,
    { status, seq = 0, owner, epoch = 0 }: Result,
  ) => {
    if (status === "stored") {
      marks.set(run, last);
      if (as && !end) tails.extend(run, entries, as, term);
      else tails.forget(run);
      wake(run);
      return done.resolve();
    }
    tails.forget(run);
    if (status === "dropped") return done.reject(new LogMissing(run, true));
    if (status === "fenced") return done.reject(new LogFenced(run, as, { ...(owner != null && { owner }), epoch }));
    try {
      marks.check(run, first - 1, seq);
      done.reject(new LogConflict(run, first - 1, seq));
    } catch (error) {
      done.reject(error);
    }
  };

  /**
   * If the engine rejects a whole batch, it contains something that cannot be stored. Then retry each append separately.
   * Those that extended their runs before the rejection are stored.
   */
  const store = async (batch: readonly Append[], send: typeof sendTogether): Promise<void> => {
    if (batch.length === 0) return;
    try {
      const results = await send(batch);
      for (const [place, append] of batch.entries()) settle(append, results[place]!);
    } catch (error) {
      if (error instanceof Unreachable) throw error;
      if (batch.length === 1) return batch[0]!.done.reject(error);
      for (const append of batch) await store([append], (one) => sendEach(one, true));
    }
  };

  const work = async () => {
    // Collect all appends of this turn.
    await Promise.resolve();
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH_APPENDS);
      waiting = waiting.slice(BATCH_APPENDS);
      const { together = [], each = [] } = waysOf(batch.sort(inLockOrder));
      try {
        // Run these sequentially: a statement that locks rows in two orders could deadlock with another process.
        await store(each, sendEach);
        await store(together, sendTogether);
      } catch (error) {
        // The others have waited for the server just as long, so they fail, too.
        for (const { done } of [...batch, ...waiting.splice(0)]) done.reject(error);
      }
      if (batch.length >= BUSY_APPENDS && waiting.length < BATCH_APPENDS) await delay(COLLECT_MS);
    }
    working = undefined;
  };

  return {
    async append(run: string, entries: readonly Entry[], as: Ownership | undefined): Promise<void> {
      if (entries.length === 0) return;
      checkAppend(run, entries, as);
      const done = Promise.withResolvers<void>();
      const chunks = chunksOf(
        entries[0]!.seq,
        entries.map((entry) => JSON.stringify(entry)),
      );
      const end = entries.findLast(({ event }) => event.type === "run-end");
      const [first, last] = [entries[0]!.seq, entries.at(-1)!.seq];
      waiting.push({ run, first, last, entries, chunks, end, as, term: tails.termOf(as), done });
      working ??= work();
      await done.promise;
    },
    /** Resolves when nothing is in progress. */
    async idle(): Promise<void> {
      while (working) await working;
    },
  };
};

/**
 * Orders by run, so the batches of two processes lock rows in the same order. Appends of one run keep their order.
 * Starts come first in their order of arrival, because lists show runs in that order and there is no row to lock yet.
 */
const inLockOrder = (one: Append, other: Append): number => {
  if (one.first === 1 || other.first === 1) return Number(other.first === 1) - Number(one.first === 1);
  return one.run < other.run ? -1 : one.run > other.run ? 1 : 0;
};

const runsOf = (batch: readonly Append[]): string[] => [...new Set(batch.map(({ run }) => run))];

/** Starts, multi-chunk appends and several appends of one run must be sent separately, in order. */
const waysOf = (batch: readonly Append[]): Partial<Record<"together" | "each", Append[]>> => {
  const counts = new Map<string, number>();
  for (const { run } of batch) counts.set(run, (counts.get(run) ?? 0) + 1);
  return Object.groupBy(batch, ({ run, first, chunks }) =>
    first > 1 && chunks.length === 1 && counts.get(run) === 1 ? "together" : "each",
  );
};

/** Mostly joined text, because the library encodes arrays slowly. Ids of runs have no commas, and JSON has no line breaks. */
const columnsOf = (batch: readonly Append[]): unknown[] => [
  batch.map(({ run }) => run).join(),
  batch.map(({ first }) => first).join(),
  batch.map(({ last }) => last).join(),
  batch.map(({ as }) => as?.owner ?? null),
  batch.map(({ as }) => as?.epoch ?? 0).join(),
  batch.map(({ chunks }) => chunks[0]!.text).join("\n"),
  batch.map(({ end }) => end?.at ?? null),
  batch.map(({ end }) => outcomeOf(end) ?? null),
];

const itemOf = ({ run, first, last, entries, chunks, end, as }: Append): object => {
  const begun = first === 1 && (as?.epoch ?? 1) === 1 ? extendRun(run, undefined, entries, as) : undefined;
  return {
    ...{ run, first, last, owner: as?.owner, epoch: as?.epoch },
    ...{
      thread: begun?.thread,
      user: begun?.user,
      name: begun?.name,
      agent: begun?.agent,
      startedAt: begun?.startedAt,
    },
    ...(end && { endedAt: end.at, outcome: outcomeOf(end) }),
    chunks: chunks.map((chunk) => ({ last: chunk.last, body: chunk.text })),
  };
};

const outcomeOf = (end: Entry | undefined): RunOutcome | undefined =>
  end?.event.type === "run-end" ? end.event.outcome : undefined;
