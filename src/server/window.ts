import type { Entry, Event } from "../events.ts";

type Entries = readonly Entry[] | Promise<readonly Entry[]>;

/**
 * A run's log for a dialect with `windowMs`: neighboring deltas of one part (or of one call and stream) whose `at` is
 * in the same span become one entry, with the last one's `seq` and `at`. Merging depends only on the log. The log's
 * last entry is held back while more of its span may arrive. Releases decides when it is released.
 */
export interface Window {
  /**
   * The entries after `after`. If `stop` is greater, none extends beyond it: a viewer that resumes within a span gets the rest
   * of it. Reads about `limit` entries of the log, and more if that yields nothing yet. Returns nothing only at the log's end.
   */
  read(after: number, limit: number, stop: number, edge: Edge): Entries;
}

interface Edge {
  /** Entries of spans that end by then (milliseconds since 1970) are not held back. */
  readonly releasedTo: number;
  /** Called with the end of the span if an entry is held back. */
  readonly onHeld: (spanEnd: number) => void;
}

/** A larger span becomes several entries, so no frame exceeds what a socket takes in one write. */
const LARGEST = 32 * 1024;
/** The size of a delta in addition to its text, so a span of empty deltas is bounded too. */
const LEAST = 32;

export const createWindow = (read: (after: number, limit: number) => Entries, windowMs: number): Window => {
  /** What the last read held back, and after which entry. A read that continues there need not read it again. */
  let tail: { readonly after: number; readonly group: Group } | undefined;
  const spanOf = (at: number): number => Math.floor(at / windowMs);

  const take = ({ event, seq, at }: Entry, reading: Reading): void => {
    const { group } = reading;
    if (!isDelta(event)) {
      if (group) reading.done.push(merged(group));
      reading.group = undefined;
      reading.done.push({ seq, at, event });
    } else if (group && group.span === spanOf(at) && continues(group, event)) {
      group.text += event.delta;
      group.size += event.delta.length + LEAST;
      group.seq = seq;
      group.at = at;
    } else {
      if (group) reading.done.push(merged(group));
      const size = event.delta.length + LEAST;
      reading.group = { first: event, span: spanOf(at), text: event.delta, size, seq, at };
    }
  };

  /** The entries to return, or undefined if more must be read to decide. */
  const settle = (raw: readonly Entry[], reading: Reading): readonly Entry[] | undefined => {
    for (const entry of raw) take(entry, reading);
    const { done, group, stop, edge } = reading;
    if (!group) return done;
    const spanEnd = (group.span + 1) * windowMs;
    if (group.seq === stop || (done.length === 0 && raw.length === 0 && spanEnd <= edge.releasedTo))
      return [...done, merged(group)];
    if (done.length === 0 && raw.length > 0) return undefined;
    tail = { after: done.at(-1)?.seq ?? reading.after, group };
    if (raw.length === 0) edge.onHeld(spanEnd);
    return done;
  };

  const go = (reading: Reading): Entries => {
    for (;;) {
      const from = reading.group?.seq ?? reading.after;
      const raw = read(from, reading.stop > from ? Math.min(reading.limit, reading.stop - from) : reading.limit);
      if ("then" in raw) return raw.then((entries) => settle(entries, reading) ?? go(reading));
      const settled = settle(raw, reading);
      if (settled) return settled;
    }
  };

  return {
    read(after, limit, stop, edge) {
      const isKnown = tail?.after === after && !(stop > after && stop <= tail.group.seq);
      const group = isKnown ? tail?.group : undefined;
      if (isKnown) tail = undefined;
      return go({ after, limit, stop, edge, done: [], group });
    },
  };
};

interface Reading {
  readonly after: number;
  readonly limit: number;
  readonly stop: number;
  readonly edge: Edge;
  readonly done: Entry[];
  group: Group | undefined;
}

type Delta = Extract<Event, { delta: string }>;

interface Group {
  readonly first: Delta;
  readonly span: number;
  text: string;
  size: number;
  seq: number;
  at: number;
}

/** Deltas with `meta` are not merged, because opaque values cannot be joined. */
const isDelta = (event: Event): event is Delta => "delta" in event && event.meta === undefined;

const continues = ({ first, size }: Group, event: Delta): boolean =>
  first.type === event.type &&
  first.agent === event.agent &&
  idOf(first) === idOf(event) &&
  streamOf(first) === streamOf(event) &&
  size + event.delta.length + LEAST <= LARGEST;

const idOf = (event: Delta): string => ("part" in event ? event.part : event.call);
const streamOf = (event: Delta): string | undefined => ("stream" in event ? event.stream : undefined);

const merged = ({ first, text, seq, at }: Group): Entry => ({ seq, at, event: { ...first, delta: text } });
