import { Refusal } from "../source.ts";

export interface QueueOptions {
  readonly atOnce: number;
  /** Further jobs are refused. */
  readonly waiting: number;
}

/** Runs jobs in order, a few at a time. */
export const createQueue = ({
  atOnce,
  waiting,
}: QueueOptions): (<Result>(job: () => Promise<Result>) => Promise<Result>) => {
  const line: (() => void)[] = [];
  let running = 0;
  return async (job) => {
    if (running >= atOnce) {
      if (line.length >= waiting)
        throw new Refusal("busy", "too many exports are in progress", {
          status: 503,
          retryable: true,
          hint: "try again in a minute",
        });
      await new Promise<void>((resolve) => line.push(resolve));
    } else running++;
    try {
      return await job();
    } finally {
      // Pass the slot to the next job, or free it.
      const next = line.shift();
      if (next) next();
      else running--;
    }
  };
};
