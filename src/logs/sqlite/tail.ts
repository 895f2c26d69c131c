import type { Entry } from "../../events.ts";
import type { RunInfo } from "../../log.ts";
import { SEGMENT_BYTES, SEGMENT_ENTRIES } from "./segments.ts";

/** The newest entries of a run, which are in memory and in the journal but not yet in a segment. */
export interface Tail {
  readonly number: number;
  /** The stored state. Undefined while the first append is in progress. */
  info: RunInfo | undefined;
  /** The state once all appends in progress are stored. */
  promised: RunInfo | undefined;
  first: number;
  entries: Entry[];
  /** The entries as JSON, without brackets, in chunks. `counts` holds the number of entries in each. */
  texts: string[];
  counts: number[];
}

export interface Chunk {
  readonly entries: readonly Entry[];
  readonly text: string;
}

export const emptyTail = (number: number, info: RunInfo | undefined): Tail => ({
  number,
  info,
  promised: info,
  first: (info?.seq ?? 0) + 1,
  entries: [],
  texts: [],
  counts: [],
});

export const extendTail = (tail: Tail, { entries, text }: Chunk): void => {
  for (const entry of entries) tail.entries.push(entry);
  tail.texts.push(text);
  tail.counts.push(entries.length);
};

export const clearTail = (tail: Tail): void => {
  tail.first += tail.entries.length;
  tail.entries = [];
  tail.texts = [];
  tail.counts = [];
};

/** Splits entries into chunks that each fit into a segment. A single entry is one chunk, regardless of its length. */
export const chunksOf = (entries: readonly Entry[]): readonly Chunk[] => {
  if (entries.length === 1) return [{ entries, text: JSON.stringify(entries[0]) }];
  if (entries.length <= SEGMENT_ENTRIES) {
    const text = JSON.stringify(entries).slice(1, -1);
    if (text.length <= SEGMENT_BYTES) return [{ entries, text }];
  }
  const middle = entries.length >> 1;
  return [...chunksOf(entries.slice(0, middle)), ...chunksOf(entries.slice(middle))];
};
