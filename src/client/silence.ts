import { LONGEST_TIMER } from "../timer.ts";

/**
 * Calls `onSilence` once if nothing comes for so long. Compares clocks instead of trusting one long timer: a machine
 * that slept, or a page that was frozen, finds out as soon as it is back.
 */
export interface Silence {
  /** Something arrived. */
  reset(): void;
  /** Nobody reads at the moment, so nothing can come. Ends with `reset`. */
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
