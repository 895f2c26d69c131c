import type { Inline } from "../inline.ts";
import { sticky } from "./destination.ts";

/** A bare web address in the text. Inside brackets it ends at the closing bracket. */
export const bareLinkAt = (
  text: string,
  at: number,
  inBrackets: boolean,
): { url: string; text: string } | undefined => {
  if (at > 0 && !/[\s*_~("'[{:,;|>]/.test(text[at - 1]!)) return undefined;
  const found = sticky(inBrackets ? /(?:https?:\/\/|www\.)[^\s<>\]]+/y : /(?:https?:\/\/|www\.)[^\s<>]+/y, text, at);
  if (!found) return undefined;
  const shown = trimmed(found[0].slice(0, 2048));
  const host = /^(?:https?:\/\/)?([\w.-]+|\[[\da-f:.]+\])/i.exec(shown)?.[1];
  if (!host || (shown.startsWith("www.") && !/^www\.[\w-]+\.?/.test(shown))) return undefined;
  return { url: shown.startsWith("www.") ? `http://${shown}` : shown, text: shown };
};

/** The next offset where a web address may start, or -1. */
export const bareLinkIn = (text: string, from: number, to: number): number => {
  const start = /https?:\/\/|www\./g;
  start.lastIndex = from;
  const found = start.exec(text);
  return found && found.index < to ? found.index : -1;
};

/** Removes trailing punctuation that belongs to the surrounding sentence. */
const trimmed = (address: string): string => {
  let end = address.length;
  for (;;) {
    const char = address[end - 1] ?? "";
    if (/[?!.,:*_~'";\]|`]/.test(char)) end--;
    else if (char === ")" && count(address, ")", end) > count(address, "(", end)) end--;
    else return address.slice(0, end);
  }
};

const count = (text: string, char: string, end: number): number => {
  let found = 0;
  for (let at = 0; at < end; at++) if (text[at] === char) found++;
  return found;
};

const MAIL = /[\w.+-]{1,64}@[\da-z](?:[\w-]{0,62}\.)+[\w-]{0,62}[a-z\d]/gi;

/** Turns mail addresses in plain text into links. */
export const withMail = (text: string): Inline[] => {
  const parts: Inline[] = [];
  let from = 0;
  for (const { 0: address, index } of text.matchAll(MAIL)) {
    if (index > from) parts.push({ kind: "text", text: text.slice(from, index) });
    parts.push({ kind: "link", url: `mailto:${address}`, title: "", children: [{ kind: "text", text: address }] });
    from = index + address.length;
  }
  if (from < text.length) parts.push({ kind: "text", text: text.slice(from) });
  return parts;
};
