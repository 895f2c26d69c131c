import type { Generation } from "./generations.ts";
import {
  fieldOf,
  grownText,
  isDelta,
  type OutputItem,
  type OutputItems,
  type OutputPart,
  type ResponseEvent,
  sameItemIndex,
  withItem,
  withPart,
} from "./output-items.ts";

/** Applies one event to the browser's list. Uses `item_id` if it is known, else `output_index`. */
export const browserItems = (items: OutputItems, event: ResponseEvent, generation: Generation): OutputItems => {
  const { type, item } = event;
  if (!type.startsWith("response.")) return items;
  if (type === "response.completed") return completed(items, event, generation);
  const known =
    event.item_id === undefined
      ? -1
      : items.findIndex(({ id, call_id }) => id === event.item_id || call_id === event.item_id);
  const index = known >= 0 ? known : (event.output_index ?? Math.max(items.length - 1, 0));

  if (type === "response.output_item.added" || type === "response.output_item.done") {
    if (!item) return items;
    const same = sameItemIndex(items, item, generation);
    if (same >= 0) return items.with(same, item);
    return type.endsWith("added") ? items.toSpliced(index, 0, item) : withItem(items, index, item);
  }
  const isPartAdded = type === "response.content_part.added" || type === "response.reasoning_summary_part.added";
  if (!isPartAdded && !isDelta(type) && !type.endsWith(".done")) return items;
  const filled = fill(items, index, event);
  return filled.with(index, isDelta(type) ? grown(filled[index]!, event) : changed(filled[index]!, event));
};

const completed = (items: OutputItems, { response }: ResponseEvent, generation: Generation): OutputItems => {
  const output = response?.output;
  if (generation.completed.browser === "replaces") return output ?? items;
  return (output ?? []).reduce<OutputItems>((merged, item) => {
    const same = sameItemIndex(merged, item, generation);
    return same >= 0 ? merged.with(same, item) : [...merged, item];
  }, items);
};

/** An event for a missing item creates it, with blank messages before it. */
const fill = (items: OutputItems, index: number, { type, item_id }: ResponseEvent): OutputItems => {
  const blank: OutputItem = { type: "message", status: "in_progress", role: "assistant", content: [] };
  const made = type.includes("reasoning") ? "reasoning" : type.includes("function_call") ? "function_call" : "message";
  const filled = [...items];
  while (filled.length < index) filled.push(blank);
  if (filled.length === index) filled.push({ ...blank, id: item_id, type: made });
  return filled;
};

const grown = (item: OutputItem, event: ResponseEvent): OutputItem => {
  const field = fieldOf(event.type);
  const { delta, summary_index = 0, content_index = 0 } = event;
  if (field === "function_call_arguments") return { ...item, arguments: grownText(item.arguments, delta) };
  const key = field === "output_text" || field.startsWith("reasoning") ? "text" : field;
  const grow = (part: OutputPart) => ({ ...part, [key]: grownText(part[key], delta) });
  return field === "reasoning_summary_text"
    ? { ...item, summary: withPart(item.summary ?? [], summary_index, "summary_text", grow) }
    : { ...item, content: withPart(item.content ?? [], content_index, "output_text", grow) };
};

const changed = (item: OutputItem, event: ResponseEvent): OutputItem => {
  const { part, content_index, summary_index, text } = event;
  const { content = [] } = item;
  const summary = item.summary ?? [];
  switch (event.type) {
    case "response.content_part.added":
      if (item.type === "reasoning" || !part) return item;
      return { ...item, content: withPart(content, content_index ?? content.length, "output_text", () => part) };
    case "response.reasoning_summary_part.added":
      if (!part) return item;
      return { ...item, summary: withPart(summary, summary_index ?? summary.length, "summary_text", () => part) };
    case "response.content_part.done": {
      if (!part) return item;
      const last = Math.max(content.length - 1, 0);
      return { ...item, content: withPart(content, content_index ?? last, "output_text", () => part) };
    }
    case "response.function_call_arguments.done":
      return event.arguments === undefined ? item : { ...item, arguments: event.arguments };
    case "response.output_text.done":
    case "response.text.done":
    case "response.reasoning_text.done": {
      if (text === undefined) return item;
      return { ...item, content: withPart(content, content_index ?? 0, "output_text", (each) => ({ ...each, text })) };
    }
    default:
      return item;
  }
};
