import type { Job } from "../batch.ts";

/** How long jobs of one turn may take together before others have theirs. */
const TURN_MS = 8;

/** Does work that many may want at once in turns of the event loop: some of it in each, in the order it came. */
export class Turns {
  readonly #most: number;
  readonly #onError: (error: unknown) => void;
  #jobs: Job[] = [];
  #done = 0;
  #scheduled = false;

  /** `most`: how many jobs are done in one turn. */
  constructor(most: number, onError: (error: unknown) => void) {
    this.#most = most;
    this.#onError = onError;
  }

  /** Does the job in a later turn. */
  add(job: Job): void {
    this.#jobs.push(job);
    this.#schedule();
  }

  /** Undefined if there is room in this turn; else it resolves in the turn that has. */
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
    // Who has had a turn waits behind those who have not.
    this.#jobs = [...jobs.slice(this.#done), ...this.#jobs];
    if (this.#done > 0) this.#schedule();
  };
}
