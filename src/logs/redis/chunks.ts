import type { Entry } from "../../events.ts";

const CHUNK_ENTRIES = 64;
const CHUNK_LENGTH = 16 * 1024;

/** Entries as the stream keeps them: each chunk under an id that says its last seq and how many it holds. */
export const chunksOf = (first: number, texts: readonly string[]): string[] => {
  const chunks: string[] = [];
  for (let from = 0; from < texts.length;) {
    let length = 0;
    let to = from;
    while (to < texts.length && to - from < CHUNK_ENTRIES && (to === from || length < CHUNK_LENGTH))
      length += texts[to++]!.length;
    chunks.push(`${first + to - 1}-${to - from}`, texts.slice(from, to).join(","));
    from = to;
  }
  return chunks;
};

/** What chunks hold after `after`, at most `limit`. */
export const entriesOf = (chunks: readonly string[], after: number, limit: number): Entry[] => {
  const entries: Entry[] = [];
  for (const chunk of chunks)
    for (const entry of JSON.parse(`[${chunk}]`) as Entry[])
      if (entry.seq > after && entries.length < limit) entries.push(entry);
  return entries;
};
