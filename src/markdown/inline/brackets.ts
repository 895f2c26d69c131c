import type { Delimiter, Inline, Reading } from "../inline.ts";
import { targetAt } from "./destination.ts";
import { emphasize, removeDelimiter } from "./emphasis.ts";
import type { Item } from "./items.ts";

/** A `[` or `![` that may start a link or an image. */
export interface Bracket {
  readonly item: Item;
  readonly image: boolean;
  readonly at: number;
  /** The last delimiter before it. Emphasis inside the link does not reach beyond it. */
  readonly bottom: Delimiter | undefined;
  readonly prev: Bracket | undefined;
  /** False for a bracket around a link, because links cannot be nested. */
  active: boolean;
}

/** Handles a `]` and what follows it. Returns the offset after that. */
export const closeBracket = (reading: Reading, at: number): number => {
  const { brackets: bracket, items, text } = reading;
  const found = bracket?.active ? (targetAt(text, at + 1) ?? reference(reading, bracket, at)) : undefined;
  if (bracket) reading.brackets = bracket.prev;
  if (!bracket || !found) {
    items.text("]");
    return at + 1;
  }
  emphasize(reading, bracket.bottom);
  while (reading.delimiters && reading.delimiters !== bracket.bottom) removeDelimiter(reading, reading.delimiters);
  const children = items.between(bracket.item, undefined);
  const { url, title } = found;
  bracket.item.inline = bracket.image
    ? { kind: "image", url, title, alt: plainText(children) }
    : { kind: "link", url, title, children: withoutLinks(children) };
  if (!bracket.image) {
    for (let outer = bracket.prev; outer; outer = outer.prev) if (!outer.image) outer.active = false;
  }
  return found.end;
};

const reference = ({ text, options }: Reading, bracket: Bracket, at: number) => {
  const own = text.slice(bracket.at, at);
  const close = text[at + 1] === "[" ? text.indexOf("]", at + 2) : -1;
  const given = close < 0 ? "" : text.slice(at + 2, close);
  const label = given === "" ? own : given;
  if (label.length > 999 || label.trim() === "" || /(?<!\\)[[\]]/.test(label)) return undefined;
  const definition = options.definitions.get(label);
  if (!definition) {
    options.missed?.(label);
    return undefined;
  }
  return { ...definition, end: close < 0 ? at + 1 : close + 1 };
};

/** Removes links inside a link, including bare addresses. All of its text leads to the outer target. */
const withoutLinks = (inlines: readonly Inline[]): Inline[] =>
  inlines.flatMap((inline): Inline[] => {
    if (inline.kind === "link") return [...inline.children];
    return "children" in inline ? [{ ...inline, children: withoutLinks(inline.children) }] : [inline];
  });

export const plainText = (inlines: readonly Inline[]): string =>
  inlines
    .map((inline) => {
      if ("children" in inline) return plainText(inline.children);
      if (inline.kind === "image") return inline.alt;
      return inline.kind === "break" ? " " : inline.text;
    })
    .join("");
