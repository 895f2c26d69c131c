import type { Event } from "../../src/events.ts";
import type { Source } from "../../src/source.ts";

/** A run that the demo does not play: what it is asked, and who plays it. */
export interface Story {
  readonly name: string;
  readonly message: string;
  readonly description: string;
  readonly source: Source;
}

const playing = (...events: Event[]): Source =>
  async function* () {
    yield* events;
  };

const call = (id: string, name: string, of: { agent?: string } = {}): Event[] => [
  { type: "tool-start", ...of, call: id, name },
  { type: "tool-input-end", ...of, call: id, input: {} },
];
const words = (part: string, text: string): Event[] => [
  { type: "text-start", part },
  { type: "text-delta", part, delta: text },
  { type: "text-end", part },
];
const usage = { input: 12, output: 16 };
const sub = { agent: "researcher-1" };

/** What another process writes when it takes over is part of the story: see "Taking over" in PROTOCOL.md. */
const resumed = playing(
  { type: "step-start", step: "step-1" },
  ...call("call_golden_1", "search_notes"),
  ...call("call_golden_2", "run_checks"),
  ...call("call_golden_3", "send_report"),
  ...call("call_golden_4", "task"),
  { type: "step-end", step: "step-1", finish: "tools", usage },
  { type: "tool-execute", call: "call_golden_1" },
  { type: "tool-end", call: "call_golden_1", outcome: "ok", content: [{ type: "text", text: "3 notes" }], ms: 1 },
  { type: "ask-start", ask: "ask_golden_1", kind: "approval", call: "call_golden_3", title: "Allow send_report?" },
  { type: "tool-execute", call: "call_golden_4" },
  { type: "agent-start", ...sub, call: "call_golden_4", name: "researcher", task: "Read the notes" },
  { type: "step-start", ...sub, step: "step-2" },
  { type: "text-start", ...sub, part: "part-1" },
  { type: "text-delta", ...sub, part: "part-1", delta: "The notes say" },
  { type: "tool-execute", call: "call_golden_2" },
  { type: "tool-output-delta", call: "call_golden_2", stream: "stdout", delta: "check 1 of 3\n" },
  // Here the process dies.
  { type: "text-end", ...sub, part: "part-1", cut: true },
  { type: "step-end", ...sub, step: "step-2", finish: "interrupted" },
  { type: "tool-end", call: "call_golden_2", outcome: "interrupted" },
  { type: "run-resume", owner: "server-2", reason: "expired", after: 21 },
  { type: "tool-start", call: "call_golden_5", name: "run_checks", repeats: "call_golden_2" },
  { type: "tool-input-end", call: "call_golden_5", input: {} },
  { type: "tool-execute", call: "call_golden_5" },
  { type: "tool-end", call: "call_golden_5", outcome: "ok", content: [{ type: "text", text: "3 checks passed" }], ms: 1 },
  { type: "step-start", ...sub, step: "step-3" },
  { type: "text-start", ...sub, part: "part-2" },
  { type: "text-delta", ...sub, part: "part-2", delta: "The notes say that all is well." },
  { type: "text-end", ...sub, part: "part-2" },
  { type: "step-end", ...sub, step: "step-3", finish: "stop", usage },
  { type: "agent-end", ...sub, outcome: "done" },
  {
    type: "tool-end",
    call: "call_golden_4",
    outcome: "ok",
    content: [{ type: "text", text: "The notes say that all is well." }],
    ms: 1,
  },
  { type: "ask-end", ask: "ask_golden_1", outcome: "answered", answer: { allow: true }, by: "Ada" },
  { type: "tool-execute", call: "call_golden_3" },
  { type: "tool-end", call: "call_golden_3", outcome: "ok", content: [{ type: "text", text: "sent" }], ms: 1 },
  { type: "step-start", step: "step-4" },
  ...words("part-3", "The report is sent: all is well."),
  { type: "step-end", step: "step-4", finish: "stop", usage },
);

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

export const extraStories: readonly Story[] = [
  {
    name: "resume",
    message: "Check everything and send the report",
    description:
      "the process dies and another takes over: a finished call stays, an interrupted one runs again, an approval and a sub-agent go on",
    source: resumed,
  },
  {
    name: "approval options",
    message: "Edit the file",
    description: "an approval with several ways to allow or deny, and the one that was taken",
    source: offering,
  },
];
