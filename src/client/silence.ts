import { LONGEST_TIMER } from "../timer.ts";

/**
 * Calls `onSilence` once if nothing arrives within the limit. Compares clock times instead of relying on one long
 * timer, so a machine that slept or a page that was frozen notices as soon as it is back.
 */
export interface Silence {
  /** Data has arrived. */
  reset(): void;
  /** Suspends the check while nothing is being read. `reset` resumes it. */
  pause(): void;
  check(): void;
  stop(): void;
}

export const createSilence = (silenceMs: number, onSilence: () => void): Silence => {
  const limit = Math.min(silenceMs, LONGEST_TIMER);
  let last = Date.now();
  let isPaused = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const check = (): void => {
    clearTimeout(timer);
    // The clock may have been set back.
    last = Math.min(last, Date.now());
    const left = isPaused ? limit : last + limit - Date.now();
    if (left > 0) timer = setTimeout(check, left);
    else onSilence();
  };
  timer = setTimeout(check, limit);

  return {
    reset: () => {
      last = Date.now();
      isPaused = false;
    },
    pause: () => {
      isPaused = true;
    },
    check,
    stop: () => clearTimeout(timer),
  };
};
