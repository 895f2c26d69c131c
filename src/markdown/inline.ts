import type { Definition } from "./definitions.ts";
import { bareLinkAt, bareLinkIn } from "./inline/bare-links.ts";
import { type Bracket, closeBracket } from "./inline/brackets.ts";
import { PUNCTUATION, sticky } from "./inline/destination.ts";
import { emphasize, flanking } from "./inline/emphasis.ts";
import { ENTITY, entityOf } from "./inline/entities.ts";
import { type Items, createItems, finished } from "./inline/items.ts";
import { closeOpen, openTail } from "./inline/open.ts";
import { backtickRuns, formulas } from "./inline/spans.ts";

/** An inline element. */
export type Inline =
  | { readonly kind: "text" | "code"; readonly text: string }
  | { readonly kind: "math"; readonly text: string; readonly display: boolean }
  | { readonly kind: "break" }
  | { readonly kind: "emphasis" | "strong" | "deleted"; readonly children: readonly Inline[] }
  /** An empty `url` means that the link is still being written. */
  | { readonly kind: "link"; readonly url: string; readonly title: string; readonly children: readonly Inline[] }
  | { readonly kind: "image"; readonly url: string; readonly title: string; readonly alt: string };

export interface InlineOptions {
  readonly definitions: { get(label: string): Definition | undefined };
  /** Called with each label that would be a link if it were defined. */
  readonly missed?: (label: string) => void;
  /**
   * More text will follow. Unclosed markup is shown as what it will most likely become, and trailing marks are hidden.
   */
  readonly open?: boolean;
}

export interface Delimiter {
  readonly item: Items["last"] & object;
  readonly char: string;
  readonly original: number;
  readonly canOpen: boolean;
  readonly canClose: boolean;
  readonly at: number;
  count: number;
  prev: Delimiter | undefined;
  next: Delimiter | undefined;
}

/** The state of parsing one text. */
export interface Reading {
  readonly text: string;
  readonly items: Items;
  readonly options: InlineOptions;
  delimiters: Delimiter | undefined;
  brackets: Bracket | undefined;
}

/** The longest text that is parsed. The rest is shown as plain text. */
const LENGTH = 16_384;

