import type { Answer, Entry, FileRef } from "./events.ts";
import type { RunSummary } from "./protocol.ts";
import type { Records } from "./records.ts";

export { type Beliefs, createBeliefs } from "./log/beliefs.ts";
export { chunksOf, entriesOf } from "./log/chunks.ts";
export { controlText, MAX_CONTROLS } from "./log/controls.ts";
export { edges, FILE_THRESHOLD, VALUE_FILE } from "./log/edges.ts";
export { engineAddress } from "./log/engine-address.ts";
export { LogConflict, LogFenced, LogMissing, LogReset } from "./log/errors.ts";
export { createLeases } from "./log/leases.ts";
export { createMarks, type Marks } from "./log/marks.ts";
export { checkAppend, checkRunId, checkText, checkWriter, extendRun, lastSeq } from "./log/run-info.ts";
export { createTails, type Tails } from "./log/tails.ts";
export { watchers, watchersOfAll } from "./log/watchers.ts";

/**
 * Where runs are kept: append-only, ordered, one owner a run. Several processes may share a log; they never talk to each
 * other but through it.
 *
 * What every variant promises:
 * - `append` is atomic: all entries or none. It rejects and writes nothing with `LogFenced` unless `as` is the run's owner
 *   and epoch, with `LogConflict` unless the run's log ends right before `entries[0].seq`, with `LogMissing` if the run was
 *   dropped. Seq and epoch are checked and the entries added in one step of the engine.
 * - `append` resolves when the entries are stored, in the sense of `survives`; only then can anyone read them. It answers
 *   without a promise where they are stored at once. It never throws but rejects.
 * - Entries are never changed. `drop` removes a whole run, never its head; its id stays known as dropped.
 * - Appends of one run are made one after the other by its runner; appends of different runs overlap freely.
 * - No call is fast only for short logs: `append` and `read` cost what they carry, not what came before.
 * - What is known of one run (`append`, `read`, `info`, `takeOver`, `release`, `send`, `controls`) is exact at once for
 *   every process. What spans runs (`list`, `orphans`, `retain`) may lag and is repaired, since an engine with many
 *   shards keeps no index in step with a run: check with `info` or `takeOver` before acting on it.
 *
 * An engine that can lose what it had stored (a failover to a replica that lags) is found out where a process knows better:
 * `append`, and `read` after an entry that is gone, reject with `LogReset`, so that nobody is shown a log with a hole.
 *
 * A variant that sends a call again after a broken connection must not repeat its effect. It can tell its own append from
 * another's by the owner, the epoch and the last seq.
 */
export interface Log extends RunOwnership, RunControl {
  readonly name: string;
  /** What stored entries outlive, in one line for people. */
  readonly survives: string;
  /** Whether another process can go on with a run: false if runs are gone with this one. */
  readonly isLasting: boolean;
  /** What is kept beside runs. */
  readonly records: Records;

  /**
   * The append of seq 1 makes the run, so it decides who starts it: of two processes with the same id, one gets
   * `LogConflict`. Made `as` an owner, the run belongs to it with epoch 1. Made without `as`, the run has no owner and
   * epoch 0, and whoever names no owner writes it until somebody takes it over.
   */
  append(run: string, entries: readonly Entry[], as?: Ownership): void | Promise<void>;
  /**
   * The entries after `after`, in order, as many as are stored but at most `limit` (at least one if there is one). Answers
   * at once, without a promise, where the variant can: most reads are of what was just written. Throws `LogMissing` for a
   * run that is unknown or dropped.
   */
  read(run: string, after: number, limit: number): readonly Entry[] | Promise<readonly Entry[]>;
  /** Calls `wake` after entries of this run were stored. A wake only says "read again", may come for nothing, and never carries data. */
  watch(run: string, wake: () => void): () => void;

  /** What is known of a run; undefined if nothing is. */
  info(run: string): RunInfo | undefined | Promise<RunInfo | undefined>;
  /** Newest start first, without the dropped ones. */
  list(query: RunQuery): Promise<RunInfo[]>;

  /**
   * Keeps bytes beside the run's log, also before its first entry, under an id that no other `put` gets. Fills `head` and
   * `tail` for text. Files of a run that never starts are removed some time after.
   */
  put(run: string, bytes: Uint8Array, file: { mediaType: string; name?: string }): Promise<FileRef>;
  /** The bytes from `start` up to, not including, `end`; undefined if the run has no such file. */
  get(run: string, file: string, range?: { start?: number; end?: number }): Promise<StoredFile | undefined>;
  /** Removes files that no entry tells of: those of a start that was refused, or that another process made first. */
  discard(run: string, files: readonly string[]): Promise<void>;

