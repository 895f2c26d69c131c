import { incompleteOf, RUN_STATES, type RunListChanges, type RunRow, runStateOf } from "../protocol.ts";
import { amount, costText, counted, usageText } from "./amounts.ts";
import { cutOf } from "./agent.ts";
import { type Badge, badgeOf, WORKING } from "./badge.ts";
import { oneLine } from "./text.ts";
import type { Time } from "./time.ts";

/** Display data for a run in a list. */
export interface RunRowFacts {
  readonly badge: Badge;
  readonly isOver: boolean;
  /** Whether it asks something. */
  readonly isWaiting: boolean;
  readonly title: string;
  /** The user who started it. Empty if unknown. */
  readonly who: string;
  readonly agent: string;
  /** The current status, the open ask, the failure, or why the answer is incomplete. Empty if there is none. */
  readonly note: string;
  readonly time: Time | undefined;
  /** When it started. */
  readonly begun: Time;
  readonly usage: string;
  /** The total of all tokens, and their cost. Empty if unknown. */
  readonly spent: string;
}

export const describeRow = (row: RunRow): RunRowFacts => {
  const { outcome, startedAt, endedAt, asks = [], status = "", usage = {} } = row;
  const problem = row.problem ?? incompleteOf(row.finish)?.message ?? "";
  const isOver = endedAt !== undefined;
  const [ask] = asks;
  const asked = ask ? oneLine(ask.title?.trim() || counted(asks.length, "open question"), 100) : "";
  const who = oneLine(row.user ?? "", 60);
  const tokens = (usage.input ?? 0) + (usage.output ?? 0);
  return {
    badge: badgeOfRow(row, who),
    isOver,
    isWaiting: !isOver && ask !== undefined,
    title: oneLine(row.title || row.name || row.run, 120),
    who,
    agent: oneLine(row.name || row.agent, 60),
    note: isOver ? oneLine(problem, 160) : row.partial ? "Loading…" : asked || oneLine(status, 160),
    // The time at which an interrupted run stopped is unknown.
    time: !isOver ? { since: startedAt } : outcome === "interrupted" ? undefined : { ms: endedAt - startedAt },
    begun: { since: startedAt },
    usage: usageText(usage),
    spent: [tokens > 0 && counted(tokens, "token"), usage.cost !== undefined && costText(usage.cost)]
      .filter(Boolean)
      .join(", "),
  };
};

/** Another user's run does not wait for the reader of the list. */
const badgeOfRow = (row: RunRow, who: string): Badge => {
  const state = runStateOf(row);
  if (state === "working") return WORKING;
  const badge = badgeOf((state === "done" && cutOf(row.finish)?.state) || state);
  return state === "waiting" && who && !row.mine ? { ...badge, word: `waiting for ${who}` } : badge;
};

/** Sorts by start, newest first. */
export const compareRows = (one: RunRow, other: RunRow): number => other.startedAt - one.startedAt;

/** How long ago something started: `just now`, `5 min ago`, `3 h ago`, `2 days ago`. */
export const agoText = (time: Time, now: number): string => {
  if (!("since" in time)) return "";
  const minutes = Math.floor(Math.max(0, now - time.since) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return `${counted(Math.floor(minutes / (24 * 60)), "day")} ago`;
};

/** The states by which a list of runs can be filtered, with their labels. */
export const ROW_STATES: readonly { readonly value: string; readonly word: string }[] = [
  { value: "open", word: "not finished" },
  ...RUN_STATES.map((value) => ({
    value,
    word: value === "working" ? WORKING.word : value === "waiting" ? "waiting for a user" : badgeOf(value).word,
  })),
];

/** The number of open runs: `3 working, 1 waiting for a user`. */
export const openRunsText = ({ working, waiting }: NonNullable<RunListChanges["open"]>): string =>
  working + waiting === 0
    ? "No active runs"
    : [working > 0 && `${amount(working)} working`, waiting > 0 && `${amount(waiting)} waiting for a user`]
        .filter(Boolean)
        .join(", ");
