import type { Entry } from "../events.ts";

const CHUNK_ENTRIES = 64;
const CHUNK_LENGTH = 16 * 1024;

/** Consecutive entries as JSON, separated by commas. */
export interface Chunk {
  /** The seq of the last entry. */
  readonly last: number;
  readonly count: number;
  readonly text: string;
}

/**
 * Groups entries (as JSON, starting at seq `first`) into chunks, so an engine stores a batch for about the cost of one entry.
 */
export const chunksOf = (first: number, texts: readonly string[]): Chunk[] => {
  const chunks: Chunk[] = [];
  for (let from = 0; from < texts.length;) {
    let length = 0;
    let to = from;
    while (to < texts.length && to - from < CHUNK_ENTRIES && (to === from || length < CHUNK_LENGTH))
      length += texts[to++]!.length;
    chunks.push({ last: first + to - 1, count: to - from, text: texts.slice(from, to).join(",") });
    from = to;
  }
  return chunks;
};

/** The entries in these chunks after `after`, at most `limit`. */
export const entriesOf = (chunks: readonly string[], after: number, limit: number): Entry[] => {
  const entries: Entry[] = [];
  for (const chunk of chunks)
    for (const entry of JSON.parse(`[${chunk}]`) as Entry[])
      if (entry.seq > after && entries.length < limit) entries.push(entry);
  return entries;
};
