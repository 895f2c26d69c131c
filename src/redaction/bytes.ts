import type { Cleaner } from "./cleaner.ts";

const TEXTUAL =
  /^(?:text\/|application\/(?:json|xml|javascript|yaml|x-yaml|x-ndjson|jsonl|sql|toml|csv)\b|[^;]*\+(?:json|xml)\b)/i;

/** The bytes of a file without what the rules find. Returns files that are not text unchanged. */
export const cleanBytes = async (bytes: Uint8Array, mediaType: string, cleaner: Cleaner): Promise<Uint8Array> => {
  if (!TEXTUAL.test(mediaType)) return bytes;
  const text = Buffer.from(bytes).toString("utf8");
  const clean = await cleaner.text(text);
  return clean === text ? bytes : Buffer.from(clean);
};
