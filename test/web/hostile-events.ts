import type { Event } from "../../src/events.ts";

const EVIL = `\u202e<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>`;
/** A run in which everything shown tries to be markup. */
export const HOSTILE: readonly Event[] = [
  { type: "step-start", step: "s" },
  { type: "tool-start", call: "c", name: EVIL },
  { type: "tool-input-end", call: "c", input: { [EVIL]: EVIL, list: [EVIL, { [EVIL]: EVIL }] } },
  { type: "step-end", step: "s", finish: "tools" },
  { type: "tool-execute", call: "c" },
  { type: "tool-output-delta", call: "c", stream: "stdout", delta: EVIL },
  { type: "citation", citation: "k", call: "c", title: EVIL, url: "javascript:window.hacked=1", text: "x" },
  { type: "notice", level: "info", call: "c", text: EVIL },
  { type: "data", name: "todos", value: [{ id: "1", text: EVIL, status: "pending" }] },
  { type: "agent-start", agent: "a", call: "c", name: EVIL, task: EVIL },
  { type: "agent-end", agent: "a", outcome: "error", error: { code: "x", message: EVIL } },
  {
    type: "tool-end",
    call: "c",
    outcome: "error",
    content: [{ type: "link", url: "javascript:window.hacked=1", title: EVIL }],
    value: [{ a: EVIL, b: 1 }],
    error: { code: "x", message: EVIL, hint: EVIL },
  },
];
