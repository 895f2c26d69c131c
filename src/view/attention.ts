import type { Event } from "../events.ts";
import type { RunState } from "../state.ts";
import { describeAsk } from "./ask.ts";
import { describeRun, runTitle } from "./run.ts";

/** What a person who looks elsewhere should learn at once: that the agent waits for them, or how its run ended. */
export interface Attention {
  readonly title: string;
  readonly text: string;
}

/** Undefined for an event that can wait until the person looks again. */
export const attentionOf = (state: RunState, event: Event): Attention | undefined => {
  if (event.type === "run-end") return { title: describeRun(state).title, text: runTitle(state) };
  const ask = event.type === "ask-start" ? state.nodes.get(event.ask) : undefined;
  return ask?.kind === "ask" ? { title: "Waiting for you", text: describeAsk(ask).title } : undefined;
};
