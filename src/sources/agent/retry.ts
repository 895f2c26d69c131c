import { APICallError } from "@ai-sdk/provider";

/** How long to wait before the next attempt. Undefined if the provider asks for a longer wait than a user would accept. */
export const waitBefore = (attempt: number, error: unknown, now: number): number | undefined => {
  const asked = askedWait(error, now);
  // Jitter, so agents that failed together do not retry together.
  if (asked === undefined) return Math.round(BASE_MS * 2 ** (attempt - 1) * (1 + Math.random() / 4));
  return asked <= LONGEST_MS ? asked : undefined;
};

/** How long the provider asks to wait, if it specifies that. */
export const askedWait = (error: unknown, now: number): number | undefined =>
  APICallError.isInstance(error) ? retryAfter(error.responseHeaders ?? {}, now) : undefined;

const BASE_MS = 500;
const LONGEST_MS = 60_000;

const retryAfter = (headers: Record<string, string>, now: number): number | undefined => {
  const milliseconds = Number.parseFloat(headers["retry-after-ms"] ?? "");
  if (milliseconds >= 0) return Math.ceil(milliseconds);
  const text = headers["retry-after"] ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
};