  /** Rejects if what is stored now would not be kept. A variant without it is asked to store a record. */
  check?(): Promise<void>;
  /**
   * Everything that was acknowledged until now, as files that make up a directory for another log of this kind; what is stored
   * meanwhile may be in it. A variant without it has an engine with tools of its own.
   */
  backup?(): AsyncIterable<BackupFile>;

  /** Removes a finished run with its files. Rejects for a run that has not ended; does nothing for one that is not there. */
  drop(run: string): Promise<void>;
  /** Drops finished runs, oldest end first, until the rest fits. Answers how many went. */
  retain(policy: Retention, now: number): Promise<number>;
  close(): Promise<void>;
}

/**
 * Who may write a run. A process is an owner under an id of its own choice (new at each start) and lives as long as it sends
 * heartbeats. The epoch decides, not the heartbeat: an owner that was late but not replaced goes on, and one that was
 * replaced can write nothing, however alive it is. Time is the engine's.
 */
export interface RunOwnership {
  /**
   * The owner lives for `leaseMs` from now; 0: it leaves, and its runs are orphans at once. True if it was alive until now.
   * False after a pause: its runs may have been taken over meanwhile.
   */
  heartbeat(owner: string, leaseMs: number): boolean | Promise<boolean>;
  /**
   * Makes `owner` the run's owner with the next epoch and answers where the log ends. Undefined, and nothing changed, if the
   * run has ended, is dropped or unknown, or belongs to another owner who is alive. Of several who try only one gets it.
   * An owner may take over its own run: it has lost the answer of an earlier call.
   *
   * For variants: look at the owner's life first if it lies elsewhere, then exchange the epoch that was seen. An owner that
   * comes back in between has lost the run all the same.
   */
  takeOver(run: string, owner: string): Promise<Takeover | undefined>;
  /** Gives the run up: it has no owner and the next epoch, so that nobody writes it before somebody takes it over. Does nothing if it is another's by now. */
  release(run: string, as: Ownership): Promise<void>;
  /** Runs without an end whose owner is not alive, in any order. A run that is taken over is no orphan, so ask again until there is none. */
  orphans(limit: number): Promise<RunInfo[]>;
}

/**
 * What people want of a run that may be at work in another process. The owner reads it, or its successor does: from the
 * beginning, since what was done about it shows in the run's log (a call that has ended, an ask that has its answer).
 */
export interface RunControl {
  /**
   * Adds to the run's queue, durably, once for each `control.id`: the first stays as it was. `ended`: nothing is queued for
   * a run that is over; `full`: the run has `MAX_CONTROLS` already. Rejects with `LogMissing` for a run that is unknown or dropped.
   */
  send(run: string, control: Control): Promise<"queued" | "ended" | "full">;
  /**
   * What was sent after number `after`, in order, at most `limit`. Numbers of a run count 1, 2, 3 in the order in which they
   * can be read: none appears below one that was read. Empty once the run has ended: its end removes the queue.
   */
  controls(run: string, after: number, limit: number): Promise<readonly QueuedControl[]>;
  /** Calls `wake` after something was sent to a run, or with no run if it may have been any. A wake never carries data. */
  watchControls(wake: (run?: string) => void): () => void;
}

/** As whom a run is written. */
export interface Ownership {
  readonly owner: string;
  readonly epoch: number;
}

export interface Takeover extends Ownership {
  /** The last entry of the log. */
  readonly seq: number;
}

/** Something wanted of a run. `id` makes it idempotent; `by` says who wants it. */
export type Control = { readonly id: string; readonly by?: string } & (
  | { readonly kind: "cancel"; readonly agent?: string; readonly call?: string; readonly reason?: string }
  | { readonly kind: "answer"; readonly ask: string; readonly answer: Answer }
);

export interface QueuedControl {
  readonly number: number;
  readonly control: Control;
}

export interface RunInfo extends RunSummary {
  /** The id of the user who started it. */
  readonly user?: string;
  readonly dropped?: boolean;
  readonly owner?: string;
  /** 0: the run never had an owner. */
  readonly epoch: number;
}

/** Which runs to list: those that have all that is said here. */
export interface RunQuery {
  readonly limit: number;
  /** The id of the run to go on from; the page after one that is unknown is empty. */
  readonly before?: string;
  /** Only runs that have no run-end. */
  readonly open?: boolean;
  readonly thread?: string;
  readonly user?: string;
  readonly agent?: string;
}

export interface StoredFile {
  readonly mediaType: string;
  readonly name?: string;
  readonly size: number;
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface BackupFile {
  /** Relative, with `/` between its parts. */
  readonly name: string;
  readonly size: number;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Limits on finished runs; an absent one does not limit. */
export interface Retention {
  readonly maxAgeMs?: number;
  readonly maxRuns?: number;
}
