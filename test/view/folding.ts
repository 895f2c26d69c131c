import type { Event } from "../../src/events.ts";
import { createState, fold, type RunState } from "../../src/state.ts";

/** A state that folds events, each the given number of milliseconds after the previous one. */
export const folding = (): { readonly state: RunState; add(event: Event, after?: number): void } => {
  const state = createState();
  let at = 1_700_000_000_000;
  const add = (event: Event, after = 10): void => fold(state, { seq: state.seq + 1, at: (at += after), event });
  add({ type: "run-start", protocol: 1, run: "r", name: "test" });
  return { state, add };
};

/** The events of a call with this duration. */
export const callEvents = (call: string, ms: number, name = "tool", more: Partial<Event> = {}): [Event, number][] => [
  [{ type: "tool-start", call, name }, 1],
  [{ type: "tool-input-end", call, input: { query: call } }, 1],
  [{ type: "tool-execute", call }, 1],
  [{ type: "tool-end", call, outcome: "ok", ...more } as Event, ms],
];
