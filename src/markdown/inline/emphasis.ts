import type { Delimiter, Inline, Reading } from "../inline.ts";
import type { Item } from "./items.ts";

/** Whether a run of `*`, `_`, or `~` may open or close emphasis, based on the adjacent characters. */
export const flanking = (text: string, at: number, count: number): { canOpen: boolean; canClose: boolean } => {
  const before = at === 0 ? "\n" : text[at - 1]!;
  const after = text[at + count] ?? "\n";
  const spaceBefore = /\s/.test(before);
  const spaceAfter = /\s/.test(after);
  const markBefore = /[\p{P}\p{S}]/u.test(before);
  const markAfter = /[\p{P}\p{S}]/u.test(after);
  const left = !spaceAfter && (!markAfter || spaceBefore || markBefore);
  const right = !spaceBefore && (!markBefore || spaceAfter || markAfter);
  if (text[at] !== "_") return { canOpen: left, canClose: right };
  return { canOpen: left && (!right || markBefore), canClose: right && (!left || markAfter) };
};

/** Matches delimiters above `bottom` and wraps the inlines between them. */
export const emphasize = (reading: Reading, bottom: Delimiter | undefined): void => {
  const floors = new Map<string, Delimiter | undefined>();
  let closer = reading.delimiters;
  while (closer && closer.prev !== bottom) closer = closer.prev;
  if (closer === bottom) return;
  while (closer) {
    if (!closer.canClose) {
      closer = closer.next;
      continue;
    }
    const key = `${closer.char}${closer.canOpen}${closer.original % 3}${closer.char === "~" ? closer.count : ""}`;
    const floor = floors.has(key) ? floors.get(key) : bottom;
    let opener = closer.prev;
    while (opener && opener !== floor && opener !== bottom && !matches(opener, closer)) opener = opener.prev;
    const found = opener && opener !== floor && opener !== bottom ? opener : undefined;
    if (!found) {
      floors.set(key, closer.prev);
      const next: Delimiter | undefined = closer.next;
      if (!closer.canOpen) removeDelimiter(reading, closer);
      closer = next;
      continue;
    }
    const used = closer.char === "~" ? closer.count : closer.count >= 2 && found.count >= 2 ? 2 : 1;
    wrap(reading, found.item, closer.item, kindOf(closer.char, used));
    while (closer.prev && closer.prev !== found) removeDelimiter(reading, closer.prev);
    spend(reading, found, used);
    const next: Delimiter | undefined = closer.next;
    spend(reading, closer, used);
    if (closer.count === 0) closer = next;
  }
};

const matches = (opener: Delimiter, closer: Delimiter): boolean => {
  if (opener.char !== closer.char || !opener.canOpen) return false;
  if (closer.char === "~") return opener.count === closer.count;
  const both = closer.canOpen || opener.canClose;
  return !(both && closer.original % 3 !== 0 && (opener.original + closer.original) % 3 === 0);
};

type Wrapping = Extract<Inline["kind"], "emphasis" | "strong" | "deleted">;

export const kindOf = (char: string, used: number): Wrapping =>
  char === "~" ? "deleted" : used === 2 ? "strong" : "emphasis";

const wrap = ({ items }: Reading, from: Item, to: Item, kind: Wrapping): void => {
  const children = items.between(from, to);
  items.insertAfter(from, { kind, children });
};

const spend = (reading: Reading, delimiter: Delimiter, used: number): void => {
  delimiter.count -= used;
  delimiter.item.inline = { kind: "text", text: delimiter.char.repeat(delimiter.count) };
  if (delimiter.count > 0) return;
  reading.items.remove(delimiter.item);
  removeDelimiter(reading, delimiter);
};

export const removeDelimiter = (reading: Reading, delimiter: Delimiter): void => {
  if (delimiter.prev) delimiter.prev.next = delimiter.next;
  if (delimiter.next) delimiter.next.prev = delimiter.prev;
  else reading.delimiters = delimiter.prev;
};
