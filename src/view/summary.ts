import type { Json } from "../events.ts";
import { clip, oneLine } from "./text.ts";

/** Argument fields that identify a call best, most useful first. */
const IDENTIFYING_FIELDS = [
  "command", "cmd", "query", "q", "search", "pattern", "expression", "path", "file_path", "filePath", "file", "filename",
  "url", "uri", "question", "prompt", "task", "subject", "title", "name", "code", "sql", "text", "message", "content", "id",
]; // prettier-ignore

const LONGEST = 160;

/**
 * The arguments of a call on one line: the most useful field first, then the others. Cheap for arguments of any size.
 */
export const summaryOf = (input: Json | undefined): string => {
  if (input === undefined || input === null) return "";
  if (typeof input !== "object") return oneLine(String(input), LONGEST);
  if (Array.isArray(input)) return shown(input);
  const keys = Object.keys(input);
  const best = IDENTIFYING_FIELDS.find((key) => Object.hasOwn(input, key) && isShort(input[key]));
  const rest = keys.filter((key) => key !== best).slice(0, 6);
  const texts: string[] = [];
  let length = 0;
  const say = (text: string): void => {
    texts.push(text);
    length += text.length;
  };
  if (best !== undefined) say(shown(input[best]));
  else if (keys.length === 1 && rest.length === 1) return clip(shown(input[rest[0]!]), LONGEST);
  for (const key of rest) if (length < LONGEST) say(`${oneLine(key, LONGEST)}: ${shown(input[key])}`);
  return clip(texts.join(" · "), LONGEST);
};

const isShort = (value: Json | undefined): boolean =>
  (typeof value === "string" && value.trim() !== "") || typeof value === "number";

const shown = (value: Json | undefined): string => {
  if (typeof value === "string") return oneLine(value, LONGEST) || `""`;
  if (Array.isArray(value)) return value.length === 0 ? "[]" : `[${value.length}]`;
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0 ? "{}" : "{…}";
  return String(value);
};
