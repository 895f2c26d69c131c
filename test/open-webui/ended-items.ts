import type { Generation } from "./generations.ts";
import type { OutputItem, OutputItems } from "./output-items.ts";

/** A call without a result. */
export interface OpenCall {
  readonly call: string;
  readonly name: string;
  readonly arguments: string;
}

/** The items at the end of the stream, before open ones are marked as completed. Undefined where Open WebUI throws. */
export const endedItems = (items: OutputItems, generation: Generation): OutputItems | undefined => {
  const stripped = withoutEmptyEnd(items);
  const last = stripped.at(-1);
  if (last?.type !== "reasoning" || (last.ended_at ?? undefined) !== undefined) return stripped;
  if ((last.started_at ?? undefined) === undefined && generation.socket === "snapshots") return undefined;
  return [...stripped.slice(0, -1), { ...last, status: "completed", ended_at: 2 }];
};

/** Trims the last text. Removes it if nothing is left. */
const withoutEmptyEnd = (items: OutputItems): OutputItems => {
  const last = items.at(-1);
  const part = last?.content?.at(-1);
  if (last?.type !== "message" || part?.type !== "output_text") return items;
  const text = strippedAsPython(String(part.text ?? ""));
  const stripped: OutputItem = { ...last, content: [...last.content!.slice(0, -1), { ...part, text }] };
  return text === "" && items.length > 1 ? items.slice(0, -1) : [...items.slice(0, -1), stripped];
};

const strippedAsPython = (text: string): string => {
  const isSpace = (character: string) =>
    (character.trim() === "" && character !== "\ufeff") || "\x1c\x1d\x1e\x1f\x85".includes(character);
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text[start]!)) start++;
  while (end > start && isSpace(text[end - 1]!)) end--;
  return text.slice(start, end);
};

/** What Open WebUI runs itself at the end of a stream: each call without a result, regardless of its status. */
export const openCalls = (items: OutputItems, { callIsItsId }: Generation): readonly OpenCall[] => {
  const answered = new Set(items.filter(({ type }) => type === "function_call_output").map(({ call_id }) => call_id));
  return items
    .filter(
      (item) => item.type === "function_call" && !answered.has(item.call_id ?? (callIsItsId ? item.id : undefined)),
    )
    .map((item) => ({
      call: String(item.call_id ?? item.id),
      name: String(item.name),
      arguments: typeof item.arguments === "string" ? item.arguments : JSON.stringify(item.arguments),
    }));
};

export const stoppedItems = (items: OutputItems, generation: Generation): OutputItems => {
  if (generation.stopped === "left") return items;
  const open = new Set(openCalls(items, generation).map(({ call }) => call));
  return items.map((item) =>
    item.status === "in_progress" || (item.type === "function_call" && open.has(String(item.call_id ?? item.id)))
      ? { ...item, status: "incomplete" }
      : item,
  );
};
