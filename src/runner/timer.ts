import { LONGEST_TIMER } from "../timer.ts";

/** Calls `act` after this many milliseconds, which may exceed the longest timer. Returns a function that cancels it. */
export const after = (ms: number, act: () => void): (() => void) => {
  let left = ms;
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const now = Math.min(left, LONGEST_TIMER);
    left -= now;
    timer = setTimeout(left > 0 ? wait : act, now);
  };
  wait();
  return () => clearTimeout(timer);
};

/** Resolves with undefined after this many milliseconds. Does not keep the process alive. */
export const delay = (ms: number): Promise<undefined> =>
  new Promise<undefined>((resolve) => setTimeout(resolve, ms, undefined).unref());
