import { CALL_OUTCOMES } from "../protocol.ts";
import type { CallNode } from "../state.ts";

/** What a call, an agent, an ask or a run is in, as a person is shown it. */
export type ShownState =
  | CallNode["state"]
  | "done"
  /** The model's answer ended before it was complete: at its token limit, by a filter, with its process. */
  | "cut"
  | "filtered"
  | "waiting"
  | "answered"
  | "expired";

/** How it looks: `good` is kept for what succeeded. */
export type Tone = "waiting" | "active" | "good" | "bad" | "stopped" | "plain";

/** A state with the word and the tone in which every view shows it. */
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

/** What a sub-agent or a run is in while it goes on. */
export const WORKING: Badge = { state: "executing", word: "working", tone: "active" };

/** The states that a call can be in, in the order in which a list offers them. */
export const CALL_STATES: readonly CallNode["state"][] = ["pending", "executing", ...CALL_OUTCOMES];
