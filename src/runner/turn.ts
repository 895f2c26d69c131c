/** What is to be done once, however often it was said: one tick or timer for all runs, not one for each. */
export interface Turn {
  /** After the microtasks of this turn of the event loop. */
  soon(job: () => void): void;
  /** Within `COALESCE_MS`, together with whatever else waits. */
  later(job: () => void): void;
}

/**
 * A run is stored and sent at most this often; the first event after a pause is not delayed. A hundred times a second is more
 * than a screen shows, and a burst costs a fraction of what its events would cost one by one.
 */
export const COALESCE_MS = 10;

export const createTurn = (): Turn => ({
  soon: collector((run) => process.nextTick(run)),
  later: collector((run) => setTimeout(run, COALESCE_MS)),
});

const collector = (schedule: (run: () => void) => void) => {
  let jobs: (() => void)[] = [];
  const run = (): void => {
    const due = jobs;
    jobs = [];
    for (const job of due) job();
  };
  return (job: () => void): void => {
    if (jobs.push(job) === 1) schedule(run);
  };
};
