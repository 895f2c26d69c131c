import { AsyncLocalStorage } from "node:async_hooks";

const storage = new AsyncLocalStorage<(error: unknown) => void>();

/** Runs some work and reports errors that it does not handle: unhandled rejections, and errors thrown in timers or listeners. */
export const catchStrayErrors = <Value>(hear: (error: unknown) => void, work: () => Value): Value =>
  storage.run(hear, work);

/**
 * Keeps a stray error from ending the process, and with it all other runs. Reports it to the `catchStrayErrors` around
 * the work it comes from, if known, and to `onProblem`. Returns a function that undoes this.
 */
export const surviveStrayErrors = (onProblem: (error: unknown) => void): (() => void) => {
  const take = (error: unknown): void => {
    storage.getStore()?.(error);
    onProblem(error);
  };
  process.on("unhandledRejection", take).on("uncaughtException", take);
  return () => void process.off("unhandledRejection", take).off("uncaughtException", take);
};
