import type { CallNode } from "runcast/state";
import { counted, duration } from "./amounts.ts";
import type { ShownState } from "./shown-state.ts";

/** Whether a call is all there is: it brought nothing that should stay in sight once it is over. */
export const isPlain = (call: CallNode): boolean => !call.items.some((item) => KEPT.has(item.kind));

const KEPT: ReadonlySet<string> = new Set(["agent", "embed", "file", "text"]);

/** `5 tools`. */
export const groupTitle = (calls: readonly CallNode[]): string => counted(calls.length, "tool");

/** How long they took together, from the first that began to the last that ended: calls in parallel count once. */
export const groupTime = (calls: readonly CallNode[]): string => {
  let total = 0;
  let until = -Infinity;
  for (const call of [...calls].sort((a, b) => beginOf(a) - beginOf(b))) {
    const begin = beginOf(call);
    const end = call.state === "interrupted" ? begin : (call.endedAt ?? begin);
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
export const laneOf = (calls: readonly CallNode[]): Lanes => {
  const clusters: CallNode[][] = [];
  let last: CallNode | undefined;
  for (const call of calls) {
    const hasAgents = call.items.some((item) => item.kind === "agent");
    if (hasAgents && last && last.step === call.step) clusters.at(-1)!.push(call);
    else if (hasAgents) clusters.push([call]);
    last = hasAgents ? call : undefined;
  }
  const wide = clusters.filter((cluster) => cluster.length > 1);
  const firsts = new Set(wide.map(([first]) => first));
  const members = new Set(wide.flat());
  return {
    count: Math.min(MOST_LANES, Math.max(1, ...wide.map((cluster) => cluster.length))),
    of: (call) => (firsts.has(call) ? "first" : members.has(call) ? "next" : "full"),
  };
};
