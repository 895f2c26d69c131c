import type { Entry, FileRef } from "./events.ts";
import type { Given, RunSummary } from "./protocol.ts";
import type { Records } from "./records.ts";

export type { Given };
export { type KnownLeases, createKnownLeases } from "./log/known-leases.ts";
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
 * Stores runs: append-only, ordered, with one owner per run. Several processes may share a log. They communicate only through it.
 *
 * Every variant guarantees:
 * - `append` is atomic: it stores all entries or none. It rejects with `LogFenced` unless `as` is the run's owner and
 *   epoch, with `LogConflict` unless the run's log ends right before `entries[0].seq`, and with `LogMissing` if the run
 *   was dropped. The engine checks seq and epoch and adds the entries in one step.
 * - `append` resolves when the entries are stored as described by `survives`. Only then can they be read. It returns no
 *   promise if they are stored synchronously. It never throws, but rejects.
 * - Entries never change. `drop` removes a whole run, never its head, and its id stays known as dropped.
 * - A run's runner appends to it sequentially. Appends to different runs may overlap.
 * - Costs do not grow with the log: `append` and `read` cost as much as the entries they carry.
 * - Calls about one run (`append`, `read`, `info`, `takeOver`, `release`, `send`, `controls`) are immediately consistent
 *   for every process. Calls across runs (`list`, `orphans`, `retain`) may lag and are repaired, because an engine with
 *   many shards cannot update an index together with a run. Check with `info` or `takeOver` before acting on their results.
 *
 * If an engine loses stored entries (a failover to a lagging replica), processes that know better detect it while the
 * log is shorter than what they know: `append`, and `read` after a lost entry, reject with `LogReset`. Once a new owner
 * has written past that entry, only its time shows that it was replaced. The server compares it when a native client
 * reconnects. A process that reads nothing in between does not notice, and its viewers get entries of both logs.
 *
 * A variant that resends a call after a broken connection must not repeat its effect. The owner, the epoch and the last
 * seq identify its own append.
 */
export interface Log extends RunOwnership, RunControl {
  readonly name: string;
  /** What stored entries survive, as one line for users. */
  readonly survives: string;
  /** Whether another process can continue a run. False if runs are lost with this process. */
  readonly isLasting: boolean;
  /** Storage for data that is not a run. */
  readonly records: Records;

  /**
   * Appending seq 1 creates the run, so it decides who starts it: of two processes with the same id, one gets
   * `LogConflict`. If created with `as`, the run belongs to that owner with epoch 1. Without `as`, it has no owner and
   * epoch 0, and only writers without an owner can append until a process takes it over.
   */
  append(run: string, entries: readonly Entry[], as?: Ownership): void | Promise<void>;
  /**
   * Returns the entries after `after`, in order, up to `limit` (at least one if there is one). Returns without a
   * promise where the variant can, because most reads are of entries that were just written. Throws `LogMissing` if the
   * run is unknown or dropped.
   */
  read(run: string, after: number, limit: number): readonly Entry[] | Promise<readonly Entry[]>;
  /** Calls `wake` after entries of this run are stored. A wake only means "read again": it may be spurious and carries no data. */
  watch(run: string, wake: () => void): () => void;

  /** Facts about a run. Undefined if the run is unknown. */
  info(run: string): RunInfo | undefined | Promise<RunInfo | undefined>;
  /** Newest start first, without dropped runs. */
  list(query: RunQuery): Promise<RunInfo[]>;

  /**
   * Stores bytes alongside the run's log under a new unique id. Works before the run's first entry. Fills `head` and
   * `tail` for text. Files of a run that never starts are removed after some time.
   */
  put(run: string, bytes: Uint8Array, file: { mediaType: string; name?: string }): Promise<FileRef>;
  /** The bytes from `start` up to but not including `end`. Undefined if the run has no such file. */
  get(run: string, file: string, range?: { start?: number; end?: number }): Promise<StoredFile | undefined>;
  /** Removes files that no entry refers to: those of a refused start, or of a start that another process won. */
  discard(run: string, files: readonly string[]): Promise<void>;

  /** Rejects if the log cannot store anything durably at the moment. Without it, callers store a record to find out. */
  check?(): Promise<void>;
  /**
   * Everything acknowledged so far, as files that form a directory for another log of this kind. May include entries
   * stored in the meantime. Variants without it rely on the backup tools of their engine.
   */
  backup?(): AsyncIterable<BackupFile>;

