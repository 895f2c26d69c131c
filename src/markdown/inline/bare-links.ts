import type { Inline } from "../inline.ts";
import { sticky } from "./destination.ts";

/** A bare web address in the text, by GitHub's rules. Inside brackets it ends at the closing bracket. */
export const bareLinkAt = (
  text: string,
  at: number,
  inBrackets: boolean,
): { url: string; text: string } | undefined => {
  const found = sticky(
    inBrackets ? /(?:https?:\/\/|www\.)[^\s<\]]{1,2048}/iy : /(?:https?:\/\/|www\.)[^\s<]{1,2048}/iy,
    text,
    at,
  );
  if (!found) return undefined;
  const isWeb = /^h/i.test(found[0]);
  if (at > 0 && (isWeb ? /[a-z]/i : /[^\s*_~([\]]/).test(text[at - 1]!)) return undefined;
  const shown = trimmed(found[0]);
  const host = /^(?:https?:\/\/|www\.)((?:[^\s\p{P}\p{S}]|[-._])+|\[[\da-f:.]+\])/iu.exec(shown)?.[1];
  // GitHub allows no underscore in the last two labels of a host.
  if (!host || host.split(".").slice(-2).join("").includes("_")) return undefined;
  return { url: isWeb ? shown : `http://${shown}`, text: shown };
};

/** The next offset where a web address may start, or -1. */
export const bareLinkIn = (text: string, from: number, to: number): number => {
  const start = /https?:\/\/|www\./gi;
  start.lastIndex = from;
  const found = start.exec(text);
  return found && found.index < to ? found.index : -1;
};

/** Removes trailing punctuation that belongs to the surrounding sentence. */
const trimmed = (address: string): string => {
  const bracket = address.search(/\][([]/);
  let end = bracket < 0 ? address.length : bracket;
  for (;;) {
    const char = address[end - 1] ?? "";
    if (char === ";") end -= /&[a-z\d]+;$/i.exec(address.slice(Math.max(0, end - 33), end))?.[0].length ?? 1;
    else if (/[?!.,:*_~'"\]]/.test(char)) end--;
    else if (char === ")" && count(address, ")", end) > count(address, "(", end)) end--;
    else return address.slice(0, end);
  }
};

const count = (text: string, char: string, end: number): number => {
  let found = 0;
  for (let at = 0; at < end; at++) if (text[at] === char) found++;
  return found;
};

const MAIL = /(?<![\w.+/-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+(?![\w-])/g;

/** Turns email addresses in plain text into links. */
export const linkEmails = (text: string): Inline[] => {
  const parts: Inline[] = [];
  let from = 0;
  for (const { 0: address, index } of text.matchAll(MAIL)) {
    if (!/[a-z]$/i.test(address)) continue;
    if (index > from) parts.push({ kind: "text", text: text.slice(from, index) });
    parts.push({ kind: "link", url: `mailto:${address}`, title: "", children: [{ kind: "text", text: address }] });
    from = index + address.length;
  }
  if (from < text.length) parts.push({ kind: "text", text: text.slice(from) });
  return parts;
};
