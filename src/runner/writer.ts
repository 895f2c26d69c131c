import type { Entry, Event } from "../events.ts";
import type { Log, Ownership } from "../log.ts";
import type { Job } from "../batch.ts";
import type { Flusher } from "./flusher.ts";

export interface WriterOptions {
  readonly log: Log;
  readonly run: string;
  readonly flusher: Flusher;
  readonly as: Ownership | undefined;
  readonly onFailure: (error: unknown) => void;
  /** The last entry in the log. */
  readonly after?: Pick<Entry, "seq" | "at">;
}

/**
 * Numbers and timestamps the events of one run and appends them in order, one append at a time. Events that arrive
 * during an append go into the next one. Events of one turn of the event loop, or soon after an append, are batched.
 */
export class Writer implements Job {
  readonly #options: WriterOptions;
  /** Created with its first entry: an empty array that grows allocates room for many. */
  #pending: Entry[] | undefined;
  seq: number;
  lastAt: number;
  /** The size of the run, including files stored alongside its log. */
  bytes = 0;
  #lastFlushAt = 0;
  #isScheduled = false;
  #isAppending = false;
  #failure: { readonly error: unknown } | undefined;
  #stored: number;
  #waiters: Waiter[] | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    const { seq, at } = options.after ?? { seq: 0, at: 0 };
    this.seq = this.#stored = seq;
    this.lastAt = at;
  }

  get waiting(): number {
    return this.#pending?.length ?? 0;
  }

  /** Queues an event of this size (see `sizeOf`) to be stored soon. Timestamps never go backwards. */
  write(event: Event, size: number): void {
    if (this.#failure) return;
    const now = Date.now();
    if (now > this.lastAt) this.lastAt = now;
    const entry = { seq: ++this.seq, at: this.lastAt, event };
    if (this.#pending) this.#pending.push(entry);
    else this.#pending = [entry];
    this.bytes += size;
    if (!this.#isScheduled && !this.#isAppending) this.#schedule();
  }

  /** Continues after this entry, which another owner wrote. `bytes` is the size of the run so far. */
  continueAfter({ seq, at }: Pick<Entry, "seq" | "at">, bytes: number): void {
    this.seq = this.#stored = seq;
    this.lastAt = at;
    this.bytes = bytes;
  }

  /** Stops writing, with this error. */
  fail(error: unknown): void {
    if (!this.#failure) this.#onFailed(error);
  }

  /** Resolves when everything written so far is stored. Rejects if the log has failed. */
  flushed(): Promise<void> {
    const done = Promise.withResolvers<void>();
    (this.#waiters ??= []).push({ seq: this.seq, done });
    if (this.#failure) this.#settle();
    else this.flush();
    return done.promise;
  }

  /** Called by the batch this job was added to. */
  flush(): void {
    this.#isScheduled = false;
    this.#lastFlushAt = this.lastAt;
    while (this.#pending && !this.#isAppending && !this.#failure) {
      const batch = this.#pending;
      this.#pending = undefined;
      const last = this.seq;
      // A synchronous append may wake watchers that write more. Set this so that the loop stores those writes too.
      this.#isAppending = true;
      const appending = this.#append(batch);
      if (appending)
        appending.then(
          () => this.#onStored(last),
          (error: unknown) => this.#onFailed(error),
        );
      else {
        this.#isAppending = false;
        this.#stored = last;
      }
    }
    if (this.#waiters) this.#settle();
  }

  /** A log that throws instead of rejecting must not break other runs flushed in the same turn. */
  #append(batch: readonly Entry[]): void | Promise<void> {
    const { log, run, as } = this.#options;
    try {
      return log.append(run, batch, as);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #schedule(): void {
    const { flusher } = this.#options;
    this.#isScheduled = true;
    if (this.lastAt - this.#lastFlushAt < flusher.windowMs) flusher.thisWindow(this);
    else flusher.thisTick(this);
  }

  #onStored(last: number): void {
    this.#isAppending = false;
    if (this.#failure) return;
    this.#stored = last;
    if (this.#waiters) this.flush();
    else if (this.#pending) this.#schedule();
  }

  #onFailed(error: unknown): void {
    this.#isAppending = false;
    if (this.#failure) return;
    this.#failure = { error };
    this.#pending = undefined;
    this.#options.onFailure(error);
    this.#settle();
  }

  #settle(): void {
    const asked = this.#waiters ?? [];
    this.#waiters = undefined;
    for (const waiter of asked) {
      if (this.#failure) waiter.done.reject(this.#failure.error);
      else if (waiter.seq <= this.#stored) waiter.done.resolve();
      else (this.#waiters ??= []).push(waiter);
    }
  }
}

interface Waiter {
  readonly seq: number;
  readonly done: PromiseWithResolvers<void>;
}

/** The approximate size of an event in the log. Throws for an event that is not JSON, which no log can store. */
export const sizeOf = (event: Event): number =>
  "delta" in event && event.meta === undefined ? 96 + event.delta.length : 48 + JSON.stringify(event).length;
