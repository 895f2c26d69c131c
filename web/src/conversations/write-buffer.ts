import type { Entry } from "runcast/events";

export interface WriteBufferOptions {
  readonly keep: (run: string, entries: readonly Entry[]) => Promise<boolean>;
  /** Called after the pending entries of a run were stored, as far as possible. */
  readonly onKept?: (run: string) => void;
  readonly waitMs?: number;
  readonly most?: number;
}

/** Collects the entries of a run and stores them in batches, because a write per token would be too expensive. */
export interface WriteBuffer {
  add(run: string, entry: Entry): void;
  /** Stores pending entries immediately. */
  flush(): Promise<void>;
  /** Entries that are not stored yet, by run. */
  waiting(): ReadonlyMap<string, readonly Entry[]>;
}

export const createWriteBuffer = ({ keep, onKept, waitMs = 1000, most = 1000 }: WriteBufferOptions): WriteBuffer => {
  const waiting = new Map<string, Entry[]>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let writing: Promise<void> = Promise.resolve();

  const write = async (): Promise<void> => {
    for (const [run, entries] of [...waiting]) {
      const count = entries.length;
      try {
        await keep(run, entries.slice(0, count));
      } catch {
        // The store reports the error. The entries stay queued for the next attempt.
        continue;
      }
      entries.splice(0, count);
      if (entries.length === 0) waiting.delete(run);
      onKept?.(run);
    }
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write);
    return writing;
  };

  return {
    add: (run, entry) => {
      const entries = waiting.get(run);
      if (entries) entries.push(entry);
      else waiting.set(run, [entry]);
      if (entry.event.type === "run-end" || (entries && entries.length % most === 0)) void flush();
      else timer ??= setTimeout(() => void flush(), waitMs);
    },
    flush,
    waiting: () => waiting,
  };
};
