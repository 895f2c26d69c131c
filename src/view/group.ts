import type { CallNode } from "../state.ts";
import { counted, duration } from "./amounts.ts";
import { type Badge, badgeOf } from "./badge.ts";
import { nameOf } from "./call.ts";
import { callTime } from "./time.ts";

/** Display data for calls that are collapsed into one row. */
export interface GroupFacts {
  readonly badge: Badge;
  readonly title: string;
  readonly names: string;
  /** Empty if unknown. */
  readonly time: string;
  /** Number of calls that did not succeed, by state. */
  readonly trouble: readonly { readonly badge: Badge; readonly text: string }[];
}

export const describeGroup = (calls: readonly CallNode[]): GroupFacts => ({
  badge: badgeOf(groupState(calls)),
  title: counted(calls.length, "tool"),
  names: [...new Set(calls.map(nameOf))].join(", "),
  time: groupTime(calls),
  trouble: WORST.flatMap((state) => {
    const count = calls.filter((call) => call.state === state).length;
    const badge = badgeOf(state);
    return count === 0 ? [] : [{ badge, text: `${count} ${badge.word}` }];
  }),
});

/** Whether a call produced nothing that should stay visible after it ends. */
export const isPlain = (call: CallNode): boolean => !call.items.some((item) => KEPT.has(item.kind));

/** Whether the call has sub-agents. */
export const hasAgents = (call: CallNode): boolean => call.items.some((item) => item.kind === "agent");

const KEPT: ReadonlySet<string> = new Set(["agent", "embed", "file", "text"]);

/** Total time during which at least one of the calls was running. Overlapping calls count once. */
const groupTime = (calls: readonly CallNode[]): string => {
  const spans = calls.flatMap((call) => {
    const time = callTime(call);
    if (!time || !("ms" in time)) return [];
    const begin = call.executedAt ?? call.startedAt;
    return [{ begin, end: begin + time.ms }];
  });
  if (spans.length === 0) return "";
  let total = 0;
  let until = -Infinity;
  for (const { begin, end } of spans.sort((a, b) => a.begin - b.begin)) {
    total += Math.max(0, end - Math.max(begin, until));
    until = Math.max(until, end);
  }
  return duration(total);
};

const WORST = ["error", "timeout", "interrupted", "denied", "cancelled", "deferred"] as const;

/** `ok` only if every call is. Otherwise the worst state. */
const groupState = (calls: readonly CallNode[]): CallNode["state"] =>
  WORST.find((state) => calls.some((call) => call.state === state)) ?? "ok";

export interface Lanes {
  /** The largest number of calls shown side by side. */
  readonly count: number;
  of(call: CallNode): "full" | "first" | "next";
}

const MAX_LANES = 3;

/** Calls of one step run in parallel. Adjacent calls with sub-agents are shown side by side. Other calls take the full width. */
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
    count: Math.min(MAX_LANES, Math.max(1, ...wide.map((cluster) => cluster.length))),
    of: (call) => (firsts.has(call) ? "first" : members.has(call) ? "next" : "full"),
  };
};

/** Whether consecutive calls can collapse into one row: all have ended and more than one is plain. */
export const canFold = (calls: readonly CallNode[]): boolean =>
  calls.filter(isPlain).length > 1 && calls.every((call) => call.endedAt !== undefined);

/** A key of everything that affects how a group renders. If it changes, the group must render again. */
export const groupSign = (calls: readonly CallNode[]): string =>
  calls
    .map(
      (call) => (call.endedAt === undefined ? "o" : "e") + (isPlain(call) ? "p" : "k") + (hasAgents(call) ? "a" : ""),
    )
    .join("");
