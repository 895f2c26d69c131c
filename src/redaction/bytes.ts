import type { Cleaner } from "./cleaner.ts";

const TEXTUAL =
  /^(?:text\/|application\/(?:json|xml|javascript|yaml|x-yaml|x-ndjson|jsonl|sql|toml|csv)\b|[^;]*\+(?:json|xml)\b)/i;

/** A file as it may be kept. Of files that are no text, nothing is known. */
export const cleanBytes = async (bytes: Uint8Array, mediaType: string, cleaner: Cleaner): Promise<Uint8Array> => {
  if (!TEXTUAL.test(mediaType)) return bytes;
  const text = Buffer.from(bytes).toString("utf8");
  const clean = await cleaner.text(text);
  return clean === text ? bytes : Buffer.from(clean);
};
