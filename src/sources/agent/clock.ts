import { LONGEST_TIMER } from "../../timer.ts";

/** Measures one call and calls `expire` when it exceeds its limit. Paused time counts toward the duration but not toward the limit. */
export interface Clock {
  pause(): void;
  resume(): void;
  /** Returns the milliseconds since the start. */
  stop(): number;
}

export const clock = (limitMs: number | undefined, expire: () => void): Clock => {
  const started = performance.now();
  const limited = limitMs !== undefined && limitMs <= LONGEST_TIMER;
  let left = limitMs ?? 0;
  let since = started;
  let pauses = 0;
  let timer: NodeJS.Timeout | undefined;

  const run = () => {
    if (!limited) return;
    since = performance.now();
    timer = setTimeout(expire, Math.max(0, left));
  };
  run();
  return {
    pause() {
      pauses += 1;
      if (pauses > 1) return;
      clearTimeout(timer);
      left -= performance.now() - since;
    },
    resume() {
      pauses -= 1;
      if (pauses === 0) run();
    },
    stop() {
      clearTimeout(timer);
      pauses = Infinity;
      return Math.round((performance.now() - started) * 10) / 10;
    },
  };
};
