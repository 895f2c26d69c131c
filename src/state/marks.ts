import type { EventOf, Json } from "../events.ts";
import { applyPatch } from "../json.ts";
import { add, touch } from "./change.ts";
import type { MarkNode, RunState } from "./nodes.ts";

/** Adds a single-event node. An embed with a known id replaces the earlier one. */
export const mark = (state: RunState, event: MarkNode["event"], at: number): void => {
  const id = event.type === "embed" ? `embed ${event.embed}` : `${event.type} ${state.seq}`;
  const earlier = event.type === "embed" ? (state.nodes.get(id) as MarkNode | undefined) : undefined;
  if (earlier) {
    earlier.event = event;
    return touch(state, earlier);
  }
  const { type: kind, agent } = event;
  add(state, { kind, id, agent, version: 0, startedAt: at, endedAt: at, event }, event.call);
};

export const replaceData = (state: RunState, event: EventOf<"data">): void => {
  const key = event.id === undefined ? event.name : `${event.name} ${event.id}`;
  state.data.set(key, event.patch === undefined ? event.value : patched(state.data.get(key), event.patch));
  touch(state, state.root);
};

/** A patch that does not apply leaves the value unchanged, so all readers of the log reach the same state. */
const patched = (value: Json | undefined, patch: Json): Json | undefined => {
  try {
    return applyPatch(value, patch);
  } catch {
    return value;
  }
};
