import type { Json } from "../../events.ts";

export const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** A string as one line: not empty, and shortened to the limit. */
export const lineOf = (value: unknown, limit = 300): string | undefined => {
  const line = textOf(value)?.replace(/\s+/g, " ").trim().slice(0, limit);
  return line === "" ? undefined : line;
};

export const countOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

/** The value comes from parsed JSON, so it is JSON unless it is absent. */
export const jsonOf = (value: unknown): Json | undefined => value as Json | undefined;

export const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);
