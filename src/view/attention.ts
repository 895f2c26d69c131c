import type { Event } from "../events.ts";
import type { RunState } from "../state.ts";
import { describeAsk } from "./ask.ts";
import { describeRun, runTitle } from "./run.ts";

/** A notification for a user who is looking elsewhere: the agent is waiting for them, or the run has ended. */
export interface Attention {
  readonly title: string;
  readonly text: string;
}

/** Returns undefined for events that do not need a notification. */
export const attentionOf = (state: RunState, event: Event): Attention | undefined => {
  if (event.type === "run-end") return { title: describeRun(state).title, text: runTitle(state) };
  const ask = event.type === "ask-start" ? state.nodes.get(event.ask) : undefined;
  return ask?.kind === "ask" ? { title: "Waiting for you", text: describeAsk(ask).title } : undefined;
};
