import type { Entry } from "../events.ts";

const CHUNK_ENTRIES = 64;
const CHUNK_LENGTH = 16 * 1024;

/** Some entries that follow each other, as JSON with commas between them. */
export interface Chunk {
  /** The seq of the last one. */
  readonly last: number;
  readonly count: number;
  readonly text: string;
}

/** Entries from `first` on, each as JSON, as an engine keeps them: together, so that a batch costs about as much as one. */
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

/** What chunks hold after `after`, at most `limit`. */
export const entriesOf = (chunks: readonly string[], after: number, limit: number): Entry[] => {
  const entries: Entry[] = [];
  for (const chunk of chunks)
    for (const entry of JSON.parse(`[${chunk}]`) as Entry[])
      if (entry.seq > after && entries.length < limit) entries.push(entry);
  return entries;
};
