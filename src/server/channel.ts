import type { Dialect, EncodeOptions, Frame } from "../dialect.ts";
import type { Entry } from "../events.ts";
import type { Log } from "../log.ts";
import { createSegments } from "../segments.ts";
import { frameText } from "../sse.ts";
import { Chunk } from "./chunked.ts";
import { wholeResults } from "./encoding.ts";
import { countDelivery, type Metrics } from "./metrics.ts";
import type { Releasable, Releases } from "./releases.ts";
import type { Batch } from "../batch.ts";
import type { Viewer } from "./viewer.ts";
import { createWindow, type Window } from "./window.ts";

/** Spells an entry, without its first `skip` frames. */
export interface Encoder {
  (entry: Entry, skip: number): string;
  /** Whether the entry that was spelled last ends a segment, and with it the stream. */
  atSegmentEnd?: boolean;
}

/** What all channels of a server share. */
export interface Stage {
  readonly log: Log;
  /** Runs what woke up in this turn, after its microtasks: what is ready together leaves in one write. */
  readonly live: Batch;
  /** Runs viewers that have much to catch up on, a piece at a time, behind whatever else is due. */
  readonly behind: Batch;
  readonly releases: Releases;
  readonly metrics: Metrics;
  readonly onProblem: (error: unknown, run: string) => void;
}

/** How much text goes to a socket at once. */
export const CHUNK = 16 * 1024;
const BATCH = 256;

/**
 * The viewers of one run that get the same frames. Those at the live edge stand at the same `seq` and share one encoder and
 * one write; those behind read on their own (see Viewer) and join. The log is the truth: a wake only says "read again".
 */
export class Channel implements Releasable {
  readonly key: string;
  readonly run: string;
  readonly dialect: Dialect;
  readonly stage: Stage;
  readonly #options: EncodeOptions;
  readonly #unwatch: () => void;
  readonly #window: Window | undefined;
  /** All of them, live or not. */
  viewers = 0;
  /** Where the live viewers are. */
  seq = 0;
  #encoder: Encoder | undefined;
  readonly #live: Viewer[] = [];
  #waiting: Viewer[] | undefined;
  #marked = false;
  #reading = false;
  #again = false;
  #releasedTo = 0;

  constructor(key: string, run: string, dialect: Dialect, options: EncodeOptions, stage: Stage) {
    this.key = key;
    this.run = run;
    this.dialect = dialect;
    this.stage = stage;
    this.#options = options;
    if (dialect.windowMs !== undefined)
      this.#window = createWindow((after, limit) => stage.log.read(run, after, limit), dialect.windowMs);
    this.#unwatch = stage.log.watch(run, () => this.#wake());
  }

  /** Where an encoder must begin for a viewer who has seen everything up to `seq`. */
  encodesFrom(seq: number): number {
    return this.dialect.stateless && !this.dialect.segments ? seq : 0;
  }

  get occupied(): boolean {
    return this.#live.length > 0;
  }

  /** The entries after `after` as the dialect wants them; none that was merged of more reaches over a greater `stop`. */
  read(after: number, limit: number, stop = 0): readonly Entry[] | Promise<readonly Entry[]> {
    const { log } = this.stage;
    const { wholeBytes } = this.dialect;
    const entries = this.#window
      ? this.#readWindow(this.#window, after, limit, stop)
      : log.read(this.run, after, limit);
    if (wholeBytes === undefined) return entries;
    if (isPromise(entries)) return entries.then((some) => wholeResults(log, this.run, wholeBytes, some));
    return wholeResults(log, this.run, wholeBytes, entries);
  }

  createEncoder(): Encoder {
    const { dialect } = this;
    const options = this.#options;
    if (dialect.segments) return segmented(dialect.encode(options));
    const spell = dialect.encodeText?.(options);
    if (spell && dialect.stateless)
      return (entry, skip) => (skip > 0 ? framesText(dialect.encode(options)(entry), skip) : spell(entry));
    const encode = dialect.encode(options);
    return (entry, skip) => framesText(encode(entry), skip);
  }

  /** Takes in a viewer that is at `seq`: at the end of the log if nobody is live, else exactly where the live ones are. */
  join(viewer: Viewer, seq: number, encoder: Encoder): void {
    if (this.#live.length === 0) {
      this.seq = seq;
      this.#encoder = encoder;
    }
    viewer.slot = this.#live.push(viewer) - 1;
    // What was stored while the last read was under way woke nobody.
    this.#flush();
  }

