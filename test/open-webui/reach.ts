import { type BrowserMessage, browserMessage, loadedMessage } from "./browser.ts";
import { display } from "./display.ts";
import type { Generation } from "./generations.ts";
import { createOpenWebui, type OpenWebui } from "./open-webui.ts";
import type { OutputItem } from "./output-items.ts";

/** The effect of one event on Open WebUI: none, visible until the page is reloaded, or permanent. */
export type Reached = "nothing" | "until reload" | "kept";

const item = (id: string, type: string, more: Omit<OutputItem, "id" | "type"> = {}): OutputItem => ({
  id,
  type,
  ...more,
});
// Identified only by its ID: in 0.11.1 to 0.11.3 a result replaces a call with the same `call_id`.
const call = item("c", "function_call", { name: "look", arguments: "", status: "in_progress" });
const result = item("r", "function_call_output", { call_id: "c", output: [{ type: "input_text", text: "found" }] });
const text = (id: string, words: string) =>
  item(id, "message", { role: "assistant", status: "completed", content: [{ type: "output_text", text: words }] });
const thought = item("t", "reasoning", { started_at: 1, content: [{ type: "output_text", text: "hm" }] });
const added = (output_index: number, each: OutputItem) => ({
  type: "response.output_item.added",
  output_index,
  item: each,
});
const event = (type: string, data: unknown) => ({ event: { type, data } });

/** A message that already has content, like every message of ours. */
const before = [added(0, text("m", "words")), added(1, thought), added(2, call), added(3, result)];

/** An example of every event type. */
export const examples: Readonly<Record<string, unknown>> = {
  "response.output_item.added": added(4, text("new", "more")),
  "response.output_text.delta": {
    type: "response.output_text.delta",
    output_index: 0,
    item_id: "m",
    content_index: 0,
    delta: "!",
  },
  "response.reasoning_text.delta": {
    type: "response.reasoning_text.delta",
    output_index: 1,
    item_id: "t",
    content_index: 0,
    delta: "!",
  },
  "response.function_call_arguments.done": {
    type: "response.function_call_arguments.done",
    output_index: 2,
    item_id: "c",
    arguments: '{"a":1}',
  },
  "response.content_part.done": {
    type: "response.content_part.done",
    output_index: 0,
    item_id: "m",
    content_index: 0,
    part: { type: "output_text", text: "others" },
  },
  "response.output_item.done": {
    type: "response.output_item.done",
    output_index: 2,
    item_id: "c",
    item: { ...call, name: "see" },
  },
  "response.completed": {
    type: "response.completed",
    response: { output: [text("m", "words"), thought, call, result, text("new", "more")] },
  },
  "response.in_progress": { type: "response.in_progress" },
  status: event("status", { description: "Looking", done: false }),
  source: event("source", { source: { id: "s", name: "S" }, document: ["d"], metadata: [{ source: "s" }] }),
  citation: event("citation", { source: { id: "s", name: "S" }, document: ["d"], metadata: [{ source: "s" }] }),
  files: event("files", { files: [{ type: "file", name: "f", url: "/f" }] }),
  "chat:message:files": event("chat:message:files", { files: [{ type: "file", name: "f", url: "/f" }] }),
  embeds: event("embeds", { embeds: ["<p>1</p>"], replace: true }),
  "chat:message:tasks": event("chat:message:tasks", { tasks: [{ id: "1", content: "do", status: "pending" }] }),
  "chat:message:follow_ups": event("chat:message:follow_ups", { follow_ups: ["More?"] }),
  "chat:title": event("chat:title", "Title"),
  "chat:tags": event("chat:tags", ["tag"]),
  notification: event("notification", { type: "info", content: "toast" }),
  "chat:message:error": event("chat:message:error", { error: { content: "no" } }),
  confirmation: event("confirmation", { title: "Sure?", message: "" }),
  input: event("input", { title: "Which?", message: "", placeholder: "" }),
  "input select": event("input", { title: "Which?", message: "", input: { type: "select", options: [] } }),
  execute: event("execute", { code: "1" }),
  "chat:tasks:cancel": event("chat:tasks:cancel", {}),
  message: event("message", { content: "more" }),
  "chat:message:delta": event("chat:message:delta", { content: "more" }),
  replace: event("replace", { content: "others" }),
  "chat:message": event("chat:message", { content: "others" }),
  "chat:completion": event("chat:completion", { content: "others" }),
};

/** Sends the example to Open WebUI and checks the page, then ends the answer, reloads the page, and checks again. */
export const reach = (type: string, generation: Generation): Reached => {
  const line = `data: ${JSON.stringify(examples[type])}\n\n`;
  const [without, withEvent] = [start(generation), start(generation)];
  withEvent.take(line);
  const isSeen =
    type === "response.in_progress"
      ? bringsBack(generation)
      : seen(withEvent.message, generation) !== seen(without.message, generation);
  if (!isSeen) return "nothing";
  for (const webui of [without, withEvent]) webui.end();
  return JSON.stringify(withEvent.reloaded()) === JSON.stringify(without.reloaded()) ? "until reload" : "kept";
};

const start = (generation: Generation): OpenWebui => {
  const webui = createOpenWebui(generation);
  for (const line of before) webui.take(`data: ${JSON.stringify(line)}\n\n`);
  return webui;
};

/** Everything the user may notice. Whether the message is done is irrelevant while the stream is in progress. */
const seen = (message: BrowserMessage, generation: Generation): string => {
  const { title, toasts, dialogs, executed } = message;
  return JSON.stringify([{ ...display(message, generation), done: false }, title, toasts, dialogs, executed]);
};

/** Whether a page that was loaded during a run and shows nothing has everything after this. */
const bringsBack = (generation: Generation): boolean => {
  const webui = start(generation);
  if (webui.reloaded().items.length > 0) return false;
  const count = webui.emitted.length;
  webui.take(`data: ${JSON.stringify(examples["response.in_progress"])}\n\n`);
  const later = webui.emitted.slice(count);
  const page = later.reduce((message, each) => browserMessage(message, each, generation), loadedMessage(webui.saved));
  return display(page, generation).items.length > 0;
};
