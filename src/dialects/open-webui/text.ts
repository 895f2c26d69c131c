import { cut } from "./whole-characters.ts";

/** Lines over 64 KB break older versions of Open WebUI. Leaves room for the fields around a text. */
export const LINE_BYTES = 60 * 1024;
/** The limit for one text of a line. */
export const TEXT_BYTES = 48 * 1024;

// oxlint-disable no-control-regex
const ANSI = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\^_])/g;
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Removes terminal escape sequences and control characters. */
export const plain = (text: string): string =>
  text.replace(ANSI, "").replaceAll("\r\n", "\n").replaceAll("\r", "\n").replace(CONTROL, "");

/** Formats text for a place that shows one line of plain text. */
export const oneLine = (text: string, most = 200): string => {
  const line = plain(cut(text, most * 4))
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length <= most ? line : `${cut(line, most - 1)}…`;
};

/** Formats a name, which some versions render as Markdown: removes markup, formulas, mentions and citations. */
export const nameText = (text: string, most = 120): string =>
  oneLine(text, most).replaceAll(/[<>&"'`*[\](){}!#|~$@\\]/g, "") || "unnamed";

/**
 * Shows text literally in Markdown, on one line. Only code is safe from interpretation there: depending on the version,
 * entities are shown or decoded first, and an escaped bracket begins a formula.
 */
export const codeSpan = (text: string): string => {
  const line = plain(text).replaceAll(/\s+/g, " ").trim();
  if (line === "") return "";
  const fence = "`".repeat(longestRun(line) + 1);
  const space = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${fence}${space}${line}${space}${fence}`;
};

/** Shows text literally in Markdown, with its line breaks. */
export const codeBlock = (text: string): string => {
  const lines = plain(text);
  const fence = "`".repeat(Math.max(3, longestRun(lines) + 1));
  return `${fence}text\n${lines}\n${fence}`;
};

/** Escapes deltas within an open code block, so none of them can end it. */
export const withinCode = (text: string): string => plain(text).replaceAll("`", "`\u200b");

const longestRun = (text: string): number =>
  text.includes("`") ? Math.max(...(text.match(/`+/g) ?? []).map(({ length }) => length)) : 0;

/** Escapes text for an attribute or the body of a `<details>` block. */
export const escapeHtml = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");

export const unescapeHtml = (text: string): string =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

/** How many code units of the text, from `from`, fit into this many bytes of a JSON line. Never splits a character. */
export const fitting = (text: string, most: number, from = 0): number => {
  let bytes = 0;
  let index = from;
  while (index < text.length) {
    const code = text.codePointAt(index)!;
    bytes += bytesOf(code);
    if (bytes > most) break;
    index += code > 0xffff ? 2 : 1;
  }
  return index - from;
};

/** The bytes that a text takes in a JSON line, capped at `most + 1`. */
export const jsonBytes = (text: string, most = Number.POSITIVE_INFINITY): number => {
  let bytes = 2;
  for (let index = 0; index < text.length && bytes <= most; index++) {
    const code = text.codePointAt(index)!;
    bytes += bytesOf(code);
    if (code > 0xffff) index++;
  }
  return Math.min(bytes, most + 1);
};

/** Control characters are written as escapes. */
const bytesOf = (code: number): number => {
  if (code < 0x20) return code === 0x0a || code === 0x09 ? 2 : 6;
  if (code < 0x80) return code === 0x22 || code === 0x5c ? 2 : 1;
  if (code > 0xffff) return 4;
  return code < 0x800 ? 2 : 3;
};

/** A text of which only head and tail are known: where the tail begins, and the length of the whole. */
export interface Gap {
  readonly at: number;
  readonly length: number;
}

/** Head and tail of a text that is too long, with a note of how much was omitted and where the full text is. */
export const excerpt = (text: string, most: number, link?: string, gap?: Gap): string => {
  if (!gap && text.length <= most && jsonBytes(text, most) <= most) return plain(text);
  const head = text.slice(0, Math.min(gap?.at ?? text.length, fitting(text, Math.floor((most * 3) / 4))));
  const tail = ending(text.slice(gap?.at ?? head.length), Math.floor(most / 4));
  const left = (gap?.length ?? text.length) - head.length - tail.length;
  const where = link === undefined ? "" : `; full text: ${link}`;
  return plain(`${head}\n\n[… ${left} characters left out${where} …]\n\n${tail}`);
};

/** The longest ending of a text that fits. */
const ending = (text: string, most: number): string => {
  let bytes = 0;
  let from = text.length;
  while (from > 0) {
    const code = text.codePointAt(from - 1)!;
    const isPair = from > 1 && text.codePointAt(from - 2)! > 0xffff;
    bytes += isPair ? 4 : bytesOf(code);
    if (bytes > most) break;
    from -= isPair ? 2 : 1;
  }
  return text.slice(from);
};

/** The first `most` characters (code points), followed by `rest` if any are omitted. */
export const preview = (text: string, most: number, rest = "..."): string => {
  if (text.length <= most) return text;
  let units = 0;
  for (let count = 0; count < most && units < text.length; count++) units += text.codePointAt(units)! > 0xffff ? 2 : 1;
  return units < text.length ? `${text.slice(0, units)}${rest}` : text;
};
