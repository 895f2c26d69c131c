import type { LoadedConfig } from "../config.ts";
import type { Log, Retention } from "../log.ts";

/** How long runs are kept, and a text that describes it. */
export interface KeptRuns {
  readonly policy: Retention | undefined;
  readonly text: string;
}

const DAY = 86_400_000;
const DEFAULT: Retention = { maxAgeMs: 30 * DAY };

/**
 * A new log keeps runs for 30 days and records that. A log whose runs predate that record keeps them all, as before, so
 * that an upgrade deletes nothing.
 */
export const keptRuns = async ({ retention }: Pick<LoadedConfig, "retention">, log: Log): Promise<KeptRuns> => {
  if (retention) return { policy: retention, text: textOf(retention) };
  const isNoted = (await log.records.get("installation", "retention")) !== undefined;
  const isNew = !isNoted && (await log.list({ limit: 1 })).length === 0;
  if (isNew) await log.records.put("installation", "retention", "usual", { ifAbsent: true });
  if (isNoted || isNew)
    return { policy: DEFAULT, text: `${textOf(DEFAULT)} (the default; change it with the retention setting)` };
  return { policy: undefined, text: "forever (limit this with the retention setting)" };
};

const textOf = ({ maxAgeMs, maxRuns }: Retention): string => {
  const age = maxAgeMs === undefined ? [] : [`for ${spanOf(maxAgeMs)} after they end`];
  const most = maxRuns === undefined ? [] : [`the newest ${maxRuns}`];
  return [...most, ...age].join(", ") || "forever";
};

const spanOf = (ms: number): string =>
  ms >= DAY ? several(ms / DAY, "day") : several(Math.max(1, ms / 3_600_000), "hour");

const several = (count: number, word: string): string =>
  `${Math.round(count)} ${word}${Math.round(count) === 1 ? "" : "s"}`;
