import type { Inline } from "../inline.ts";
import { linkEmails } from "./bare-links.ts";

export interface Item {
  inline: Inline;
  prev: Item | undefined;
  next: Item | undefined;
}

/** A linked list of the inlines parsed so far, because emphasis and links move ranges of them into their children. */
export interface Items {
  first: Item | undefined;
  last: Item | undefined;
  add(inline: Inline): Item;
  text(text: string): void;
  /** Removes trailing spaces and tabs, and returns the number of spaces after the last tab. */
  trimEnd(): number;
  remove(item: Item): void;
  /** Removes and returns the inlines between two items. */
  between(from: Item, to: Item | undefined): Inline[];
  insertAfter(item: Item, inline: Inline): void;
}

export const createItems = (): Items => {
  const items: Items = {
    first: undefined,
    last: undefined,
    add(inline) {
      const item: Item = { inline, prev: items.last, next: undefined };
      if (items.last) items.last.next = item;
      else items.first = item;
      return (items.last = item);
    },
    text(text) {
      if (text !== "") items.add({ kind: "text", text });
    },
    trimEnd() {
      const inline = items.last?.inline;
      if (inline?.kind !== "text") return 0;
      const trimmed = inline.text.replace(/[ \t]+$/, "");
      items.last!.inline = { kind: "text", text: trimmed };
      return / *$/.exec(inline.text)![0].length;
    },
    remove(item) {
      if (item.prev) item.prev.next = item.next;
      else items.first = item.next;
      if (item.next) item.next.prev = item.prev;
      else items.last = item.prev;
    },
    between(from, to) {
      const inlines: Inline[] = [];
      for (let item = from.next; item !== to && item; item = item.next) inlines.push(item.inline);
      from.next = to;
      if (to) to.prev = from;
      else items.last = from;
      return inlines;
    },
    insertAfter(item, inline) {
      const added: Item = { inline, prev: item, next: item.next };
      if (item.next) item.next.prev = added;
      else items.last = added;
      item.next = added;
    },
  };
  return items;
};

/** Emphasis and links nested deeper than this are shown without their markup. */
const DEPTH = 12;

/** The final inlines: adjacent texts are merged, and email addresses become links. */
export const finished = (items: Items): Inline[] => {
  const inlines: Inline[] = [];
  for (let item = items.first; item; item = item.next) inlines.push(item.inline);
  return merged(inlines, 0, false);
};

const merged = (inlines: readonly Inline[], depth: number, linked: boolean): Inline[] => {
  const result: Inline[] = [];
  let text = "";
  const flush = (): void => {
    if (text === "") return;
    if (linked || !text.includes("@")) result.push({ kind: "text", text });
    else result.push(...linkEmails(text));
    text = "";
  };
  for (const inline of inlines) {
    if (inline.kind === "text") text += inline.text;
    else {
      flush();
      if (!("children" in inline)) result.push(inline);
      else {
        const children = merged(inline.children, depth + 1, linked || inline.kind === "link");
        if (depth >= DEPTH) result.push(...children);
        else result.push({ ...inline, children });
      }
    }
  }
  flush();
  return result;
};
