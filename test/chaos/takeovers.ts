import type { TallyEntry } from "./tally.ts";

/** How long runs paused after their process was killed, until the next entry. */
export interface Takeovers {
  /** Sorted, in milliseconds, of runs whose engine was reachable during that time. */
  readonly clean: readonly number[];
  /** All others. */
  readonly troubled: readonly number[];
}

interface Span {
  readonly from: number;
  readonly to: number;
}

export const takeoversOf = (
  tally: readonly TallyEntry[],
  kills: readonly { readonly pid: number; readonly at: number }[],
  trouble: readonly Span[],
): Takeovers => {
  const processOf = new Map<string, number>();
  for (const each of tally) if (each.do === "owner") processOf.set(each.owner, each.pid);
  const killedAt = new Map(kills.map(({ pid, at }) => [pid, at]));
  const owner = new Map<string, string>();
  /** The owner before the one that took over the run last. */
  const before = new Map<string, string>();
  const clean: number[] = [];
  const troubled: number[] = [];
  for (const each of tally) {
    if (each.do === "start") owner.set(each.run, each.owner);
    else if (each.do === "take") {
      const last = owner.get(each.run);
      if (last !== undefined) before.set(each.run, last);
      owner.set(each.run, each.owner);
    } else if (each.do === "resume") {
      const at = killedAt.get(processOf.get(before.get(each.run) ?? "") ?? 0);
      if (at === undefined || at > each.at) continue;
      const isTroubled = trouble.some(({ from, to }) => from < each.at && to > at);
      (isTroubled ? troubled : clean).push(each.at - at);
    }
  }
  return {
    clean: clean.toSorted((one, other) => one - other),
    troubled: troubled.toSorted((one, other) => one - other),
  };
};

/** For each kill that interrupted calls, the number of calls that were executing in its process. */
export const executingAtKills = (
  tally: readonly TallyEntry[],
  kills: readonly { readonly pid: number; readonly at: number }[],
): readonly number[] => {
  const ended = new Set(tally.flatMap((each) => (each.do === "end" ? [`${each.pid} ${each.call}`] : [])));
  const killed = new Map(kills.map(({ pid, at }) => [pid, at]));
  const cut = tally.filter(
    (each) => each.do === "begin" && !ended.has(`${each.pid} ${each.call}`) && (killed.get(each.pid) ?? 0) >= each.at,
  );
  return [...Map.groupBy(cut, ({ pid }) => pid).values()].map(({ length }) => length);
};

export const quantile = (sorted: readonly number[], share: number): number | undefined =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
