import type { Generation } from "./generations.ts";

/** One entry of the list that Open WebUI keeps of an answer, in the format of OpenAI's Responses. Unknown fields are kept. */
export interface OutputItem {
  readonly type?: string;
  readonly id?: string;
  readonly call_id?: string;
  readonly name?: string;
  readonly status?: string;
  readonly arguments?: unknown;
  readonly content?: readonly OutputPart[];
  readonly summary?: readonly OutputPart[] | null;
  readonly output?: readonly OutputPart[];
  readonly duration?: number | null;
  readonly ended_at?: number | null;
  readonly started_at?: number | null;
  readonly [field: string]: unknown;
}

export interface OutputPart {
  readonly type?: string;
  readonly text?: unknown;
  readonly [field: string]: unknown;
}

export interface ResponseEvent {
  readonly type: string;
  readonly item?: OutputItem;
  readonly part?: OutputPart;
  readonly item_id?: string;
  readonly output_index?: number;
  readonly content_index?: number;
  readonly summary_index?: number;
  readonly delta?: unknown;
  readonly response?: { readonly output?: readonly OutputItem[]; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

export type OutputItems = readonly OutputItem[];

/** The index of the item that `item` is a newer state of, or -1. */
export const sameItemIndex = (items: OutputItems, item: OutputItem, { sameItem }: Generation): number => {
  if (sameItem === "none") return -1;
  return items.findIndex(
    (each) =>
      (item.id && each.id === item.id) ||
      (item.call_id && each.call_id === item.call_id && (sameItem === "id or call" || each.type === item.type)),
  );
};

export const withItem = (items: OutputItems, index: number, item: OutputItem): OutputItems =>
  index >= 0 && index < items.length ? items.with(index, item) : [...items, item];

/** The parts with one of them changed. Missing ones before it are created with `type`. */
export const withPart = (
  parts: readonly OutputPart[],
  index: number,
  type: string,
  change: (part: OutputPart) => OutputPart,
): readonly OutputPart[] => {
  const filled = [...parts];
  while (filled.length <= index) filled.push({ type, text: "" });
  return filled.with(index, change(filled[index]!));
};

/** The text of a part with a delta appended. */
export const grownText = (text: unknown, delta: unknown): string => `${text ?? ""}${delta ?? ""}`;

export const isDelta = (type: string): boolean => type.startsWith("response.") && type.endsWith(".delta");

/** `response.output_text.delta` → `output_text`. */
export const fieldOf = (type: string): string => type.split(".")[1] ?? "";

export const TEXT_FIELDS = new Set(["text", "output_text", "reasoning_text", "reasoning_summary_text"]);
