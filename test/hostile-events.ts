import type { Event } from "../src/events.ts";

/** Text with terminal commands, or with characters that hide or reorder text. */
export const terminalCommands =
  "\x1b]0;title\x07\x1b[2J\x1b[31mred\x1b[0m\x1b]52;c;ZXZpbA==\x1b\\ a\rb\x00c\x08\x7f\x9b31m\u009d0;x\u009c\u202eabc\u2066d\u{e0041}\ud800";
// eslint-disable-next-line no-control-regex
export const controlCharacters = /[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;

/** Text that sets `window.hacked` wherever it becomes markup. */
export const markup = `</script><script>window.hacked=1</script><img src=https://evil.example/x onerror="window.hacked=1">`;

/** A run with the text in every place that a view shows. Its only password is hunter2hunter2. */
export const hostileEvents = (text: string): readonly Event[] => [
  { type: "step-start", step: "s" },
  { type: "thinking-start", part: "t" },
  { type: "thinking-delta", part: "t", delta: text },
  { type: "thinking-end", part: "t" },
  { type: "text-start", part: "p" },
  { type: "text-delta", part: "p", delta: `${text}\n[click](javascript:window.hacked=1) ![x](https://evil.example/y)` },
  { type: "text-end", part: "p" },
  { type: "tool-start", call: "c", name: text },
  { type: "tool-input-end", call: "c", input: { [text]: text, password: "hunter2hunter2" } },
  { type: "step-end", step: "s", finish: "tools" },
  { type: "tool-execute", call: "c" },
  { type: "status", call: "c", text },
  { type: "tool-output-delta", call: "c", stream: "stdout", delta: text },
  { type: "citation", citation: "k", call: "c", title: text, url: "javascript:window.hacked=1" },
  { type: "embed", embed: "e", call: "c", html: text, url: "https://evil.example/z", title: text },
  { type: "agent-start", agent: "a", call: "c", name: text, task: text },
  { type: "agent-end", agent: "a", outcome: "error", error: { code: "x", message: text } },
  { type: "tool-end", call: "c", outcome: "error", error: { code: "x", message: text, hint: text } },
];
