import { openWebui } from "../../src/dialects/open-webui.ts";
import type { EncodeOptions, Frame } from "../../src/dialect.ts";
import type { Entry, Event } from "../../src/events.ts";
import { link, numbered } from "./dialect-frames.ts";

export type Line = Record<string, any>;

export const page = (access: string): string => `http://runcast/?run=r&${access}`;

export const framesOf = (entries: readonly Entry[], style?: string): Frame[] => {
  const options: EncodeOptions = { link, page, ...(style !== undefined && { style }) };
  const encode = openWebui.encode(options);
  return entries.flatMap((entry) => [...encode(entry)]);
};

export const linesOf = (frames: readonly Frame[]): Line[] =>
  frames.filter(({ data }) => data !== "[DONE]").map(({ data }) => JSON.parse(data) as Line);

/** The items of a message as Open WebUI's server stores them, by index. */
export const itemsOf = (frames: readonly Frame[]): Line[] => {
  let items: Line[] = [];
  for (const line of linesOf(frames)) {
    const item = items[line["output_index"]];
    switch (line["type"]) {
      case "response.output_item.added":
        items.splice(line["output_index"], 0, line["item"]);
        break;
      case "response.output_item.done":
        items[line["output_index"]] = line["item"];
        break;
      case "response.output_text.delta":
      case "response.reasoning_text.delta":
        item!["content"][0].text += line["delta"];
        break;
      case "response.content_part.done":
        item!["content"][0] = line["part"];
        break;
      case "response.function_call_arguments.done":
        item!["arguments"] = line["arguments"];
        break;
      case "response.call_id.done":
        item!["call_id"] = line["call_id"];
        break;
      case "response.completed":
        items = structuredClone(line["response"].output);
    }
  }
  return items;
};

/** What the user sees, in order: texts, and calls with their results. */
export const shown = (frames: readonly Frame[]): string[] => {
  const items = itemsOf(frames);
  return items.flatMap((item) => {
    if (item["type"] === "function_call_output") return [];
    if (item["type"] !== "function_call") return item["content"][0]?.text ? [item["content"][0].text as string] : [];
    const result = items.find(({ type, call_id: id }) => type === "function_call_output" && id === item["call_id"]);
    return [`[${item["name"]} ${item["arguments"]} ${item["status"]}: ${result?.["output"][0].text ?? "…"}]`];
  });
};

export const eventsIn = (frames: readonly Frame[], type: string): any[] =>
  linesOf(frames)
    .filter(({ event }) => event?.type === type)
    .map(({ event }) => event.data);

export const statuses = (frames: readonly Frame[]): string[] =>
  eventsIn(frames, "status").map(({ description, done }) => `${description}${done ? " ✓" : ""}`);

export const start: Event = { type: "run-start", protocol: 1, run: "r", name: "test" };
export const done: Event = { type: "run-end", outcome: "done" };

export const text = (part: string, ...deltas: string[]): Event[] => [
  { type: "text-start", part },
  ...deltas.map((delta): Event => ({ type: "text-delta", part, delta })),
  { type: "text-end", part },
];

export const call = (id: string, name: string, input: unknown = {}, agent?: string): Event[] => {
  const of = agent === undefined ? {} : { agent };
  return [
    { type: "tool-start", ...of, call: id, name },
    { type: "tool-input-end", ...of, call: id, input: input as never },
    { type: "tool-execute", ...of, call: id },
  ];
};

export const ended = (id: string, result: string, more: object = {}): Event => ({
  type: "tool-end",
  call: id,
  outcome: "ok",
  content: [{ type: "text", text: result }],
  ...more,
});

/** A run with these events, in one step. */
export const run = (...events: Event[]): Entry[] => numbered([start, ...events, done]);
