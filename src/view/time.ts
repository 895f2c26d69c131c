import type { AgentNode, CallNode, PartNode, RunState, StepNode } from "../state.ts";
import { duration, elapsed } from "./amounts.ts";

/** How long something took, or when it started if it is still running. */
export type Time = { readonly ms: number } | { readonly since: number };

/**
 * Formats a time. `now` is the displayed moment by the log's clock. While a view receives no data about the run, it is
 * the last moment the view knows of. Empty if the time is unknown.
 */
export const timeText = (time: Time | undefined, now: number): string => {
  if (!time) return "";
  return "ms" in time ? duration(time.ms) : elapsed(now - time.since);
};

/**
 * Execution time only: as measured by the tool, else from `tool-execute` to `tool-end`. Undefined for a call that never
 * ran, and for an interrupted one, because its end was written later, by the process that recovered the run.
 */
export const callTime = ({ ms, executedAt, endedAt, state }: CallNode): Time | undefined => {
  if (ms !== undefined) return { ms };
  if (executedAt === undefined || state === "interrupted") return undefined;
  return endedAt === undefined ? { since: executedAt } : { ms: endedAt - executedAt };
};

/** From start to end. Undefined if the end is unknown. */
export const agentTime = ({ startedAt, endedAt, outcome }: AgentNode): Time | undefined => {
  if (outcome === "interrupted") return undefined;
  return endedAt === undefined ? { since: startedAt } : { ms: endedAt - startedAt };
};

/** From the request to the end of the model's output. Undefined for an interrupted step, because its end was written later. */
export const stepTime = ({ startedAt, endedAt, finish }: StepNode): Time | undefined => {
  if (finish === "interrupted") return undefined;
  return endedAt === undefined ? { since: startedAt } : { ms: endedAt - startedAt };
};

export const runTime = ({ startedAt, root }: RunState): Time | undefined =>
  startedAt === undefined ? undefined : agentTime(root);

export const partTime = ({ startedAt, endedAt, cut }: PartNode): Time | undefined => {
  if (endedAt === undefined) return { since: startedAt };
  return cut ? undefined : { ms: endedAt - startedAt };
};

/** A time in the reader's locale: `1:25 PM` today, `Nov 15, 1:25 PM` on another day. */
export const dateText = (at: number, now: number, locale?: string): string => {
  const [then, today] = [new Date(at), new Date(now)];
  const day = then.toDateString() === today.toDateString() ? {} : ({ month: "short", day: "numeric" } as const);
  const year = then.getFullYear() === today.getFullYear() ? {} : ({ year: "numeric" } as const);
  return then.toLocaleString(locale, { ...year, ...day, hour: "numeric", minute: "2-digit" });
};

/** Time left until something expires, such as an ask. */
export const remainingText = (until: number, now: number): string =>
  // Rounds up, so it never says "0 s" before the end.
  until > now ? `Expires in ${elapsed(Math.ceil((until - now) / 1000) * 1000)}` : "Expiring…";
