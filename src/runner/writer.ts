import type { Entry, Event } from "../events.ts";
import type { Log } from "../log.ts";

/**
 * Numbers and stamps the events of one run and appends them in order, one append at a time: what comes while an append is
 * under way goes with the next. Events that are ready together in one turn of the event loop are one append.
 */
export interface Writer {
  /** Takes an event in; it is stored soon. Stamps never run backwards. */
  write(event: Event): void;
  /** Resolves when everything written so far is stored; rejects if the log has failed. */
  flushed(): Promise<void>;
  readonly seq: number;
  readonly lastAt: number;
  readonly waiting: number;
  readonly bytes: number;
}

export const createWriter = (log: Log, run: string, onFailure: (error: unknown) => void, after = 0): Writer => {
  let pending: Entry[] = [];
  let seq = after;
  let lastAt = 0;
  let bytes = 0;
  let scheduled = false;
  let appending: Promise<void> | undefined;
  let failure: { error: unknown } | undefined;

  const append = async (): Promise<void> => {
    try {
      while (pending.length && !failure) {
        const batch = pending;
        pending = [];
        await log.append(run, batch);
      }
    } catch (error) {
      failure = { error };
      pending = [];
      onFailure(error);
    } finally {
      appending = undefined;
    }
  };

  const flush = (): void => {
    scheduled = false;
    if (pending.length) appending ??= append();
  };

  return {
    write(event) {
      if (failure) return;
      lastAt = Math.max(Date.now(), lastAt);
      pending.push({ seq: ++seq, at: lastAt, event });
      bytes += sizeOf(event);
      if (scheduled || appending) return;
      scheduled = true;
      // After the microtasks of this turn, in which a source that has more to say says it.
      process.nextTick(flush);
    },
    async flushed() {
      while ((pending.length || appending) && !failure) {
        flush();
        await appending;
      }
      if (failure) throw failure.error;
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

/** About what an event takes in the log: exact for what can be long, a flat rate for the rest. */
const sizeOf = (event: Event): number => {
  if ("delta" in event) return 96 + event.delta.length;
  if (event.type === "tool-end" || event.type === "data" || event.type === "tool-input-end" || event.type === "embed")
    return JSON.stringify(event).length;
  return 200;
};
