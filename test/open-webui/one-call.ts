import type { Entry, Event, EventOf, Json } from "../../src/events.ts";

/** A run in which one tool returns a result, and then the agent answers. */
export const oneCall = (
  end: Omit<EventOf<"tool-end">, "type" | "call">,
  { name = "look", input = {}, between = [] }: { name?: string; input?: Json; between?: readonly Event[] } = {},
): readonly Entry[] => {
  const events: readonly Event[] = [
    { type: "run-start", protocol: 1, run: "run_1", name: "agent" },
    { type: "step-start", step: "step_1" },
    { type: "text-start", part: "before" },
    { type: "text-delta", part: "before", delta: "Before." },
    { type: "text-end", part: "before" },
    { type: "tool-start", call: "call_1", name },
    { type: "tool-input-end", call: "call_1", input },
    { type: "step-end", step: "step_1", finish: "tools" },
    { type: "tool-execute", call: "call_1" },
    ...between,
    { type: "tool-end", call: "call_1", ...end },
    { type: "step-start", step: "step_2" },
    { type: "text-start", part: "after" },
    { type: "text-delta", part: "after", delta: "After." },
    { type: "text-end", part: "after" },
    { type: "step-end", step: "step_2", finish: "stop" },
    { type: "run-end", outcome: "done", answer: ["after"] },
  ];
  return events.map((event, index) => ({ seq: index + 1, at: 1_700_000_000_000 + index * 200, event }));
};
