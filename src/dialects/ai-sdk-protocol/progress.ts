import type { Json } from "../../events.ts";

const LONGEST_NOTE = 200;

/**
 * A preliminary output of a call as progress. A sub-agent yields its whole message repeatedly, so only the end of its
 * text is shown: otherwise the log would grow with the square of its length.
 */
export const progressOf = (output: unknown): { readonly note: string } | { readonly value: Json } => {
  const { role, parts } = (output ?? {}) as { role?: unknown; parts?: unknown };
  if (role !== "assistant" || !Array.isArray(parts)) return { value: output as Json };
  const last = (parts as ({ text?: unknown } | null)[]).findLast(
    (part) => typeof part?.text === "string" && part.text !== "",
  );
  return { note: String(last?.text ?? "").slice(-LONGEST_NOTE) };
};
