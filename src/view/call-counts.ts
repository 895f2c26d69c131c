import type { CallNode } from "../state.ts";
import { badgeOf } from "./badge.ts";

/** Number of calls by state, as text for a list heading. */
export interface CallCounts {
  readonly executing: string;
  readonly pending: string;
  readonly failed: string;
  readonly all: string;
}

/** Each text is empty if its count is zero. */
export const describeCounts = (calls: readonly CallNode[]): CallCounts => {
  const counted = (fits: (call: CallNode) => boolean, word: string): string => {
    const count = calls.filter(fits).length;
    return count === 0 ? "" : `${count} ${word}`;
  };
  return {
    executing: counted(({ state }) => state === "executing", badgeOf("executing").word),
    pending: counted(({ state }) => state === "pending", badgeOf("pending").word),
    failed: counted(({ state }) => badgeOf(state).tone === "bad", badgeOf("error").word),
    all: `${calls.length} total`,
  };
};
