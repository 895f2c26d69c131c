import type { Entry } from "../events.ts";
import type { Ownership, RunInfo } from "../log.ts";
import { RUN_ID_RULE, isRunId } from "../run-id.ts";
import { LogConflict, LogFenced, LogMissing } from "./errors.ts";

export const checkRunId = (run: string): void => {
  if (!isRunId(run)) throw new TypeError(`not a run id: ${JSON.stringify(run)}; use ${RUN_ID_RULE}`);
};

/**
 * Databases cannot bind other values. Reject them here so that only the caller gets the error, not other writes in the same batch.
 */
export const checkText = (field: string, value: unknown): void => {
  if (value !== undefined && typeof value !== "string") throw new TypeError(`the ${field} must be a string`);
};

/** The run's info after storing `entries` (at least one) on top of `info`. Throws the errors that `append` rejects with. */
export const extendRun = (
  run: string,
  info: RunInfo | undefined,
  entries: readonly Entry[],
  as?: Ownership,
): RunInfo => {
  if (info) checkWriter(info, as);
  const seq = lastSeq(run, info ? info.seq : 0, entries);
  const end = entries.findLast(({ event }) => event.type === "run-end");
  const outcome = end?.event.type === "run-end" ? end.event.outcome : info?.outcome;
  const endedAt = end?.at ?? info?.endedAt;
  checkText("outcome", outcome);
  if (info) return { ...info, seq, endedAt, outcome };
  checkRunId(run);
  checkText("owner", as?.owner);
  if (as && as.epoch !== FIRST_EPOCH) throw new LogFenced(run, as, { epoch: 0 });
  const first = entries[0]!;
  const start = first.event.type === "run-start" ? first.event : undefined;
  const { thread, name = "", agentKey: agent = name, user } = start ?? {};
  checkText("name", name);
  checkText("agentKey", agent);
  checkText("thread", thread);
  checkText("user", user?.id);
  const begun = { run, thread, user: user?.id, name, agent, seq, startedAt: first.at, endedAt, outcome };
  return { ...begun, owner: as?.owner, epoch: as?.epoch ?? 0 };
};

/** The epoch of a run created by an owner. */
const FIRST_EPOCH = 1;

/** Throws unless the run exists and belongs to this writer. */
export const checkWriter = ({ run, dropped, owner, epoch }: RunInfo, as: Ownership | undefined): void => {
  if (dropped) throw new LogMissing(run, true);
  if (epoch !== (as ? as.epoch : 0) || owner !== as?.owner) throw new LogFenced(run, as, { owner, epoch });
};

/** The last seq after appending `entries` to a log that ends at `seq`. Throws if they do not continue it. */
export const lastSeq = (run: string, seq: number, entries: readonly Entry[]): number => {
  if (entries[0]!.seq !== seq + 1) throw new LogConflict(run, entries[0]!.seq - 1, seq);
  let last = seq;
  for (const entry of entries) {
    if (entry.seq !== last + 1) throw new TypeError(`run ${run}: entry ${entry.seq} follows entry ${last}`);
    last = entry.seq;
  }
  return last;
};

/** Validates an append before it is sent, so an invalid one fails without affecting others in its batch. */
export const checkAppend = (run: string, entries: readonly Entry[], as: Ownership | undefined): void => {
  checkRunId(run);
  checkText("owner", as?.owner);
  lastSeq(run, entries[0]!.seq - 1, entries);
  for (const { event } of entries) if (event.type === "run-end") checkText("outcome", event.outcome);
  if (entries[0]!.seq === 1) extendRun(run, undefined, entries, as && { ...as, epoch: 1 });
};