  /** Removes a finished run with its files. Rejects if the run has not ended. Does nothing if it does not exist. */
  drop(run: string): Promise<void>;
  /** Drops finished runs, oldest end first, until the rest fits. Returns how many were dropped. */
  retain(policy: Retention, now: number): Promise<number>;
  close(): Promise<void>;
}

/**
 * Decides who may write a run. A process is an owner under an id it chooses (new at each start), and stays alive as
 * long as it sends heartbeats. The epoch decides, not the heartbeat: an owner that was late but not replaced can
 * continue, and one that was replaced can write nothing, even if it is alive. Leases use the engine's clock.
 */
export interface RunOwnership {
  /**
   * Extends the owner's lease to `leaseMs` from now. With 0 the owner leaves, and its runs become orphans immediately.
   * Returns true if the lease was still valid. False means a gap in which its runs may have been taken over.
   */
  heartbeat(owner: string, leaseMs: number): boolean | Promise<boolean>;
  /**
   * Makes `owner` the run's owner with the next epoch and returns where the log ends. Returns undefined and changes
   * nothing if the run has ended, is dropped or unknown, or belongs to another live owner. Of several concurrent callers,
   * only one succeeds. An owner may take over its own run, because the response to an earlier call may have been lost.
   *
   * For variants: if leases are stored elsewhere, check the lease first, then compare and swap the epoch that was read.
   * An owner that comes back in between still loses the run.
   */
  takeOver(run: string, owner: string): Promise<Takeover | undefined>;
  /**
   * Gives up the run. It then has no owner and the next epoch, so nothing can be written before a takeover. Does
   * nothing if the run belongs to another owner by now.
   */
  release(run: string, as: Ownership): Promise<void>;
  /** Open runs without a live owner, in any order. A takeover removes a run from this list, so call again until it is empty. */
  orphans(limit: number): Promise<RunInfo[]>;
}

/**
 * Queues user requests for a run that may execute in another process. Its owner reads them. A successor reads the queue
 * from the beginning, because the run's log shows which ones were handled (a call that has ended, an ask that has an answer).
 */
export interface RunControl {
  /**
   * Durably adds to the run's queue, once per `control.id`: the first one wins. Returns `ended` and queues nothing if the
   * run is over, `full` if the run already has `MAX_CONTROLS`. Rejects with `LogMissing` if the run is unknown or dropped.
   */
  send(run: string, control: Control): Promise<"queued" | "ended" | "full">;
  /**
   * Controls after number `after`, in order, at most `limit`. A run's numbers count 1, 2, 3 in the order in which they become
   * readable, so none ever appears below one that was read. Empty once the run has ended, because its end removes the queue.
   */
  controls(run: string, after: number, limit: number): Promise<readonly QueuedControl[]>;
  /** Calls `wake` after a control was sent to a run, without a run if it may have been any. A wake carries no data. */
  watchControls(wake: (run?: string) => void): () => void;
}

/** The owner and epoch that an append is made with. */
export interface Ownership {
  readonly owner: string;
  readonly epoch: number;
}

export interface Takeover extends Ownership {
  /** The seq of the log's last entry. */
  readonly seq: number;
}

/** A user's request to a run. `id` makes it idempotent. `by` is the user who sent it. */
export type Control = { readonly id: string; readonly by?: string } & (
  | { readonly kind: "cancel"; readonly agent?: string; readonly call?: string; readonly reason?: string }
  | { readonly kind: "answer"; readonly ask: string; readonly answer: Given }
);

export interface QueuedControl {
  readonly number: number;
  readonly control: Control;
}

export interface RunInfo extends RunSummary {
  /** The id of the user who started the run. */
  readonly user?: string;
  readonly dropped?: boolean;
  readonly owner?: string;
  /** 0: the run never had an owner. */
  readonly epoch: number;
}

/** Which runs to list: those that match all of these fields. */
export interface RunQuery {
  readonly limit: number;
  /** The id of the run after which the page starts. An unknown id gives an empty page. */
  readonly before?: string;
  /** Only runs without a run-end. */
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
  /** Relative, with `/` as separator. */
  readonly name: string;
  readonly size: number;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Limits for finished runs. A missing limit does not apply. */
export interface Retention {
  readonly maxAgeMs?: number;
  readonly maxRuns?: number;
}
