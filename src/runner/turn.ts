/** What is to be done once, after the microtasks of this turn of the event loop: one tick for all runs, not one for each. */
export interface Turn {
  add(job: () => void): void;
}

export const createTurn = (): Turn => {
  let jobs: (() => void)[] = [];
  const run = (): void => {
    const due = jobs;
    jobs = [];
    for (const job of due) job();
  };
  return {
    add(job) {
      if (jobs.push(job) === 1) process.nextTick(run);
    },
  };
};
