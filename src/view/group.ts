import type { CallNode } from "../state.ts";
import { counted, duration } from "./amounts.ts";
import { type Badge, badgeOf } from "./badge.ts";
import { nameOf } from "./call.ts";
import { callTime } from "./time.ts";

/** What a person is told of calls that are folded into one row. */
export interface GroupFacts {
  readonly badge: Badge;
  readonly title: string;
  readonly names: string;
  /** Empty if nobody knows. */
  readonly time: string;
  /** How many of them did not succeed, by what became of them. */
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

/** Whether a call is all there is: it brought nothing that should stay in sight once it is over. */
export const isPlain = (call: CallNode): boolean => !call.items.some((item) => KEPT.has(item.kind));

/** Whether sub-agents work for a call. */
export const hasAgents = (call: CallNode): boolean => call.items.some((item) => item.kind === "agent");

const KEPT: ReadonlySet<string> = new Set(["agent", "embed", "file", "text"]);

/** How long they took together, from the first that began to the last that ended: calls in parallel count once. */
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

/** Good only if all of them are. */
const groupState = (calls: readonly CallNode[]): CallNode["state"] =>
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

/** Whether calls that follow each other can be shown as one row: all of them are over, and more than one is plain. */
export const canFold = (calls: readonly CallNode[]): boolean =>
  calls.filter(isPlain).length > 1 && calls.every((call) => call.endedAt !== undefined);

/** All that the look of a group depends on: another text, another look. */
export const groupSign = (calls: readonly CallNode[]): string =>
  calls
    .map(
      (call) => (call.endedAt === undefined ? "o" : "e") + (isPlain(call) ? "p" : "k") + (hasAgents(call) ? "a" : ""),
    )
    .join("");
