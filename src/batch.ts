/** Work to do once per batch, however often it was added. */
export interface Job {
  flush(): void;
}

/** Runs the added jobs together when `schedule` calls back: one tick or timer instead of one per job. */
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

  /** Returns the number of jobs. */
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
