import { performance } from "node:perf_hooks";

/** Says when no more entries of a span can come, with one timer for all runs. */
export interface Releases {
  /** Calls `release(spanEnd)` once, when everything stamped before `spanEnd` (milliseconds since 1970) is stored. */
  after(spanEnd: number, windowMs: number, waiting: Releasable): void;
}

export interface Releasable {
  release(spanEnd: number): void;
}

/**
 * From an entry's stamp until it is stored the runner takes up to 40 ms (it stores a busy run that often); the rest is the log's.
 * Where the log stores at once this bound cannot be broken in the process of the run, however late its timers are: those of the
 * runner expire before ours, and we act after all that have expired. A log that takes longer, or a writer elsewhere whose clock
 * differs by more, can break it: then those who watch live get as two entries what a replay gets as one. Nothing is lost or said
 * twice even so, because a cursor within a span divides it (one that names a frame within such an entry cannot).
 */
const GRACE_MS = 100;

export const createReleases = (): Releases => {
  /** By the end of their span: those of all runs are the same, so there are few. */
  const spans = new Map<number, { readonly due: number; readonly waiting: Set<Releasable> }>();
  let timer: NodeJS.Timeout | undefined;
  let timerDue = Infinity;

  const arm = (): void => {
    const next = Math.min(...[...spans.values()].map(({ due }) => due));
    if (timer && timerDue <= next) return;
    clearTimeout(timer);
    timerDue = next;
    timer = next === Infinity ? undefined : setTimeout(expired, Math.max(0, next - performance.now())).unref();
  };

  const expired = (): void => {
    timer = undefined;
    timerDue = Infinity;
    // Not now: timers of the runner that have expired as well may be behind this one.
    const now = performance.now();
    setImmediate(() => releaseDue(now));
  };

  const releaseDue = (now: number): void => {
    for (const [spanEnd, { due, waiting }] of [...spans]) {
      if (due > now) continue;
      spans.delete(spanEnd);
      for (const one of waiting) one.release(spanEnd);
    }
    arm();
  };

  return {
    after(spanEnd, windowMs, waiting) {
      const known = spans.get(spanEnd);
      if (known) return void known.waiting.add(waiting);
      // Not longer than a whole span: a clock that was set back would hold everything until it has caught up.
      const wait = Math.min(Math.max(spanEnd - Date.now(), -GRACE_MS), windowMs) + GRACE_MS;
      spans.set(spanEnd, { due: performance.now() + wait, waiting: new Set([waiting]) });
      arm();
    },
  };
};
