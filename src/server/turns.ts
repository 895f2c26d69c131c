import type { Job } from "../batch.ts";

/** How long the jobs of one turn may take in total before other work runs. */
const TURN_MS = 8;

/** Spreads many jobs over turns of the event loop: a few in each, in order of arrival. */
export class Turns {
  readonly #most: number;
  readonly #onError: (error: unknown) => void;
  #jobs: Job[] = [];
  #done = 0;
  #scheduled = false;

  /** `most`: the maximum number of jobs per turn. */
  constructor(most: number, onError: (error: unknown) => void) {
    this.#most = most;
    this.#onError = onError;
  }

  /** Runs the job in a later turn. */
  add(job: Job): void {
    this.#jobs.push(job);
    this.#schedule();
  }

  /** Undefined if there is room in this turn. Otherwise resolves in the turn that has room. */
  enter(): Promise<void> | undefined {
    this.#schedule();
    if (this.#jobs.length > 0 || this.#done >= this.#most)
      return new Promise((resolve) => this.add({ flush: resolve }));
    this.#done += 1;
    return undefined;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    const jobs = this.#jobs;
    const end = performance.now() + TURN_MS;
    this.#scheduled = false;
    this.#done = 0;
    this.#jobs = [];
    while (this.#done < Math.min(jobs.length, this.#most) && (this.#done === 0 || performance.now() < end)) {
      try {
        jobs[this.#done]!.flush();
      } catch (error) {
        this.#onError(error);
      }
      this.#done += 1;
    }
    // Jobs that have waited longer come first.
    this.#jobs = [...jobs.slice(this.#done), ...this.#jobs];
    if (this.#done > 0) this.#schedule();
  };
}
