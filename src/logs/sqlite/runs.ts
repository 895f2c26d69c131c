import type { RunOutcome } from "../../events.ts";
import type { Log, RunInfo } from "../../log.ts";
import type { Database } from "./database.ts";

/** A run as the database knows it: `info.seq` counts only what segments hold. */
export interface StoredRun {
  readonly number: number;
  readonly info: RunInfo;
}

/** The table of runs and, of dropped ones, their tombstones. */
export const openRuns = ({ sql }: Database) => {
  const byRun = sql.prepare("SELECT * FROM runs WHERE run = ?");
  const byNumber = sql.prepare("SELECT * FROM runs WHERE number = ?");
  const insert = sql.prepare(
    "INSERT INTO runs (number, run, thread, name, seq, startedAt, endedAt, outcome) VALUES (?, ?, ?, ?, 0, ?, ?, ?)",
  );
  const setEnd = sql.prepare("UPDATE runs SET endedAt = ?, outcome = ? WHERE number = ?");
  const setSeq = sql.prepare("UPDATE runs SET seq = ? WHERE number = ?");
  const setDropped = sql.prepare(
    "UPDATE runs SET dropped = 1 + (SELECT coalesce(max(dropped), 0) FROM runs WHERE dropped IS NOT NULL) WHERE number = ?",
  );
  const forgetOldest = sql.prepare(
    `DELETE FROM runs WHERE dropped <= (SELECT max(dropped) FROM runs WHERE dropped IS NOT NULL) - ${MAX_TOMBSTONES}`,
  );
  const finished = "endedAt IS NOT NULL AND dropped IS NULL";
  const countFinished = sql.prepare(`SELECT count(*) AS count FROM runs WHERE ${finished} AND endedAt < ?`);
  const oldestFinished = sql.prepare(`SELECT run FROM runs WHERE ${finished} ORDER BY endedAt, number LIMIT ?`);

  const one = (row: unknown): StoredRun | undefined => (row ? stored(row as Row) : undefined);
  const highest = sql.prepare("SELECT coalesce(max(number), 0) AS number FROM runs").get()!;
  let last = Number(highest.number);

  return {
    nextNumber: () => ++last,
    find: (run: string) => one(byRun.get(run)),
    findNumber: (number: number) => one(byNumber.get(number)),

    insert(number: number, { run, thread, name, startedAt, endedAt, outcome }: RunInfo) {
      insert.run(number, run, thread ?? null, name, startedAt, endedAt ?? null, outcome ?? null);
    },
    end(number: number, { endedAt, outcome }: RunInfo) {
      setEnd.run(endedAt ?? null, outcome ?? null, number);
    },
    setSeq(number: number, seq: number) {
      setSeq.run(seq, number);
    },
    drop(number: number) {
      setDropped.run(number);
      forgetOldest.run();
    },

    list({ limit, before, open, thread }: Parameters<Log["list"]>[0]): RunInfo[] {
      const edge = before === undefined ? Number.MAX_SAFE_INTEGER : (one(byRun.get(before))?.number ?? 0);
      const where = ["dropped IS NULL", "number < ?"];
      if (open) where.push("endedAt IS NULL");
      if (thread !== undefined) where.push("thread = ?");
      const statement = sql.prepare(`SELECT * FROM runs WHERE ${where.join(" AND ")} ORDER BY number DESC LIMIT ?`);
      const rows = statement.all(...(thread === undefined ? [edge, limit] : [edge, thread, limit]));
      return rows.map((row) => stored(row as unknown as Row).info);
    },

    /** How many finished runs must go so that the rest fits. */
    countLeaving(endedBefore: number, maxRuns: number): number {
      const count = (edge: number) => Number(countFinished.get(edge)!.count);
      const old = endedBefore === -Infinity ? 0 : count(endedBefore);
      return maxRuns === Infinity ? old : Math.max(old, count(Number.MAX_SAFE_INTEGER) - maxRuns);
    },
    oldestFinished: (limit: number) => oldestFinished.all(limit).map(({ run }) => run as string),
  };
};

export type Runs = ReturnType<typeof openRuns>;

const MAX_TOMBSTONES = 100_000;

interface Row {
  readonly number: number;
  readonly run: string;
  readonly thread: string | null;
  readonly name: string;
  readonly seq: number;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly outcome: RunOutcome | null;
  readonly dropped: number | null;
}

const stored = ({ number, run, thread, name, seq, startedAt, endedAt, outcome, dropped }: Row): StoredRun => {
  const info = { run, thread: thread ?? undefined, name, seq, startedAt };
  const ended = { endedAt: endedAt ?? undefined, outcome: outcome ?? undefined };
  return { number, info: dropped === null ? { ...info, ...ended } : { ...info, ...ended, dropped: true } };
};
