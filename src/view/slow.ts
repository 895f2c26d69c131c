import type { CallNode } from "../state.ts";
import { callTime } from "./time.ts";

/** Any call that takes this long is slow. */
const LONG_MS = 10_000;
/** A tool with at least `LEAST_CALLS` calls is slow from `TIMES` times its median on, but never below `LEAST_MS`. */
const TIMES = 3;
const LEAST_CALLS = 3;
const LEAST_MS = 1000;

/** Returns the time in milliseconds from which a tool's calls count as slow, based on its successful calls. */
export const slowFrom = (calls: readonly CallNode[]): ((name: string) => number) => {
  const times = new Map<string, number[]>();
  for (const call of calls) {
    const time = call.state === "ok" ? callTime(call) : undefined;
    if (!time || !("ms" in time)) continue;
    const known = times.get(call.name);
    if (known) known.push(time.ms);
    else times.set(call.name, [time.ms]);
  }
  const limits = new Map([...times].map(([name, list]) => [name, limitOf(list)]));
  return (name) => limits.get(name) ?? LONG_MS;
};

const limitOf = (times: readonly number[]): number => {
  if (times.length < LEAST_CALLS) return LONG_MS;
  const sorted = [...times].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)]!;
  return Math.min(LONG_MS, Math.max(LEAST_MS, median * TIMES));
};

/** Whether a call takes longer than `limit` milliseconds. For a running call that is not slow yet, `slowAt` is when it will be. */
export const slownessOf = (
  call: CallNode,
  limit: number,
  now: number,
): { readonly isSlow: boolean; readonly slowAt: number | undefined } => {
  const time = callTime(call);
  if (!time) return { isSlow: false, slowAt: undefined };
  if ("ms" in time) return { isSlow: time.ms >= limit, slowAt: undefined };
  const slowAt = time.since + limit;
  return now >= slowAt ? { isSlow: true, slowAt: undefined } : { isSlow: false, slowAt };
};
