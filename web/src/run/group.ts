import { counted, duration } from "runcast/amounts";
import type { CallNode } from "runcast/state";
import type { ShownState } from "./shown-state.ts";

/** Whether a call is all there is: it brought nothing that should stay in sight once it is over. */
export const isPlain = (call: CallNode): boolean => !call.items.some((item) => KEPT.has(item.kind));

/** Whether sub-agents work for a call. */
export const hasAgents = (call: CallNode): boolean => call.items.some((item) => item.kind === "agent");

const KEPT: ReadonlySet<string> = new Set(["agent", "embed", "file", "text"]);

/** `5 tools`. */
export const groupTitle = (calls: readonly CallNode[]): string => counted(calls.length, "tool");

/** How long they took together, from the first that began to the last that ended: calls in parallel count once. */
export const groupTime = (calls: readonly CallNode[]): string => {
  let total = 0;
  let until = -Infinity;
  for (const call of [...calls].sort((a, b) => beginOf(a) - beginOf(b))) {
    const begin = beginOf(call);
    const end = begin + (call.ms ?? (call.state === "interrupted" ? 0 : (call.endedAt ?? begin) - begin));
    total += Math.max(0, end - Math.max(begin, until));
    until = Math.max(until, end);
  }
  return duration(total);
};

const beginOf = (call: CallNode): number => call.executedAt ?? call.endedAt ?? call.startedAt;

const WORST: readonly ShownState[] = ["error", "timeout", "interrupted", "denied", "cancelled", "deferred"];

/** Green only if all of them are. */
export const groupState = (calls: readonly CallNode[]): ShownState =>
  WORST.find((state) => calls.some((call) => call.state === state)) ?? "ok";

export interface Lanes {
  /** How many stand side by side at most. */
  readonly count: number;
  of(call: CallNode): "full" | "first" | "next";
}

const MOST_LANES = 3;

/** Calls of one step run in parallel: those with sub-agents stand side by side, whatever else takes the whole width. */
export const lanesOf = (calls: readonly CallNode[]): Lanes => {
  const clusters: CallNode[][] = [];
  let last: CallNode | undefined;
  for (const call of calls) {
    const isWide = hasAgents(call);
    if (isWide && last && last.step === call.step) clusters.at(-1)!.push(call);
    else if (isWide) clusters.push([call]);
    last = isWide ? call : undefined;
  }
  const wide = clusters.filter((cluster) => cluster.length > 1);
  const firsts = new Set(wide.map(([first]) => first));
  const members = new Set(wide.flat());
  return {
    count: Math.min(MOST_LANES, Math.max(1, ...wide.map((cluster) => cluster.length))),
    of: (call) => (firsts.has(call) ? "first" : members.has(call) ? "next" : "full"),
  };
};
