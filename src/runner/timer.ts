import { LONGEST_TIMER } from "../timer.ts";

/** Calls `act` after so many milliseconds, however many they are. Returns what prevents that. */
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

/** Resolves with nothing after so many milliseconds. Keeps no process alive. */
export const soon = (ms: number): Promise<undefined> =>
  new Promise<undefined>((resolve) => setTimeout(resolve, ms, undefined).unref());
