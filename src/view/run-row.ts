import type { RunRow } from "../protocol.ts";
import { counted, usageText } from "./amounts.ts";
import { type Badge, badgeOf, WORKING } from "./badge.ts";
import { oneLine } from "./text.ts";
import type { Time } from "./time.ts";

/** Display data for a run in a list. */
export interface RunRowFacts {
  readonly badge: Badge;
  readonly isOver: boolean;
  readonly title: string;
  /** The user who started it. Empty if unknown. */
  readonly who: string;
  readonly agent: string;
  /** The current status, the open ask, or the failure. Empty if there is none. */
  readonly note: string;
  readonly time: Time | undefined;
  readonly usage: string;
}

export const describeRow = (row: RunRow): RunRowFacts => {
  const { outcome, startedAt, endedAt, asks = [], status = "", problem = "" } = row;
  const isOver = endedAt !== undefined;
  const [ask] = asks;
  const asked = ask ? oneLine(ask.title?.trim() || counted(asks.length, "open question"), 100) : "";
  return {
    badge: isOver ? badgeOf(outcome ?? "interrupted") : ask ? badgeOf("waiting") : WORKING,
    isOver,
    title: oneLine(row.title || row.name || row.run, 120),
    who: oneLine(row.user ?? "", 60),
    agent: oneLine(row.name || row.agent, 60),
    note: isOver ? oneLine(problem, 160) : asked || oneLine(status, 160),
    // The time at which an interrupted run stopped is unknown.
    time: !isOver ? { since: startedAt } : outcome === "interrupted" ? undefined : { ms: endedAt - startedAt },
    usage: usageText(row.usage ?? {}),
  };
};
