import type { Event } from "./events.ts";

/** Merges all concurrent events of a run: many writers, one reader. */
export interface EventQueue extends AsyncIterable<Event> {
  /** Costs an array push. Has no effect once the queue is closed. */
  push(event: Event): void;
  /** Undefined while there is room. Otherwise resolves when the reader has caught up. */
  room(): Promise<void> | undefined;
  /** Resolves when the reader has taken everything pushed so far and asks for more. */
  taken(): Promise<void>;
  /** After the pushed events, the reader gets the end, or this error. */
  close(failure?: { readonly error: unknown }): void;
}

/**
 * The iterator of a queue. While `next` waits, a pushed event first goes to `take`, which saves its promise. `next` gets
 * the events for which `take` returns false.
 */
export interface QueueIterator extends AsyncIterator<Event> {
  [FEED](take: (event: Event) => boolean): void;
}
/** A symbol, because any object with `next` can be a source's iterator. */
export const FEED = Symbol("feed");

const LIMIT = 1000;

/** `start` is called when the reader first asks for an event, `leave` when it returns early. */
export const createEventQueue = (start = (): void => {}, leave = (): void => {}): EventQueue => {
  let events: Event[] = [];
  let read = 0;
  let begun = false;
  let closed = false;
  let failure: { readonly error: unknown } | undefined;
  let feed = (_event: Event): boolean => false;
  let reader: { resolve(result: IteratorResult<Event>): void; reject(error: unknown): void } | undefined;
  let waiting: { readonly until: number; readonly resolve: () => void }[] = [];
  let before = 0;

  const release = (position: number) => {
    const due = waiting.filter(({ until }) => until <= position);
    if (due.length === 0) return;
    waiting = waiting.filter(({ until }) => until > position);
    for (const { resolve } of due) resolve();
  };
  const whenTaken = (until: number) =>
    closed ? Promise.resolve() : new Promise<void>((resolve) => void waiting.push({ until, resolve }));

  const take = (): Event => {
    const event = events[read++] as Event;
    if (read * 2 >= events.length && (read === events.length || read >= LIMIT)) {
      before += read;
      events = read === events.length ? [] : events.slice(read);
      read = 0;
    }
    return event;
  };
  const end = (): Promise<IteratorResult<Event>> => {
    if (!failure) return Promise.resolve({ value: undefined, done: true });
    const { error } = failure;
    failure = undefined;
    return Promise.reject(error);
  };

  return {
    push(event) {
      if (closed) return;
      if (!reader) return void events.push(event);
      before += 1;
      if (feed(event)) return;
      const { resolve } = reader;
      reader = undefined;
      resolve({ value: event, done: false });
    },
    room: () => (events.length - read <= LIMIT ? undefined : whenTaken(before + events.length - LIMIT / 2)),
    taken: () => (reader && read === events.length ? Promise.resolve() : whenTaken(before + events.length)),
    close(reason) {
      if (closed) return;
      closed = true;
      failure = reason;
      release(Infinity);
      if (!reader) return;
      const { resolve, reject } = reader;
      reader = undefined;
      end().then(resolve, reject);
    },
    [Symbol.asyncIterator]: (): QueueIterator => ({
      [FEED]: (take) => void (feed = take),
      next() {
        if (!begun) {
          begun = true;
          start();
        }
        if (waiting.length > 0) release(before + read);
        if (read < events.length) return Promise.resolve({ value: take(), done: false });
        if (closed) return end();
        return new Promise((resolve, reject) => {
          reader = { resolve, reject };
        });
      },
      return() {
        closed = true;
        failure = undefined;
        events = [];
        read = 0;
        release(Infinity);
        leave();
        return Promise.resolve({ value: undefined, done: true });
      },
    }),
  };
};
