import type { Dialect, EncodeOptions, Frame } from "../dialect.ts";
import type { Entry } from "../events.ts";
import type { Log } from "../log.ts";
import { createSegments } from "../segments.ts";
import { frameText } from "../sse.ts";
import { Chunk } from "./chunked.ts";
import { wholeResults } from "./whole-results.ts";
import { countDelivery, type Metrics } from "./metrics.ts";
import type { Releasable, Releases } from "./releases.ts";
import type { Batch } from "../batch.ts";
import type { Turns } from "./turns.ts";
import type { Viewer } from "./viewer.ts";
import { createWindow, type Window } from "./window.ts";

/** Encodes an entry, without its first `skip` frames. */
export interface Encoder {
  (entry: Entry, skip: number): string;
  /** Whether the last encoded entry ends a segment, and with it the stream. */
  atSegmentEnd?: boolean;
}

/** Shared by all channels of a server. */
export interface Stage {
  readonly log: Log;
  /** Runs the channels woken in this turn after its microtasks, so everything ready goes out in one write. */
  readonly live: Batch;
  /** Runs viewers with much to catch up on, in small slices after other pending work. */
  readonly behind: Turns;
  readonly releases: Releases;
  readonly metrics: Metrics;
  readonly onProblem: (error: unknown, run: string) => void;
}

/** How much text is written to a socket at a time. */
export const CHUNK = 16 * 1024;
const BATCH = 256;

/**
 * The viewers of one run that get the same frames. Viewers at the live edge are at the same `seq` and share one encoder
 * and one write. Viewers behind it read separately (see Viewer) and join later. A wake only means "read the log again".
 */
export class Channel implements Releasable {
  readonly key: string;
  readonly run: string;
  readonly dialect: Dialect;
  readonly stage: Stage;
  readonly #options: EncodeOptions;
  readonly #unwatch: () => void;
  readonly #window: Window | undefined;
  /** All viewers, live or not. */
  viewers = 0;
  /** The position of the live viewers. */
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

  /** Where an encoder must start for a viewer that has seen everything up to `seq`. */
  encodesFrom(seq: number): number {
    return this.dialect.stateless && !this.dialect.segments ? seq : 0;
  }

  get occupied(): boolean {
    return this.#live.length > 0;
  }

  /** The entries after `after`, prepared for the dialect. If `stop` is greater, no merged entry extends beyond it. */
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
    const encodeText = dialect.encodeText?.(options);
    if (encodeText && dialect.stateless)
      return (entry, skip) => (skip > 0 ? framesText(dialect.encode(options)(entry), skip) : encodeText(entry));
    const encode = dialect.encode(options);
    return (entry, skip) => framesText(encode(entry), skip);
  }

  /** Adds a viewer at `seq`: the end of the log if no viewer is live, otherwise exactly where the live ones are. */
  join(viewer: Viewer, seq: number, encoder: Encoder): void {
    if (this.#live.length === 0) {
      this.seq = seq;
      this.#encoder = encoder;
    }
    viewer.slot = this.#live.push(viewer) - 1;
    // Entries stored during the last read woke no viewer.
    this.#flush();
  }

  /** For a viewer that is ahead of the live ones: runs it again once they have caught up. */
  wait(viewer: Viewer): void {
    (this.#waiting ??= []).push(viewer);
    this.#flush();
  }

  /** For a viewer that has some frames of an entry that is still held: runs it again when that may have changed. */
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

  /** Called when no more entries of spans up to this one can arrive. */
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
        // One merged entry can represent many.
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
        // The live position may have changed during the read, if all live viewers left and others joined.
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
        // The last viewer to leave keeps the encoder, which saves replaying entries into a new one.
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
      // A viewer that resumed within a span that the live ones still wait for keeps waiting with them.
      if (this.#live.length > 0 && viewer.fed > this.seq) (this.#waiting ??= []).push(viewer);
      else viewer.flush();
    }
  }

  /** Cuts a broken stream instead of ending it, so its viewers know they have not seen the end. */
  #fail(error: unknown): void {
    this.stage.onProblem(error, this.run);
    const viewers = [...this.#live, ...(this.#waiting ?? [])];
    this.#waiting = undefined;
    for (const viewer of viewers) viewer.cut();
  }
}

const segmented = (encode: (entry: Entry) => readonly Frame[]): Encoder => {
  const segments = createSegments();
  const encoder: Encoder = (entry, skip) => {
    encoder.atSegmentEnd = segments.take(entry.event);
    return framesText(encode(entry), skip);
  };
  return encoder;
};

/** Whether the stream ends with this entry, which was just encoded. */
export const isLast = ({ event }: Entry, encode: Encoder): boolean =>
  event.type === "run-end" || encode.atSegmentEnd === true;

const framesText = (frames: readonly Frame[], skip: number): string => {
  let text = "";
  // A client that claims more frames than this entry has cannot have seen it, so send all of them.
  for (let index = skip < frames.length ? skip : 0; index < frames.length; index++)
    text += frameText(frames[index] as Frame);
  return text;
};

export const isPromise = <Value>(value: Value | Promise<Value>): value is Promise<Value> =>
  typeof (value as Promise<Value>).then === "function";
