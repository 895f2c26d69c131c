import type { Entry } from "../../events.ts";
import { extendRun, type Ownership, type RunInfo } from "../../log.ts";
import type { Controls } from "./controls.ts";
import { type Database, explain, UnusableLog } from "./database.ts";
import type { Runs } from "./runs.ts";
import type { Segments } from "./segments.ts";
import { type Chunk, chunksOf, clearTail, emptyTail, extendTail, type Tail } from "./tail.ts";

export interface JournalParts {
  readonly database: Database;
  readonly runs: Runs;
  readonly segments: Segments;
  readonly controls: Controls;
  readonly wake: (run: string) => void;
}

/**
 * Collects all appends of one turn of the event loop and stores them in one transaction, as rows appended to a single
 * table. An index over runs would dirty a page per run in each transaction. Instead, entries move to their runs'
 * segments later, many at a time and a few runs per turn, and the journal is truncated behind them.
 */
export const openJournal = ({ database, runs, segments, controls, wake }: JournalParts) => {
  const { sql, transaction } = database;
  const insert = sql.prepare("INSERT INTO journal (body) VALUES (?)");
  const cut = sql.prepare("DELETE FROM journal WHERE id <= ?");
  const tails = new Map<string, Tail>();
  let batch: Batch | undefined;
  let spill: Spill | undefined;
  let lastId = 0;
  let bytes = 0;
  let closed = false;

  const open = (): Batch => {
    if (closed) throw new Error("the log is closed");
    if (batch) return batch;
    setImmediate(commit);
    return (batch = emptyBatch());
  };

  const commit = () => {
    const current = batch;
    if (!current) return;
    batch = undefined;
    let id = lastId;
    let spilled: readonly Tail[];
    try {
      spilled = transaction(() => {
        for (const append of current.appends) storeRun(append);
        for (const row of current.rows) id = Number(insert.run(row).lastInsertRowid);
        for (const work of current.works) work();
        return spill ? writeSegments(spill, Math.max(SPILL_BYTES, 2 * current.bytes)) : [];
      });
    } catch (error) {
      for (const { run, tail } of current.appends) {
        tail.promised = tail.info;
        if (!tail.info) tails.delete(run);
      }
      current.reject(explain(error, database.directory));
      return;
    }
    lastId = id;
    bytes += current.bytes;
    if (spill) finishSpill(spill, spilled);
    for (const { tail, chunk, after } of current.appends) {
      if (chunk) extendTail(tail, chunk);
      tail.info = after;
    }
    if (!spill && bytes > JOURNAL_BYTES) spill = startSpill();
    current.resolve();
    for (const { run } of current.appends) wake(run);
    if (spill && !closed) open();
  };

  const storeRun = ({ tail, before, after }: Append) => {
    if (!before) return runs.insert(tail.number, after);
    if (before.epoch !== after.epoch) runs.own(tail.number, after);
    if (before.endedAt === after.endedAt) return;
    runs.end(tail.number, after);
    controls.remove(tail.number);
  };

  const startSpill = (): Spill => ({
    upTo: lastId,
    bytes,
    tails: [...tails.values()].filter(({ entries }) => entries.length > 0),
    next: 0,
  });

  const writeSegments = (current: Spill, most: number): readonly Tail[] => {
    const written: Tail[] = [];
    for (let size = 0; size < most && current.next + written.length < current.tails.length;) {
      const tail = current.tails[current.next + written.length]!;
      written.push(tail);
      if (tail.entries.length === 0) continue;
      size += segments.write(tail);
      runs.setSeq(tail.number, tail.info!.seq);
    }
    if (current.next + written.length === current.tails.length) cut.run(current.upTo);
    return written;
  };

  const finishSpill = (current: Spill, written: readonly Tail[]) => {
    current.next += written.length;
    for (const tail of written) {
      clearTail(tail);
      const { info, promised } = tail;
      // A finished run leaves memory. `promised` differs if the same turn appends to it again.
      if (info && info === promised && info.endedAt !== undefined) tails.delete(info.run);
    }
    if (current.next < current.tails.length) return;
    bytes -= current.bytes;
    spill = undefined;
  };

  /** Moves all entries to segments in one transaction. */
  const spillAll = () => {
    spill = startSpill();
    finishSpill(
      spill,
      transaction(() => writeSegments(spill!, Infinity)),
    );
  };

  /** The run's tail in memory, or a new one, with number 0 for a new run. */
  const tailOf = (run: string): Tail => {
    const tail = tails.get(run);
    if (tail) return tail;
    const known = runs.find(run);
    return emptyTail(known?.number ?? 0, known?.info);
  };

  replay(database, runs, tails);
  lastId = Number(sql.prepare("SELECT coalesce(max(id), 0) AS id FROM journal").get()!.id);
  spillAll();
  tails.clear();

  return {
    /** The run's newest entries, if they are in memory. */
    tail: (run: string): Tail | undefined => tails.get(run),

    append(run: string, entries: readonly Entry[], as: Ownership | undefined): Promise<void> {
      const current = open();
      if (entries.length === 0) return current.stored;
      let tail = tailOf(run);
      const whole = extendRun(run, tail.promised, entries, as);
      const chunks = chunksOf(entries);
      if (!tails.has(run)) tails.set(run, (tail = tail.number ? tail : emptyTail(runs.nextNumber(), undefined)));
      for (const chunk of chunks) {
        const before = tail.promised;
        const after = chunks.length === 1 ? whole : extendRun(run, before, chunk.entries, as);
        tail.promised = after;
        current.appends.push({ run, tail, chunk, before, after });
        addLine(current, `${tail.number}\t${chunk.text}\n`);
      }
      return current.stored;
    },

    /** Stores a new owner of the run, in order with its appends. Undefined if the run does not exist or `change` declines. */
    async own(run: string, change: (info: RunInfo) => RunInfo | undefined): Promise<RunInfo | undefined> {
      const current = open();
      const tail = tailOf(run);
      const before = tail.promised;
      const after = before && change(before);
      if (!after) return undefined;
      tails.set(run, tail);
      tail.promised = after;
      current.appends.push({ run, tail, chunk: undefined, before, after });
      await current.stored;
      return after;
    },

    /** Runs `work` in this turn's transaction. */
    during(work: () => void): Promise<void> {
      const current = open();
      current.works.push(work);
      return current.stored;
    },

    /** Drops the run's entries from memory. They are deleted when the journal is truncated. */
    forget(run: string): void {
      const tail = tails.get(run);
      if (tail) clearTail(tail);
      tails.delete(run);
    },

    close(): void {
      closed = true;
      commit();
      spillAll();
    },
  };
};

