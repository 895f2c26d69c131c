import { LONGEST_TIMER } from "../../timer.ts";

/** Calls `expire` if it is not fed for this long. Feeding is cheap enough to do for every token. */
export interface Watchdog {
  feed(): void;
  /** Stops the timer until it is fed again. */
  rest(): void;
  stop(): void;
}

export const watchdog = (ms: number, expire: () => void): Watchdog => {
  if (!(ms <= LONGEST_TIMER)) return { feed() {}, rest() {}, stop() {} };
  let timer: NodeJS.Timeout | undefined = setTimeout(expire, ms);
  const rest = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    feed() {
      if (timer) timer.refresh();
      else timer = setTimeout(expire, ms);
    },
    rest,
    stop: rest,
  };
};
