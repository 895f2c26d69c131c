import { performance } from "node:perf_hooks";

export interface Job {
  flush(): void;
}

/** What is to be done once, however often it was said: one tick or timer for all runs, not one for each. */
export interface Turn {
  /** After the microtasks of this turn of the event loop. */
  soon(job: Job): void;
  /** Within `windowMs`, together with whatever else waits. */
  later(job: Job): void;
  /**
   * A run that keeps talking is stored and sent once in this time; the first event after a pause is not delayed. A hundred
   * times a second is more than a screen shows; a process that is short of time does it less often, which frees most of it.
   */
  readonly windowMs: number;
}

const WINDOW_MS = 10;
const BUSY_WINDOW_MS = 40;
const BUSY = 0.8;
const LOOK_EVERY_MS = 100;

export const createTurn = (): Turn => {
  let windowMs = WINDOW_MS;
  let lookedAt = 0;
  let last = performance.eventLoopUtilization();

  const look = (): void => {
    const now = performance.now();
    if (now - lookedAt < LOOK_EVERY_MS) return;
    lookedAt = now;
    const current = performance.eventLoopUtilization();
    windowMs = performance.eventLoopUtilization(current, last).utilization > BUSY ? BUSY_WINDOW_MS : WINDOW_MS;
    last = current;
  };

  const collector = (schedule: (run: () => void) => void) => {
    let jobs: Job[] = [];
    const run = (): void => {
      const due = jobs;
      jobs = [];
      for (const job of due) job.flush();
      look();
    };
    return (job: Job): void => {
      if (jobs.push(job) === 1) schedule(run);
    };
  };

  return {
    soon: collector((run) => process.nextTick(run)),
    later: collector((run) => setTimeout(run, windowMs)),
    get windowMs() {
      return windowMs;
    },
  };
};
