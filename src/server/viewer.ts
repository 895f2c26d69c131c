import type { ServerResponse } from "node:http";
import type { Cursor } from "../dialect.ts";
import type { Entry } from "../events.ts";
import { CHUNK, type Channel, type Encoder, isLast, isPromise } from "./channel.ts";
import { Chunk, Chunked, type ChunkedOwner } from "./chunked.ts";

const MAX_AT_ONCE = 256;
/** After this many entries in one turn, other pending work runs first. */
const TURN = 256;

/**
 * A viewer of a run: a cursor into its log, and a connection. At the live edge its channel writes to it. Behind it, the
 * viewer reads at its own pace with its own encoder, and buffers only what the socket has not accepted yet.
 */
export class Viewer implements ChunkedOwner {
  readonly channel: Channel;
  readonly #out: Chunked;
  /** Its index among the channel's live viewers, or -1 while it reads separately. */
  slot = -1;
  /** The heartbeat group that it belongs to. */
  beats: Set<Viewer> | undefined;
  readonly #onLeft: (viewer: Viewer, ended: boolean) => void;
  /** Segments that end at or before this seq do not end its stream. */
  readonly #through: number;
  /** Everything up to `seq`, and the first `frame` frames of the next entry, is not sent again. */
  #seen: Cursor;
  #encoder: Encoder | undefined;
  #fed: number;
  #limit = 64;
  #reading = false;
  /** Whether the server ended the stream, rather than the client. */
  #ended = false;
  #left = false;

  constructor(
    channel: Channel,
    response: ServerResponse,
    headers: Record<string, string>,
    { through, ...cursor }: Cursor & { readonly through: number },
    onLeft: (viewer: Viewer, ended: boolean) => void,
  ) {
    this.channel = channel;
    this.#onLeft = onLeft;
    this.#seen = cursor;
    this.#through = through;
    this.#fed = channel.encodesFrom(cursor.seq);
    this.#out = new Chunked(response, headers, this);
  }

  /** The position of its encoder. */
  get fed(): number {
    return this.#fed;
  }

  get stalled(): boolean {
    return this.#out.stalled;
  }

  write(chunk: Chunk, shared: boolean): boolean {
    this.channel.stage.metrics.bytesSent += chunk.bytes;
    return this.#out.write(chunk, shared);
  }

  /** Leaves the live viewers at `seq`, because its socket is full. */
  fallBehind(seq: number, encoder: Encoder | undefined): void {
    this.#seen = { seq, frame: 0 };
    this.#encoder = encoder;
    this.#fed = encoder ? seq : this.channel.encodesFrom(seq);
  }

  finish(): void {
    this.#ended = true;
    this.#out.end();
    this.#leave();
  }

  cut(): void {
    this.#ended = true;
    this.#out.destroy();
    this.#leave();
  }

  drained(): void {
    if (this.slot < 0) this.flush();
  }

  closed(): void {
    this.#leave();
  }

  /** Reads separately until its socket is full or it can join the live viewers. */
  flush(): void {
    const { channel } = this;
    let left = TURN;
    try {
      while (!this.#reading && !this.#out.closed && !this.#ended && this.slot < 0 && !this.stalled) {
        const encoder = (this.#encoder ??= channel.createEncoder());
        const { seq, frame } = this.#seen;
        const caughtUp = this.#fed >= this.#through && (this.#fed > seq || (this.#fed === seq && frame === 0));
        let limit = this.#limit;
        let stop = this.#fed < seq ? seq : 0;
        if (caughtUp && channel.occupied) {
          if (this.#fed > channel.seq) return channel.wait(this);
          if (this.#fed === channel.seq) return this.#join(encoder);
          limit = Math.min(limit, channel.seq - this.#fed);
          stop = channel.seq;
        }
        if (left <= 0) return channel.stage.behind.add(this);
        const entries = channel.read(this.#fed, limit, stop);
        if (isPromise(entries)) return this.#await(entries);
        left -= entries.length;
        if (!this.#take(entries, encoder)) return;
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #await(reading: Promise<readonly Entry[]>): void {
    this.#reading = true;
    reading.then(
      (entries) => {
        this.#reading = false;
        if (this.#out.closed) return;
        try {
          if (this.#encoder && this.#take(entries, this.#encoder)) this.flush();
        } catch (error) {
          this.#fail(error);
        }
      },
      (error) => {
        this.#reading = false;
        this.#fail(error);
      },
    );
  }

  /** Returns whether to continue. */
  #take(entries: readonly Entry[], encoder: Encoder): boolean {
    if (entries.length > 0) return this.#send(entries, encoder);
    if (this.#fed === this.#seen.seq && this.#seen.frame > 0) {
      this.channel.hold(this);
      return false;
    }
    // Another viewer may have reached the edge first, during the read.
    if (this.channel.occupied) return true;
    if (this.#fed < this.#seen.seq) throw new Error(`run ${this.channel.run}: the log ends before ${this.#seen.seq}`);
    this.#join(encoder);
    return false;
  }

  #join(encoder: Encoder): void {
    this.#encoder = undefined;
    this.channel.join(this, this.#fed, encoder);
  }

  #send(entries: readonly Entry[], encode: Encoder): boolean {
    const { seq: seenSeq, frame: seenFrames } = this.#seen;
    let text = "";
    let taken = 0;
    for (const entry of entries) {
      const encoded = encode(entry, this.#fed === seenSeq ? seenFrames : 0);
      this.#fed = entry.seq;
      taken++;
      if (entry.seq <= seenSeq) continue;
      text += encoded;
      const isEnd = isLast(entry, encode) && (entry.seq > this.#through || entry.event.type === "run-end");
      if (text.length < CHUNK && !isEnd) continue;
      const more = text === "" || this.write(new Chunk(text), false);
      text = "";
      if (isEnd) {
        this.finish();
        return false;
      }
      if (!more) break;
    }
    const more = text === "" || this.write(new Chunk(text), false);
    // Entries of a batch that a full socket did not take are read again, so large entries are read a few at a time.
    this.#limit = taken < entries.length ? Math.max(1, taken) : Math.min(MAX_AT_ONCE, this.#limit * 2);
    return more && !this.stalled;
  }

  #fail(error: unknown): void {
    this.channel.stage.onProblem(error, this.channel.run);
    this.cut();
  }

  #leave(): void {
    if (this.#left) return;
    this.#left = true;
    if (this.slot >= 0) this.channel.remove(this);
    this.#onLeft(this, this.#ended);
  }
}
