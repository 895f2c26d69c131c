/** Something that has work to do once per batch, however often it was added. */
export interface Job {
  flush(): void;
}

/** Runs what was added, all together, when `schedule` says so: one tick or timer for a thousand jobs instead of a thousand. */
export class Batch {
  #jobs: Job[] = [];
  readonly #schedule: (callback: () => number) => void;
  readonly #onError: (error: unknown) => void;

  constructor(schedule: (callback: () => number) => void, onError: (error: unknown) => void) {
    this.#schedule = schedule;
    this.#onError = onError;
  }

  add(job: Job): void {
    if (this.#jobs.push(job) === 1) this.#schedule(this.#run);
  }

  /** Answers how many jobs there were. */
  readonly #run = (): number => {
    const jobs = this.#jobs;
    this.#jobs = [];
    for (const job of jobs) {
      try {
        job.flush();
      } catch (error) {
        this.#onError(error);
      }
    }
    return jobs.length;
  };
}
