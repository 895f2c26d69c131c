import type { Entry } from "../events.ts";

/** Delivers entries to any number of readers, each at its own pace. Costs nothing without readers. */
export interface Feed {
  push(entry: Entry): void;
  /** Readers finish their remaining entries, then end or throw the error. */
  end(error?: Error): void;
  /** Yields the entries pushed from now on. */
  read(): AsyncIterableIterator<Entry, void>;
  /** Undefined while every reader keeps up. Otherwise resolves when no reader is far behind. */
  room(): Promise<void> | undefined;
}

/** A reader with this many unread entries pauses the connection. */
const MOST = 1024;

interface Reader {
  entries: Entry[];
  wake: () => void;
}

export const createFeed = (): Feed => {
  const readers = new Set<Reader>();
  let isEnded = false;
  let endError: Error | undefined;
  let room: PromiseWithResolvers<void> | undefined;

  const isFull = (): boolean => {
    for (const { entries } of readers) if (entries.length >= MOST) return true;
    return false;
  };

  const makeRoom = (): void => {
    if (!room || isFull()) return;
    room.resolve();
    room = undefined;
  };

  const leave = (reader: Reader): void => {
    readers.delete(reader);
    reader.wake();
    makeRoom();
  };

  const drain = async function* (reader: Reader): AsyncGenerator<Entry, void> {
    try {
      for (;;) {
        const { entries } = reader;
        reader.entries = [];
        makeRoom();
        yield* entries;
        if (!readers.has(reader)) return;
        if (reader.entries.length > 0) continue;
        if (isEnded && endError) throw endError;
        if (isEnded) return;
        await new Promise<void>((resolve) => (reader.wake = resolve));
      }
    } finally {
      leave(reader);
    }
  };

  return {
    push: (entry) => {
      for (const reader of readers) {
        reader.entries.push(entry);
        if (reader.entries.length === 1) reader.wake();
      }
    },
    end: (error) => {
      isEnded = true;
      endError = error;
      for (const reader of readers) reader.wake();
      room?.resolve();
    },
    read: () => {
      const reader: Reader = { entries: [], wake: () => {} };
      readers.add(reader);
      const entries = drain(reader);
      return {
        next: () => entries.next(),
        // A generator that is waiting, or has not started, would not react to `return`.
        return: () => {
          leave(reader);
          return entries.return();
        },
        [Symbol.asyncIterator]() {
          return this;
        },
      };
    },
    room: () => (readers.size > 0 && isFull() ? (room ??= Promise.withResolvers()).promise : undefined),
  };
};
