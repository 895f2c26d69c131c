import type { AgentNode, CallNode, PartNode, RunState } from "../state.ts";
import { duration, elapsed } from "./amounts.ts";

/** How long something took, or since when it has been going on. */
export type Time = { readonly ms: number } | { readonly since: number };

/**
 * A time as text. `now` is the moment that is shown, by the log's clock: while a view hears nothing of the run, the last
 * moment that it knows of. Empty if nothing is known.
 */
export const timeText = (time: Time | undefined, now: number): string => {
  if (!time) return "";
  return "ms" in time ? duration(time.ms) : elapsed(now - time.since);
};

/**
 * Execution alone: what the tool measured, else from `tool-execute` to `tool-end`. A call that never ran took no time, and
 * nobody knows how long an interrupted one took: its end was written when the next process found it.
 */
export const callTime = ({ ms, executedAt, endedAt, state }: CallNode): Time | undefined => {
  if (ms !== undefined) return { ms };
  if (executedAt === undefined || state === "interrupted") return undefined;
  return endedAt === undefined ? { since: executedAt } : { ms: endedAt - executedAt };
};

/** From start to end, unless nobody knows when that was. */
export const agentTime = ({ startedAt, endedAt, outcome }: AgentNode): Time | undefined => {
  if (outcome === "interrupted") return undefined;
  return endedAt === undefined ? { since: startedAt } : { ms: endedAt - startedAt };
};

export const runTime = ({ startedAt, root }: RunState): Time | undefined =>
  startedAt === undefined ? undefined : agentTime(root);

export const partTime = ({ startedAt, endedAt, cut }: PartNode): Time | undefined => {
  if (endedAt === undefined) return { since: startedAt };
  return cut ? undefined : { ms: endedAt - startedAt };
};

/** How long something has left, such as an ask that expires. */
export const remainingText = (until: number, now: number): string =>
  until > now ? `Expires in ${elapsed(until - now)}` : "Expiring…";
