import { CALL_OUTCOMES } from "../protocol.ts";
import type { CallNode } from "../state.ts";

/** The display state of a call, agent, ask, or run. */
export type ShownState =
  | CallNode["state"]
  | "done"
  /** The model's answer ended early: at its token limit, by a filter, or when its process ended. */
  | "cut"
  | "filtered"
  | "waiting"
  | "answered"
  | "expired";

/** The color family. `good` is reserved for success. */
export type Tone = "waiting" | "active" | "good" | "bad" | "stopped" | "plain";

/** A state with the word and tone that every view uses for it. */
export interface Badge {
  readonly state: ShownState;
  readonly word: string;
  readonly tone: Tone;
}

const LOOKS: Readonly<Record<ShownState, readonly [word: string, tone: Tone]>> = {
  pending: ["pending", "waiting"],
  executing: ["executing", "active"],
  ok: ["done", "good"],
  done: ["done", "good"],
  error: ["failed", "bad"],
  denied: ["denied", "stopped"],
  cancelled: ["cancelled", "stopped"],
  timeout: ["timed out", "bad"],
  interrupted: ["interrupted", "bad"],
  deferred: ["handed to the client", "plain"],
  cut: ["cut off", "stopped"],
  filtered: ["filtered", "bad"],
  waiting: ["waiting for you", "waiting"],
  answered: ["answered", "good"],
  expired: ["expired", "stopped"],
};

export const SHOWN_STATES = Object.keys(LOOKS) as readonly ShownState[];

export const badgeOf = (state: ShownState): Badge => {
  const [word, tone] = LOOKS[state];
  return { state, word, tone };
};

/** The badge of a sub-agent or run that is still running. */
export const WORKING: Badge = { state: "executing", word: "working", tone: "active" };

/** All states of a call, in the order filter lists offer them. */
export const CALL_STATES: readonly CallNode["state"][] = ["pending", "executing", ...CALL_OUTCOMES];
