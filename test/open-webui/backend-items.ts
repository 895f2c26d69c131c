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
  TEXT_FIELDS,
  withItem,
  withPart,
} from "./output-items.ts";

/** Applies one event to the backend's list. Uses only `output_index`, never `item_id`. */
export const backendItems = (items: OutputItems, event: ResponseEvent, generation: Generation): OutputItems => {
  const { type } = event;
  const index = event.output_index ?? Math.max(items.length - 1, 0);
  if (type === "response.output_item.added") return added(items, event, generation);
  if (type === "response.output_item.done")
    return generation.takesDone && event.item ? withItem(items, index, event.item) : items;
  if (type === "response.completed") return completed(items, event, generation);
  const known = isDelta(type) ? filled(items, event, generation) : items;
  const item = known[index];
  if (!item) return items;
  const changed = isDelta(type) ? grown(item, event) : changedItem(item, event);
  return changed ? known.with(index, changed) : items;
};

const added = (items: OutputItems, { item, output_index }: ResponseEvent, generation: Generation): OutputItems => {
  if (!item) return items;
  if (generation.sameItem === "none") return [...items, item];
  const same = sameItemIndex(items, item, generation);
  if (same >= 0) return items.with(same, item);
  return items.toSpliced(output_index ?? items.length, 0, item);
};

const completed = (items: OutputItems, { response }: ResponseEvent, { completed }: Generation): OutputItems => {
  const output = response?.output;
  const replaced = completed.backend === "replaces" ? (output ?? items) : output?.length ? output : items;
  return replaced.map((item) => (item.type === "reasoning" ? { ...item, status: "completed" } : item));
};

const filled = (items: OutputItems, event: ResponseEvent, { deltaMakesItem }: Generation): OutputItems => {
  const index = event.output_index ?? Math.max(items.length - 1, 0);
  if (!deltaMakesItem || index < items.length) return items;
  const blank: OutputItem = { type: "message", status: "in_progress", role: "assistant", content: [] };
  const field = fieldOf(event.type);
  const made = field.startsWith("reasoning")
    ? "reasoning"
    : field === "function_call_arguments"
      ? "function_call"
      : "message";
  return [
    ...items,
    ...Array.from({ length: index - items.length }, () => blank),
    { ...blank, id: event.item_id, type: made },
  ];
};

const grown = (item: OutputItem, event: ResponseEvent): OutputItem | undefined => {
  const field = fieldOf(event.type);
  if (field === "function_call_arguments")
    return item.type === "function_call" ? { ...item, arguments: grownText(item.arguments, event.delta) } : undefined;
  if (item.type === "message") {
    if (field.startsWith("reasoning")) return undefined;
    return { ...item, content: grownParts(item.content, event.content_index, event, "text") };
  }
  if (item.type === "reasoning") {
    if (field === "reasoning_summary_text")
      return { ...item, summary: grownParts(item.summary ?? [], event.summary_index, event, "summary_text") };
    if (field === "reasoning_text")
      return { ...item, content: grownParts(item.content, event.content_index, event, "text") };
    return undefined;
  }
  const key = field === "text" || field === "output_text" ? "text" : field;
  return { ...item, [key]: grownText(item[key], event.delta) };
};

const grownParts = (
  parts: readonly OutputPart[] = [],
  index = 0,
  { delta }: ResponseEvent,
  type: string,
): readonly OutputPart[] => withPart(parts, index, type, (part) => ({ ...part, text: grownText(part.text, delta) }));

/** Undefined if nothing changes. */
const changedItem = (item: OutputItem, event: ResponseEvent): OutputItem | undefined => {
  switch (event.type) {
    case "response.content_part.added":
      return item.type === "reasoning" ? item : { ...item, content: [...(item.content ?? []), event.part!] };
    case "response.reasoning_summary_part.added":
      return { ...item, summary: [...(item.summary ?? []), event.part!] };
    case "response.content_part.done":
      return swapped(item, "content", event.content_index, event.part);
    case "response.reasoning_summary_part.done":
      return swapped(item, "summary", event.summary_index, event.part);
    default:
      return event.type.endsWith(".done") ? doneField(item, event) : undefined;
  }
};

const swapped = (
  item: OutputItem,
  key: "content" | "summary",
  index: number | undefined,
  part: OutputPart | undefined,
): OutputItem | undefined => {
  const parts = item[key];
  if (!part || !parts) return undefined;
  const at = index ?? parts.length - 1;
  return at >= 0 && at < parts.length ? { ...item, [key]: parts.with(at, part) } : undefined;
};

const doneField = (item: OutputItem, event: ResponseEvent): OutputItem | undefined => {
  const field = fieldOf(event.type);
  const key = TEXT_FIELDS.has(field) ? "text" : field === "function_call_arguments" ? "arguments" : field;
  if (!(key in event)) return undefined;
  if (key === "arguments") return item.type === "function_call" ? { ...item, arguments: event.arguments } : item;
  if (item.type === "reasoning") return { ...item, status: "completed" };
  if (item.type !== "message") return { ...item, [key]: event[key] };
  const at = event.content_index ?? 0;
  const part = item.content?.[at];
  return part ? { ...item, content: item.content!.with(at, { ...part, [key]: event[key] }) } : item;
};
