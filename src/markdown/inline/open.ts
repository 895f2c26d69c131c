import type { Inline, Reading } from "../inline.ts";
import { plainText } from "./brackets.ts";
import { kindOf } from "./emphasis.ts";
import type { Item } from "./items.ts";

/** The maximum reach of unclosed emphasis, and of a link whose text is still being written. */
const EMPHASIS = 400;
const LINK = 80;

/**
 * Removes trailing marks that only following text can resolve. `link` is true if the text ends in a link whose target
 * is still being written.
 */
export const openTail = (text: string): { text: string; link: boolean } => {
  const target = text.lastIndexOf("](");
  if (
    target >= 0 &&
    text.length - target < 2000 &&
    /^\]\(\s*(?:[^\s()]|\([^\s()]*\))*(?:\s+["'(]?[^"')]*["']?)?$/.test(text.slice(target))
  )
    return { text: text.slice(0, target), link: true };
  if (text.endsWith("]")) return { text: text.slice(0, -1), link: true };
  return { text: text.replace(/(?:[*_~`]+|\\|!?\[|<(?:br?\s?\/?)?)$/i, ""), link: false };
};

/** Closes what is left open at the end of an unfinished text. */
export const closeOpen = (reading: Reading, link: boolean): void => {
  const { text, items } = reading;
  const begun: { at: number; item: Item; close: (children: readonly Inline[]) => Inline }[] = [];
  for (let { delimiters: left } = reading; left; left = left.prev) {
    const { canOpen, char, at, item } = left;
    const { count } = left;
    if (!canOpen || text.length - at > EMPHASIS) continue;
    const kind = kindOf(char, count >= 2 ? 2 : 1);
    const both = char !== "~" && count === 3;
    const close = (children: readonly Inline[]): Inline => ({
      kind,
      children: both ? [{ kind: "emphasis", children }] : children,
    });
    begun.push({ at, item, close });
  }
  const bracket = reading.brackets;
  if (bracket) {
    const { image, at, item } = bracket;
    if (bracket.active && (link || text.length - at <= LINK)) {
      const close = (children: readonly Inline[]): Inline =>
        image
          ? { kind: "image", url: "", title: "", alt: plainText(children) }
          : { kind: "link", url: "", title: "", children };
      begun.push({ at, item, close });
    }
  }
  begun.sort((one, other) => other.at - one.at);
  for (const { item, close } of begun) {
    const children = items.between(item, undefined);
    if (children.length > 0) item.inline = close(children);
    else items.remove(item);
  }
};
