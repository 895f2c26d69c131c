import { setImmediate } from "node:timers/promises";
import type { RunInfo } from "../log.ts";
import type { RunRow, RunSummary } from "../protocol.ts";
import type { Details, RunDetails } from "./run-details.ts";

/**
 * The rows of a list of runs. The cost does not depend on the length of ended runs. With `withinMs`, it does not depend on
 * the length of open ones either: rows that are not complete by then are `partial`, and are read further in the background.
 */
export type RunRows = (
  runs: readonly RunInfo[],
  options?: { readonly withinMs?: number },
) => Promise<readonly RunRow[]>;

interface Deadline {
  isOver(): boolean;
  readonly over: Promise<void> | undefined;
  cancel(): void;
}

/** How many runs are read concurrently. */
const AT_ONCE = 32;

export const createRunRows = (details: RunDetails): RunRows => {
  const rowOf = async (info: RunInfo, { isOver, over }: Deadline): Promise<RunRow> => {
    const { owner: _owner, epoch: _epoch, user: _user, dropped: _dropped, ...summary } = info;
    const { run, seq, endedAt } = info;
    const row: RunSummary = summary;
    const known = details.known(run, seq, endedAt !== undefined);
    if (known) return { ...row, ...known };
    if (endedAt !== undefined) return { ...row, ...(await details.ended(info)) };
    if (!isOver()) {
      const whole = details.open(run, seq);
      const read: Details | void = await (over ? Promise.race([whole, over]) : whole);
      if (read) return { ...row, ...read };
      whole.catch(() => {});
    }
    return { ...row, ...(await details.start(run)), partial: true };
  };

  return async (runs, { withinMs } = {}) => {
    const deadline = deadlineOf(withinMs);
    const rows: RunRow[] = [];
    for (let at = 0; at < runs.length; at += AT_ONCE) {
      // A run may be dropped while it is listed.
      const read = runs.slice(at, at + AT_ONCE).map((info) => rowOf(info, deadline).catch(() => undefined));
      for (const row of await Promise.all(read)) if (row) rows.push(row);
      await setImmediate();
    }
    deadline.cancel();
    return rows;
  };
};

const deadlineOf = (withinMs: number | undefined): Deadline => {
  if (withinMs === undefined) return { isOver: () => false, over: undefined, cancel: () => {} };
  let isOver = false;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    isOver = true;
    resolve();
  }, withinMs);
  return { isOver: () => isOver, over: promise, cancel: () => clearTimeout(timer) };
};
