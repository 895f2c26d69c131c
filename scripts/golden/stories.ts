import type { Event } from "../../src/events.ts";
import { demo } from "../../src/models/demo.ts";
import type { Source } from "../../src/source.ts";
import { agent } from "../../src/sources/agent.ts";
import { resume } from "./resume.ts";

/** A run that the demo does not play: its message and its source. */
export interface Story {
  readonly name: string;
  readonly message: string;
  readonly description: string;
  readonly source: Source;
  /** Whether the process dies after these events. Another process recovers the run. */
  readonly dies?: (past: readonly Event[]) => boolean;
  /** The agent in that other process. Without it, the run cannot continue. */
  readonly successor?: Source;
}

const playing = (...events: Event[]): Source =>
  async function* () {
    yield* events;
  };

const call = (id: string, name: string): Event[] => [
  { type: "tool-start", call: id, name },
  { type: "tool-input-end", call: id, input: {} },
];
const words = (part: string, text: string): Event[] => [
  { type: "text-start", part },
  { type: "text-delta", part, delta: text },
  { type: "text-end", part },
];
const usage = { input: 12, output: 16 };
const offering = playing(
  { type: "step-start", step: "step-1" },
  ...call("call_golden_1", "edit_file"),
  { type: "step-end", step: "step-1", finish: "tools", usage },
  {
    type: "ask-start",
    ask: "ask_golden_1",
    kind: "approval",
    call: "call_golden_1",
    title: "Allow edit_file?",
    options: [
      { id: "once", label: "Allow once", allow: true },
      { id: "always", label: "Always allow edits", allow: true },
      { id: "reject", label: "Reject", allow: false },
    ],
  },
  { type: "ask-end", ask: "ask_golden_1", outcome: "answered", answer: { allow: true, option: "always" }, by: "Ada" },
  { type: "tool-execute", call: "call_golden_1" },
  { type: "tool-end", call: "call_golden_1", outcome: "ok", content: [{ type: "text", text: "edited" }], ms: 1 },
  { type: "step-start", step: "step-2" },
  ...words("part-1", "The file is edited."),
  { type: "step-end", step: "step-2", finish: "stop", usage },
);

/** A model whose answer ends with this finish reason. */
const endingAs = (unified: "length" | "content-filter", message: string, text: string): Source =>
  agent({
    model: demo({
      speed: Infinity,
      stories: [
        {
          name: unified,
          message,
          description: "",
          matches: () => true,
          steps: [
            () => [
              { say: text },
              { part: { type: "finish", finishReason: { unified, raw: undefined }, usage: modelUsage } },
            ],
          ],
        },
      ],
    }),
  });
const modelUsage = {
  inputTokens: { total: 12, noCache: 12, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 16, text: 16, reasoning: 0 },
};
const CUT = "Write the whole guide";
const FILTERED = "Help me break into the outbox";

export const extraStories: readonly Story[] = [
  {
    name: "cut at limit",
    message: CUT,
    description: "the model reached its output token limit, so the answer is incomplete",
    source: endingAs("length", CUT, "The guide has three parts. The first is about"),
  },
  {
    name: "filtered",
    message: FILTERED,
    description: "the provider's content filter stopped the answer, and the provider explains this in its own words",
    source: endingAs("content-filter", FILTERED, "I cannot help with that request."),
  },
  resume,
  {
    name: "approval options",
    message: "Edit the file",
    description: "an approval with several ways to allow or deny, and the one that was chosen",
    source: offering,
  },
];
