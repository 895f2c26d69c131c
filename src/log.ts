import type { Entry, FileRef, RunOutcome } from "./events.ts";

/**
 * Where runs are kept: append-only, ordered, one writer a run.
 *
 * What every variant promises:
 * - `append` is atomic: all entries or none. It rejects with `LogConflict`, and writes nothing, unless the run's log ends
 *   right before `entries[0].seq`: a producer that was replaced can write nothing. The first entry of a run has seq 1.
 *   A run that was dropped takes nothing more: `LogMissing`.
 * - `append` resolves when the entries are stored, in the sense of `survives`; only then can anyone read them. It answers
 *   without a promise where they are stored at once. It never throws but rejects.
 * - Entries are never changed. `drop` removes a whole run, never its head; its id stays known as dropped.
 * - Appends of one run are made one after the other by its runner; appends of different runs overlap freely.
 * - No call is fast only for short logs: `append` and `read` cost what they carry, not what came before.
 */
export interface Log {
  readonly name: string;
  /** What stored entries outlive, in one line for people. */
  readonly survives: string;

  append(run: string, entries: readonly Entry[]): void | Promise<void>;
  /**
   * The entries after `after`, in order, as many as are stored but at most `limit` (at least one if there is one). Answers at once, without a promise, where the
   * variant can: most reads are of what was just written. Throws `LogMissing` for a run that is unknown or dropped.
   */
  read(run: string, after: number, limit: number): readonly Entry[] | Promise<readonly Entry[]>;
  /** Calls `wake` after entries of this run were stored. A wake only says "read again", may come for nothing, and never carries data. */
  watch(run: string, wake: () => void): () => void;

  /** What is known of a run; undefined if nothing is. */
  info(run: string): RunInfo | undefined | Promise<RunInfo | undefined>;
  /**
   * Newest start first, without the dropped ones. `before` is a run's id (the page after one that is unknown is empty);
   * `open` asks only for runs that have no run-end.
   */
  list(query: { limit: number; before?: string; open?: boolean; thread?: string }): Promise<RunInfo[]>;

  /** Keeps bytes beside the run's log, also before its first entry. Fills `head` and `tail` for text. */
  put(run: string, bytes: Uint8Array, file: { mediaType: string; name?: string }): Promise<FileRef>;
  /** The bytes from `start` up to, not including, `end`; undefined if the run has no such file. */
  get(run: string, file: string, range?: { start?: number; end?: number }): Promise<StoredFile | undefined>;

  /** Removes a finished run with its files; of a run that never started, the files. Rejects for a run that has not ended. */
  drop(run: string): Promise<void>;
  /** Drops finished runs, oldest end first, until the rest fits. Answers how many went. */
  retain(policy: Retention, now: number): Promise<number>;
  close(): Promise<void>;
}

export interface RunInfo {
  readonly run: string;
  readonly thread?: string;
  readonly name: string;
  readonly seq: number;
  readonly startedAt: number;
  /** Absent while the run has no run-end. */
  readonly endedAt?: number;
  readonly outcome?: RunOutcome;
  readonly dropped?: boolean;
}