  /** For a viewer that is ahead of the live ones: runs again once these have read on. */
  wait(viewer: Viewer): void {
    (this.#waiting ??= []).push(viewer);
    this.#flush();
  }

  /** For a viewer that has some frames of an entry which is still held: runs again when that may have changed. */
  hold(viewer: Viewer): void {
    (this.#waiting ??= []).push(viewer);
  }

  remove(viewer: Viewer): void {
    const last = this.#live.pop();
    if (last && last !== viewer) {
      this.#live[viewer.slot] = last;
      last.slot = viewer.slot;
    }
    viewer.slot = -1;
    if (this.#live.length > 0) return;
    this.#encoder = undefined;
    if (this.#waiting) this.#mark();
  }

  close(): void {
    this.#unwatch();
  }

  /** Called by the batch that a wake was added to. */
  flush(): void {
    this.#marked = false;
    this.#flush();
  }

  /** Called when no more entries of spans up to this one can come. */
  release(spanEnd: number): void {
    this.#releasedTo = Math.max(this.#releasedTo, spanEnd);
    this.#flush();
  }

  #wake(): void {
    if (this.#live.length > 0 || this.#waiting) this.#mark();
  }

  #mark(): void {
    if (this.#marked) return;
    this.#marked = true;
    this.stage.live.add(this);
  }

  #flush(): void {
    this.#again = true;
    if (this.#reading) return;
    try {
      while (this.#live.length > 0) {
        this.#again = false;
        const entries = this.read(this.seq, BATCH);
        if (isPromise(entries)) return this.#await(entries);
        this.#deliver(entries);
        // Of merged entries, few can stand for many.
        if (entries.length < (this.#window ? 1 : BATCH)) break;
      }
    } catch (error) {
      return this.#fail(error);
    }
    this.#release();
  }

  #readWindow(window: Window, after: number, limit: number, stop: number) {
    const onHeld = (spanEnd: number) => this.stage.releases.after(spanEnd, this.dialect.windowMs ?? 0, this);
    return window.read(after, limit, stop, { releasedTo: this.#releasedTo, onHeld });
  }

  #await(reading: Promise<readonly Entry[]>): void {
    const { seq } = this;
    this.#reading = true;
    reading.then(
      (entries) => {
        this.#reading = false;
        if (this.#live.length === 0) return this.#release();
        // The live viewers may all have changed meanwhile; then this was read for others.
        const current = this.seq === seq;
        try {
          if (current) this.#deliver(entries);
        } catch (error) {
          return this.#fail(error);
        }
        if (this.#again || !current || entries.length > 0) this.#flush();
        else this.#release();
      },
      (error) => {
        this.#reading = false;
        this.#fail(error);
      },
    );
  }

  #deliver(entries: readonly Entry[]): void {
    const encode = this.#encoder;
    if (!encode) return;
    let text = "";
    for (const entry of entries) {
      text += encode(entry, 0);
      this.seq = entry.seq;
      const isEnd = isLast(entry, encode);
      if (text.length < CHUNK && !isEnd) continue;
      this.#send(text, encode, isEnd);
      text = "";
      if (this.#live.length === 0) return;
    }
    if (text === "") return;
    this.#send(text, encode, false);
    countDelivery(this.stage.metrics, entries[entries.length - 1]!.at);
  }

  #send(text: string, encode: Encoder, isEnd: boolean): void {
    const live = this.#live;
    if (text !== "") {
      const chunk = new Chunk(text);
      const shared = live.length > 1;
      for (let slot = live.length - 1; slot >= 0; slot--) {
        const viewer = live[slot] as Viewer;
        if (viewer.write(chunk, shared) || isEnd) continue;
        this.remove(viewer);
        // The last to leave takes the encoder along, which saves feeding a new one.
        viewer.fallBehind(this.seq, live.length === 0 ? encode : undefined);
      }
    }
    if (isEnd) for (let slot = live.length - 1; slot >= 0; slot--) live[slot]?.finish();
  }

  #release(): void {
    const waiting = this.#waiting;
    if (!waiting) return;
    this.#waiting = undefined;
    for (const viewer of waiting) {
      // One that resumed within a span which the live ones still wait for goes on waiting with them.
      if (this.#live.length > 0 && viewer.fed > this.seq) (this.#waiting ??= []).push(viewer);
      else viewer.flush();
    }
  }

  /** A stream that cannot go on is cut, not ended: its viewers know that they have not seen the end. */
  #fail(error: unknown): void {
    this.stage.onProblem(error, this.run);
    const viewers = [...this.#live, ...(this.#waiting ?? [])];
    this.#waiting = undefined;
    for (const viewer of viewers) viewer.cut();
  }
}

const segmented = (encode: (entry: Entry) => readonly Frame[]): Encoder => {
  const segments = createSegments();
  const spell: Encoder = (entry, skip) => {
    spell.atSegmentEnd = segments.take(entry.event);
    return framesText(encode(entry), skip);
  };
  return spell;
};

/** Whether the stream ends with this entry, which was just spelled. */
export const isLast = ({ event }: Entry, encode: Encoder): boolean =>
  event.type === "run-end" || encode.atSegmentEnd === true;

const framesText = (frames: readonly Frame[], skip: number): string => {
  let text = "";
  // Whoever says to have seen frames that this entry does not have has not seen it: nothing may be missing.
  for (let index = skip < frames.length ? skip : 0; index < frames.length; index++)
    text += frameText(frames[index] as Frame);
  return text;
};

export const isPromise = <Value>(value: Value | Promise<Value>): value is Promise<Value> =>
  typeof (value as Promise<Value>).then === "function";