const JOURNAL_BYTES = 4 * 1024 * 1024;
const SPILL_BYTES = 256 * 1024;
const ROW_BYTES = 1024 * 1024;

interface Append {
  readonly run: string;
  readonly tail: Tail;
  /** Undefined if only the owner changes. */
  readonly chunk: Chunk | undefined;
  readonly before: RunInfo | undefined;
  readonly after: RunInfo;
}

interface Batch {
  readonly appends: Append[];
  readonly works: (() => void)[];
  /** Lines of `<run number> TAB <entries>`. */
  readonly rows: string[];
  bytes: number;
  readonly stored: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Moves the journal up to `upTo` into segments. The `tails` before `next` are done. */
interface Spill {
  readonly upTo: number;
  readonly bytes: number;
  readonly tails: readonly Tail[];
  next: number;
}

const emptyBatch = (): Batch => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // A turn that only moves entries has no caller to notify. The next append fails with the same error.
  promise.catch(() => {});
  return { appends: [], works: [], rows: [], bytes: 0, stored: promise, resolve, reject };
};

const addLine = (batch: Batch, line: string) => {
  const last = batch.rows.length - 1;
  if (last >= 0 && batch.rows[last]!.length < ROW_BYTES) batch.rows[last] += line;
  else batch.rows.push(line);
  batch.bytes += line.length;
};

/** Restores to the tails the entries that an earlier process stored only in the journal. */
const replay = ({ sql, directory }: Database, runs: Runs, tails: Map<string, Tail>) => {
  const damaged = (id: unknown, cause?: unknown) =>
    new UnusableLog(`the log in ${directory} is damaged: row ${id} of its journal cannot be read`, { cause });
  const numbers = new Map<number, Tail | undefined>();
  const tailOf = (number: number) => {
    const found = runs.findNumber(number);
    if (!found || found.info.dropped) return undefined;
    const tail = emptyTail(number, found.info);
    tails.set(found.info.run, tail);
    return tail;
  };
  for (const { id, body } of sql.prepare("SELECT id, body FROM journal ORDER BY id").iterate()) {
    for (const line of (body as string).split("\n").slice(0, -1)) {
      const [number, text] = cutAtTab(line);
      if (!numbers.has(number)) numbers.set(number, tailOf(number));
      const tail = numbers.get(number);
      if (!tail?.info) continue;
      let entries: Entry[];
      try {
        entries = JSON.parse(`[${text}]`);
      } catch (error) {
        throw damaged(id, error);
      }
      const first = entries[0]?.seq ?? 0;
      if (first <= tail.info.seq) continue;
      if (first !== tail.info.seq + 1) throw damaged(id);
      extendTail(tail, { entries, text });
      tail.info = tail.promised = { ...tail.info, seq: tail.info.seq + entries.length };
    }
  }
};

const cutAtTab = (line: string): [number, string] => {
  const tab = line.indexOf("\t");
  return [Number(line.slice(0, tab)), line.slice(tab + 1)];
};