/** Parses emphasis, links, code, formulas, and other inlines. `balanced` means that nothing is left open that more text could close. */
export const parseInline = (
  whole: string,
  options: InlineOptions,
): { inlines: readonly Inline[]; balanced: boolean } => {
  const tail = options.open ? openTail(whole) : { text: whole, link: false };
  const text = tail.text.length > LENGTH ? tail.text.slice(0, LENGTH) : tail.text;
  const items = createItems();
  const reading: Reading = { text, items, options, delimiters: undefined, brackets: undefined };
  const closing = backtickRuns(text);
  const formulaAt = formulas(text);
  let unclosed = false;
  let nextLink = -2;
  let at = 0;

  const literal = (length: number): void => {
    items.text(text.slice(at, at + length));
    at += length;
  };

  const plain = (): void => {
    const end = at + sticky(/[^\n\\`*_~[\]!<&$]+/y, text, at)![0].length;
    if (nextLink !== -1 && nextLink < at) nextLink = bareLinkIn(text, at, text.length);
    while (nextLink >= at && nextLink < end) {
      const link = bareLinkAt(text, nextLink, reading.brackets !== undefined);
      if (!link) {
        literal(nextLink + 1 - at);
        nextLink = bareLinkIn(text, at, text.length);
        continue;
      }
      literal(nextLink - at);
      items.add({ kind: "link", url: link.url, title: "", children: [{ kind: "text", text: link.text }] });
      at += link.text.length;
      return;
    }
    literal(end - at);
  };

  const delimiter = (char: string): void => {
    let count = 1;
    while (text[at + count] === char) count++;
    const { canOpen, canClose } = flanking(text, at, count);
    const item = items.add({ kind: "text", text: text.slice(at, at + count) });
    const usable = (canOpen || canClose) && (char !== "~" || count <= 2);
    if (usable) {
      const prev = reading.delimiters;
      const added: Delimiter = { item, char, count, original: count, canOpen, canClose, at, prev, next: undefined };
      if (prev) prev.next = added;
      reading.delimiters = added;
    }
    at += count;
  };

  const code = (): void => {
    const run = sticky(/`+/y, text, at)![0].length;
    const close = closing(at, run);
    if (close === undefined) {
      unclosed = true;
      if (!options.open) return literal(run);
      items.add({ kind: "code", text: text.slice(at + run) });
      at = text.length;
      return;
    }
    const inner = text.slice(at + run, close).replaceAll("\n", " ");
    const padded = /^ .*[^ ].* $/.test(inner) || /^ [^ ] $/.test(inner);
    items.add({ kind: "code", text: padded ? inner.slice(1, -1) : inner });
    at = close + run;
  };

  const backslash = (): void => {
    const next = text[at + 1];
    if (next === "\n") {
      items.add({ kind: "break" });
      at += 2 + sticky(/ */y, text, at + 2)![0].length;
    } else if (next !== undefined && PUNCTUATION.test(next)) {
      items.text(next);
      at += 2;
    } else literal(1);
  };

  const math = (): boolean => {
    const found = formulaAt(at);
    if (found === "open") unclosed = true;
    if (!found || found === "open") return false;
    items.add({ kind: "math", text: found.text, display: found.display });
    at = found.end;
    return true;
  };

  const angle = (): void => {
    const link = sticky(/<([a-zA-Z][\w+.-]{1,31}:[^\s<>]*)>/y, text, at);
    const mail = sticky(/<([\w.!#$%&'*+/=?^`{|}~-]+@[\da-z-]+(?:\.[\da-z-]+)*)>/iy, text, at);
    const lineBreak = sticky(/<br\s*\/?>\n?/iy, text, at);
    const tag = sticky(
      /<(?:\/[a-z][\da-z-]*\s*|[a-z][\da-z-]*(?:\s+[a-z_:][\w.:-]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*\s*\/?)>/iy,
      text,
      at,
    );
    const found = link ?? mail;
    if (found) {
      const url = link ? found[1]! : `mailto:${found[1]!}`;
      items.add({ kind: "link", url, title: "", children: [{ kind: "text", text: found[1]! }] });
      at += found[0].length;
    } else if (lineBreak) {
      items.add({ kind: "break" });
      at += lineBreak[0].length;
    } else literal(tag?.[0].length ?? 1);
  };

  const bracket = (image: boolean): void => {
    const item = items.add({ kind: "text", text: image ? "![" : "[" });
    at += image ? 2 : 1;
    const { brackets: prev, delimiters: bottom } = reading;
    reading.brackets = { item, image, active: true, at, bottom, prev };
  };

  while (at < text.length) {
    const char = text[at]!;
    if (char === "\n") {
      items.add(items.trimEnd() >= 2 ? { kind: "break" } : { kind: "text", text: "\n" });
      at += 1 + sticky(/[ \t]*/y, text, at + 1)![0].length;
    } else if (char === "\\") {
      if (!math()) backslash();
    } else if (char === "$") {
      if (!math()) literal(text.startsWith("$$", at) ? 2 : 1);
    } else if (char === "`") code();
    else if (char === "*" || char === "_" || char === "~") delimiter(char);
    else if (char === "[") bracket(false);
    else if (char === "!") {
      if (text[at + 1] === "[") bracket(true);
      else literal(1);
    } else if (char === "]") at = closeBracket(reading, at);
    else if (char === "<") angle();
    else if (char === "&") {
      const found = sticky(ENTITY, text, at);
      const decoded = found && entityOf(found[1]!);
      if (decoded === undefined) literal(1);
      else {
        items.text(decoded);
        at += found![0].length;
      }
    } else plain();
  }
  emphasize(reading, undefined);
  const left = leftOpen(reading);
  if (options.open) closeOpen(reading, tail.link);
  if (tail.text.length > LENGTH) items.text(tail.text.slice(LENGTH));
  return { inlines: finished(items), balanced: !left && !unclosed };
};

const leftOpen = ({ delimiters, brackets }: Reading): boolean => {
  for (let delimiter = delimiters; delimiter; delimiter = delimiter.prev) if (delimiter.canOpen) return true;
  return brackets !== undefined;
};
