import type { RunOutcome } from "../../events.ts";
import type { RunInfo, RunQuery } from "../../log.ts";
import type { Database } from "./database.ts";

/** A run as stored in the database. `info.seq` counts only the entries in segments. */
export interface StoredRun {
  readonly number: number;
  readonly info: RunInfo;
}

/** The table of runs, with tombstones of dropped ones. */
export const openRuns = ({ sql }: Database) => {
  const byRun = sql.prepare("SELECT * FROM runs WHERE run = ?");
  const byNumber = sql.prepare("SELECT * FROM runs WHERE number = ?");
  const insert = sql.prepare(
    `INSERT INTO runs (number, run, thread, user, name, agent, seq, startedAt, endedAt, outcome, owner, epoch)
     VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?)`,
  );
  const setEnd = sql.prepare("UPDATE runs SET endedAt = ?, outcome = ? WHERE number = ?");
  const setOwner = sql.prepare("UPDATE runs SET owner = ?, epoch = ? WHERE number = ?");
  const setSeq = sql.prepare("UPDATE runs SET seq = ? WHERE number = ?");
  const setDropped = sql.prepare(
    "UPDATE runs SET dropped = 1 + (SELECT coalesce(max(dropped), 0) FROM runs WHERE dropped IS NOT NULL) WHERE number = ?",
  );
  const forgetOldest = sql.prepare(
    `DELETE FROM runs WHERE dropped <= (SELECT max(dropped) FROM runs WHERE dropped IS NOT NULL) - ${MAX_TOMBSTONES}`,
  );
  const open = sql.prepare("SELECT * FROM runs WHERE endedAt IS NULL");
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

    insert(number: number, { run, thread, user, name, agent, startedAt, endedAt, outcome, owner, epoch }: RunInfo) {
      const who = [run, thread ?? null, user ?? null, name, agent] as const;
      insert.run(number, ...who, startedAt, endedAt ?? null, outcome ?? null, owner ?? null, epoch);
    },
    own(number: number, { owner, epoch }: RunInfo) {
      setOwner.run(owner ?? null, epoch, number);
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

    list({ limit, before, open, thread, user, agent }: RunQuery): RunInfo[] {
      const edge = before === undefined ? Number.MAX_SAFE_INTEGER : (one(byRun.get(before))?.number ?? 0);
      const fields = Object.entries({ thread, user, agent }).filter(([, value]) => value !== undefined);
      const where = ["dropped IS NULL", "number < ?", ...fields.map(([field]) => `${field} = ?`)];
      if (open) where.push("endedAt IS NULL");
      const statement = sql.prepare(`SELECT * FROM runs WHERE ${where.join(" AND ")} ORDER BY number DESC LIMIT ?`);
      const rows = statement.all(edge, ...fields.map(([, value]) => value!), limit);
      return rows.map((row) => stored(row as unknown as Row).info);
    },
    *open(): Iterable<RunInfo> {
      for (const row of open.iterate()) yield stored(row as unknown as Row).info;
    },

    /** How many finished runs must be dropped for the rest to fit. */
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
  readonly user: string | null;
  readonly name: string;
  readonly agent: string;
  readonly seq: number;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly outcome: RunOutcome | null;
  readonly dropped: number | null;
  readonly owner: string | null;
  readonly epoch: number;
}

const stored = (row: Row): StoredRun => {
  const { number, run, name, agent, seq, startedAt, epoch } = row;
  const info: RunInfo = {
    run,
    thread: row.thread ?? undefined,
    user: row.user ?? undefined,
    name,
    agent,
    seq,
    startedAt,
    endedAt: row.endedAt ?? undefined,
    outcome: row.outcome ?? undefined,
    owner: row.owner ?? undefined,
    epoch,
  };
  return { number, info: row.dropped === null ? info : { ...info, dropped: true } };
};
