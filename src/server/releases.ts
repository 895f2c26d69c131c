import { performance } from "node:perf_hooks";

/** Signals when no more entries of a span can arrive, with one timer for all runs. */
export interface Releases {
  /** Calls `release(spanEnd)` once, when every entry stamped before `spanEnd` (milliseconds since 1970) is stored. */
  after(spanEnd: number, windowMs: number, waiting: Releasable): void;
}

export interface Releasable {
  release(spanEnd: number): void;
}

/**
 * From an entry's timestamp until it is stored, the runner takes at most this long (its longest interval), and usually
 * much less. The rest is for the log. With a log that stores synchronously, this bound always holds in the run's
 * process, even with late timers: the runner's timers expire before ours, and we act after all expired ones. A slower
 * log, or a remote writer with a larger clock difference, can exceed it. Then live viewers get two entries where a
 * replay gets one. Even so, nothing is lost or repeated, because a cursor within a span divides it (one that names a
 * frame within such an entry cannot).
 */
const GRACE_MS = 100;

export const createReleases = (): Releases => {
  /** By the end of the span. Spans are the same for all runs, so there are few. */
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
    // Deferred, because expired timers of the runner may be queued behind this one.
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
      // At most a whole span: otherwise, a clock that was set back would hold everything until it caught up.
      const wait = Math.min(Math.max(spanEnd - Date.now(), -GRACE_MS), windowMs) + GRACE_MS;
      spans.set(spanEnd, { due: performance.now() + wait, waiting: new Set([waiting]) });
      arm();
    },
  };
};
