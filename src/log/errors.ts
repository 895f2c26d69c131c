import type { Ownership } from "../log.ts";

/** The log does not end where the writer expected: another writer has the run. */
export class LogConflict extends Error {
  override name = "LogConflict";
  constructor(run: string, expected: number, found: number);
  constructor(message: string);
  constructor(run: string, expected?: number, found?: number) {
    super(expected === undefined ? run : `run ${run}: expected the log to end at ${expected}, but it ends at ${found}`);
  }
}

/**
 * The engine has lost stored entries: its log of the run ends before entries that this process knows were stored.
 * Readers that saw those entries must read the run again from its beginning.
 */
export class LogReset extends LogConflict {
  override name = "LogReset";
  constructor(run: string, known: number, found: number) {
    super(`run ${run}: the log ended at ${known} and now ends at ${found}: the engine lost stored entries`);
  }
}

/** The run's epoch differs from the writer's: the run was taken over or released, or never belonged to the writer. */
export class LogFenced extends LogConflict {
  override name = "LogFenced";
  /** The current owner. Undefined if there is none. */
  readonly owner: string | undefined;
  readonly epoch: number;
  constructor(run: string, writer: Ownership | undefined, { owner, epoch }: { owner?: string; epoch: number }) {
    const now = owner === undefined ? "no process owns it" : `${owner} owns it`;
    const who = writer
      ? `${writer.owner} writes with epoch ${writer.epoch}`
      : "a writer without an owner cannot write to it";
    super(`run ${run}: ${who}, but ${now} with epoch ${epoch}`);
    this.owner = owner;
    this.epoch = epoch;
  }
}

export class LogMissing extends Error {
  override name = "LogMissing";
  readonly dropped: boolean;
  constructor(run: string, dropped: boolean) {
    super(dropped ? `run ${run} was deleted by retention` : `there is no run ${run}`);
    this.dropped = dropped;
  }
}