export interface StoredFile {
  readonly mediaType: string;
  readonly name?: string;
  readonly size: number;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Limits on finished runs; an absent one does not limit. */
export interface Retention {
  readonly maxAgeMs?: number;
  readonly maxRuns?: number;
}

/** The log does not end where the writer thought: another writer has the run. */
export class LogConflict extends Error {
  constructor(run: string, expected: number, found: number) {
    super(`run ${run}: expected the log to end at ${expected}, but it ends at ${found}`);
    this.name = "LogConflict";
  }
}

export class LogMissing extends Error {
  readonly dropped: boolean;
  constructor(run: string, dropped: boolean) {
    super(dropped ? `run ${run} was dropped by retention` : `there is no run ${run}`);
    this.name = "LogMissing";
    this.dropped = dropped;
  }
}

/** The ids a run may have: each is also a safe name of a folder. */
const RUN_ID = /^[A-Za-z0-9_-]{1,64}$/;

export const checkRunId = (run: string): void => {
  if (!RUN_ID.test(run))
    throw new TypeError(`not a run id: ${JSON.stringify(run)}; use 1 to 64 letters, digits, - or _`);
};

/** A database binds no other value: said here, it is told to the one who gave it and to nobody whose write goes along. */
export const checkText = (field: string, value: unknown): void => {
  if (value !== undefined && typeof value !== "string") throw new TypeError(`the ${field} must be a string`);
};

/** What is known of a run once `entries` (at least one) are stored after what `info` tells. Throws what `append` rejects with. */
export const extendRun = (run: string, info: RunInfo | undefined, entries: readonly Entry[]): RunInfo => {
  if (info?.dropped) throw new LogMissing(run, true);
  const first = entries[0]!;
  const seq = lastSeq(run, info ? info.seq : 0, entries);
  if (!info) checkRunId(run);
  const end = entries.findLast(({ event }) => event.type === "run-end");
  const outcome = end?.event.type === "run-end" ? end.event.outcome : info?.outcome;
  const endedAt = end?.at ?? info?.endedAt;
  checkText("outcome", outcome);
  if (info) return { ...info, seq, endedAt, outcome };
  const start = first.event.type === "run-start" ? first.event : undefined;
  checkText("name", start?.name);
  checkText("thread", start?.thread);
  return { run, thread: start?.thread, name: start?.name ?? "", seq, startedAt: first.at, endedAt, outcome };
};

/** The seq that a log which ends at `seq` ends at after `entries`. Throws if they do not continue it. */
export const lastSeq = (run: string, seq: number, entries: readonly Entry[]): number => {
  if (entries[0]!.seq !== seq + 1) throw new LogConflict(run, entries[0]!.seq - 1, seq);
  let last = seq;
  for (const entry of entries) {
    if (entry.seq !== last + 1) throw new TypeError(`run ${run}: entry ${entry.seq} follows entry ${last}`);
    last = entry.seq;
  }
  return last;
};

/** Who waits for which run. Waking costs nothing for a run that nobody watches. */
export const watchers = () => {
  interface Watcher {
    readonly wake: () => void;
    watching: boolean;
  }
  const watched = new Map<string, Set<Watcher>>();
  const call = (watcher: Watcher) => {
    try {
      if (watcher.watching) watcher.wake();
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : String(error), { detail: "thrown by a watcher of a log" });
    }
  };

  return {
    watch(run: string, wake: () => void): () => void {
      const watcher = { wake, watching: true };
      const set = watched.get(run) ?? new Set();
      watched.set(run, set.add(watcher));
      return () => {
        if (!watcher.watching) return;
        watcher.watching = false;
        set.delete(watcher);
        if (set.size === 0 && watched.get(run) === set) watched.delete(run);
      };
    },
    wake(run: string): void {
      const set = watched.get(run);
      if (!set) return;
      // A copy: a watcher may stop watching and watch again from within its wake.
      if (set.size > 1) [...set].forEach(call);
      else for (const watcher of set) return call(watcher);
    },
  };
};

/** Text of this size or more lies beside the log as a file. */
export const FILE_THRESHOLD = 64 * 1024;
const EDGE = 4 * 1024;

/** The `head` and `tail` of a text file, cut between characters. */
export const edges = (bytes: Uint8Array, mediaType: string): { head?: string; tail?: string } => {
  if (!/^text\/|json|xml|javascript|yaml/.test(mediaType)) return {};
  const decoder = new TextDecoder();
  if (bytes.length <= EDGE) return { head: decoder.decode(bytes) };
  let headEnd = EDGE;
  while (isContinuation(bytes[headEnd])) headEnd--;
  let tailStart = Math.max(headEnd, bytes.length - EDGE);
  while (isContinuation(bytes[tailStart])) tailStart++;
  return { head: decoder.decode(bytes.subarray(0, headEnd)), tail: decoder.decode(bytes.subarray(tailStart)) };
};

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;
