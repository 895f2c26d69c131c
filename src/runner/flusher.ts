import { performance } from "node:perf_hooks";
import { Batch, type Job } from "../batch.ts";

/** Schedules the flushes of all runs: in one tick or on one shared timer. */
export interface Flusher {
  /** After the microtasks of this turn of the event loop. */
  thisTick(job: Job): void;
  /** Within `windowMs`, together with all other waiting jobs. */
  thisWindow(job: Job): void;
  /**
   * A run that streams continuously is stored and sent once per window. The first event after a pause is not delayed.
   * The default of 100 times per second is faster than a screen can show. A busy process uses a longer window, which
   * frees most of its time.
   */
  readonly windowMs: number;
}

const WINDOW_MS = 10;
const BUSY_WINDOW_MS = 40;
/** Window length per flushing run when the process is busy, so flushes and the writes they cause leave time for the runs. */
const BUSY_MS_PER_JOB = 0.08;
const LONGEST_WINDOW_MS = 100;
const BUSY = 0.8;
const LOOK_EVERY_MS = 100;

export const createFlusher = (onError: (error: unknown) => void): Flusher => {
  let windowMs = WINDOW_MS;
  let lookedAt = 0;
  let last = performance.eventLoopUtilization();

  const look = (jobs: number): void => {
    const now = performance.now();
    if (now - lookedAt < LOOK_EVERY_MS) return;
    lookedAt = now;
    const current = performance.eventLoopUtilization();
    const isBusy = performance.eventLoopUtilization(current, last).utilization > BUSY;
    windowMs = isBusy ? Math.min(Math.max(BUSY_WINDOW_MS, jobs * BUSY_MS_PER_JOB), LONGEST_WINDOW_MS) : WINDOW_MS;
    last = current;
  };
  const thenLook = (run: () => number) => () => look(run());

  const tick = new Batch((run) => process.nextTick(thenLook(run)), onError);
  const timer = new Batch((run) => setTimeout(thenLook(run), windowMs), onError);
  return {
    thisTick: (job) => tick.add(job),
    thisWindow: (job) => timer.add(job),
    get windowMs() {
      return windowMs;
    },
  };
};
