import { AsyncLocalStorage } from "node:async_hooks";

const storage = new AsyncLocalStorage<(error: unknown) => void>();

/** Does some work, and hears of errors that it lets go: a promise that nobody waits for, a throw in a timer or a listener. */
export const hearStrayErrors = <Value>(hear: (error: unknown) => void, work: () => Value): Value =>
  storage.run(hear, work);

/**
 * From now on a stray error does not end the process, and with it the runs of everybody else. Whoever did the work that it comes from
 * hears of it, if that is known, and so does `onProblem`. Answers how to undo this.
 */
export const surviveStrayErrors = (onProblem: (error: unknown) => void): (() => void) => {
  const take = (error: unknown): void => {
    storage.getStore()?.(error);
    onProblem(error);
  };
  process.on("unhandledRejection", take).on("uncaughtException", take);
  return () => void process.off("unhandledRejection", take).off("uncaughtException", take);
};
