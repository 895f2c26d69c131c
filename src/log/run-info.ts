import type { Entry } from "../events.ts";
import type { Ownership, RunInfo } from "../log.ts";
import { RUN_ID_RULE, isRunId } from "../run-id.ts";
import { LogConflict, LogFenced, LogMissing } from "./errors.ts";

export const checkRunId = (run: string): void => {
  if (!isRunId(run)) throw new TypeError(`not a run id: ${JSON.stringify(run)}; use ${RUN_ID_RULE}`);
};

/** A database binds no other value: said here, it is told to the one who gave it and to nobody whose write goes along. */
export const checkText = (field: string, value: unknown): void => {
  if (value !== undefined && typeof value !== "string") throw new TypeError(`the ${field} must be a string`);
};

/** What is known of a run once `entries` (at least one) are stored after what `info` tells. Throws what `append` rejects with. */
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

/** The epoch of the append that makes a run. */
const FIRST_EPOCH = 1;

/** Throws unless the run is there and this writer's. */
export const checkWriter = ({ run, dropped, owner, epoch }: RunInfo, as: Ownership | undefined): void => {
  if (dropped) throw new LogMissing(run, true);
  if (epoch !== (as ? as.epoch : 0) || owner !== as?.owner) throw new LogFenced(run, as, { owner, epoch });
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

/** Says what is wrong with an append before anything is sent, so that it fails alone. */
export const checkAppend = (run: string, entries: readonly Entry[], as: Ownership | undefined): void => {
  checkRunId(run);
  checkText("owner", as?.owner);
  lastSeq(run, entries[0]!.seq - 1, entries);
  for (const { event } of entries) if (event.type === "run-end") checkText("outcome", event.outcome);
  if (entries[0]!.seq === 1) extendRun(run, undefined, entries, as && { ...as, epoch: 1 });
};
