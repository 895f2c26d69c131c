import type { Entry, Event } from "../events.ts";
import type { Log } from "../log.ts";
import type { Turn } from "./turn.ts";

/**
 * Numbers and stamps the events of one run and appends them in order, one append at a time: what comes while an append is
 * under way goes with the next. What is ready together in one turn of the event loop, or follows an append closely, is one.
 */
export interface Writer {
  /** Takes an event in, of this size (see `sizeOf`); it is stored soon. Stamps never run backwards. */
  write(event: Event, size: number): void;
  /** Resolves when everything written so far is stored; rejects if the log has failed. */
  flushed(): Promise<void>;
  readonly seq: number;
  readonly lastAt: number;
  readonly waiting: number;
  readonly bytes: number;
}

export interface WriterOptions {
  readonly log: Log;
  readonly run: string;
  readonly turn: Turn;
  readonly onFailure: (error: unknown) => void;
  /** The entry that the log ends with. */
  readonly after?: Pick<Entry, "seq" | "at">;
}

export const createWriter = ({ log, run, turn, onFailure, after = { seq: 0, at: 0 } }: WriterOptions): Writer => {
  let pending: Entry[] = [];
  let seq = after.seq;
  let lastAt = after.at;
  let bytes = 0;
  let lastFlushAt = 0;
  let isScheduled = false;
  let isAppending = false;
  let failure: { error: unknown } | undefined;
  let stored = after.seq;
  let waiters: { readonly seq: number; readonly told: PromiseWithResolvers<void> }[] = [];

  const schedule = (): void => {
    isScheduled = true;
    if (lastAt - lastFlushAt < turn.windowMs) turn.later(flush);
    else turn.soon(flush);
  };

  const flush = (): void => {
    isScheduled = false;
    lastFlushAt = lastAt;
    while (pending.length && !isAppending && !failure) {
      const batch = pending;
      pending = [];
      const last = batch.at(-1)!.seq;
      const appending = log.append(run, batch);
      if (appending) {
        isAppending = true;
        appending.then(() => onStored(last), onFailed);
      } else stored = last;
    }
    if (waiters.length) settle();
  };

  const onStored = (last: number): void => {
    isAppending = false;
    stored = last;
    if (waiters.length) flush();
    else if (pending.length) schedule();
  };
  const onFailed = (error: unknown): void => {
    isAppending = false;
    failure = { error };
    pending = [];
    onFailure(error);
    settle();
  };
  const settle = (): void => {
    const asked = waiters;
    waiters = [];
    for (const waiter of asked) {
      if (failure) waiter.told.reject(failure.error);
      else if (waiter.seq <= stored) waiter.told.resolve();
      else waiters.push(waiter);
    }
  };

  return {
    write(event, size) {
      if (failure) return;
      const now = Date.now();
      if (now > lastAt) lastAt = now;
      pending.push({ seq: ++seq, at: lastAt, event });
      bytes += size;
      if (!isScheduled && !isAppending) schedule();
    },
    flushed() {
      const told = Promise.withResolvers<void>();
      waiters.push({ seq, told });
      if (failure) settle();
      else flush();
      return told.promise;
    },
    get seq() {
      return seq;
    },
    get lastAt() {
      return lastAt;
    },
    get waiting() {
      return pending.length;
    },
    get bytes() {
      return bytes;
    },
  };
};

/** About what an event takes in the log. Throws for one that no log can keep, because it is not JSON. */
export const sizeOf = (event: Event): number =>
  "delta" in event && event.meta === undefined ? 96 + event.delta.length : 48 + JSON.stringify(event).length;
