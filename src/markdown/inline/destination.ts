import { ENTITY, entityOf } from "./entities.ts";

/** Reads a link destination, with or without angle brackets. */
export const destinationAt = (text: string, at: number): { url: string; end: number } | undefined => {
  if (text[at] === "<") {
    const found = sticky(/<((?:[^<>\n\\]|\\.)*)>/y, text, at);
    return found && { url: unescaped(found[1]!), end: at + found[0].length };
  }
  let depth = 0;
  let end = at;
  for (; end < text.length; end++) {
    const char = text[end]!;
    if (char === "\\" && PUNCTUATION.test(text[end + 1] ?? "")) end++;
    else if (char === "(") {
      if (++depth > 32) return undefined;
    } else if (char === ")") {
      if (--depth < 0) break;
    } else if (char <= " ") break;
  }
  if (end === at || depth > 0) return undefined;
  return { url: unescaped(text.slice(at, end)), end };
};

export const titleAt = (text: string, at: number): { text: string; end: number } | undefined => {
  const found = sticky(/"((?:[^"\\]|\\[^])*)"|'((?:[^'\\]|\\[^])*)'|\(((?:[^()\\]|\\[^])*)\)/y, text, at);
  return found && { text: unescaped(found[1] ?? found[2] ?? found[3] ?? ""), end: at + found[0].length };
};

/** Reads the `(target "title")` of a link. */
export const targetAt = (text: string, at: number): { url: string; title: string; end: number } | undefined => {
  if (text[at] !== "(") return undefined;
  const space = (from: number): number => from + sticky(/[ \t\n]*/y, text, from)![0].length;
  const start = space(at + 1);
  if (text[start] === ")") return { url: "", title: "", end: start + 1 };
  const destination = destinationAt(text, start);
  if (!destination) return undefined;
  const next = space(destination.end);
  const title = next > destination.end ? titleAt(text, next) : undefined;
  const end = title ? space(title.end) : next;
  return text[end] === ")" ? { url: destination.url, title: title?.text ?? "", end: end + 1 } : undefined;
};

export const sticky = (pattern: RegExp, text: string, at: number): RegExpExecArray | undefined => {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
};

export const PUNCTUATION = /^[!-/:-@[-`{-~]$/;

const RESOLVED = new RegExp(`\\\\([!-/:-@[-\`{-~])|${ENTITY.source}`, "g");

/** Resolves backslash escapes and entities. An escaped `&` starts no entity. */
export const unescaped = (text: string): string =>
  text.replaceAll(RESOLVED, (whole, escaped: string | undefined, name: string) => escaped ?? entityOf(name) ?? whole);
