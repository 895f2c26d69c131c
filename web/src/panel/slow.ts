import type { CallNode } from "runcast/state";

/** As long as any tool may take before one would like to know. */
const LONG_MS = 10_000;
/** So many times what is usual for a tool is slow, from so many calls and so much time on. */
const TIMES = 3;
const LEAST_CALLS = 3;
const LEAST_MS = 1000;

/** How long a call has been or was executing; undefined if it never did, or nobody knows. */
export const tookOf = (call: CallNode, now: number): number | undefined => {
  if (call.ms !== undefined) return call.ms;
  if (call.executedAt === undefined || call.state === "interrupted") return undefined;
  return (call.endedAt ?? now) - call.executedAt;
};

/** From how many milliseconds on a tool's calls are slow, by tool: judged by its other calls. */
export const slowFrom = (calls: readonly CallNode[]): ((name: string) => number) => {
  const times = new Map<string, number[]>();
  for (const call of calls) {
    const took = call.state === "ok" ? tookOf(call, 0) : undefined;
    if (took === undefined) continue;
    const known = times.get(call.name);
    if (known) known.push(took);
    else times.set(call.name, [took]);
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
