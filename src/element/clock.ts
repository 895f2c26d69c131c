import { type Time, timeText } from "../view.ts";
import { setText } from "./make.ts";

/** Shows times. Those that still run tick together. */
export interface Clock {
  /** Shows a time in an element; nothing if it is not known. */
  show(element: HTMLElement, time: Time | undefined): void;
  /** The moment that is shown now, in milliseconds since 1970. */
  tick(now: number): void;
}

export const createClock = (): Clock => {
  const running = new Map<HTMLElement, Time>();
  let last = 0;
  const write = (element: HTMLElement, time: Time | undefined): void => {
    const since = time && "since" in time ? time.since : 0;
    setText(element, timeText(time, Math.max(last, since)));
  };
  return {
    show: (element, time) => {
      if (time && "since" in time) running.set(element, time);
      else running.delete(element);
      write(element, time);
    },
    tick: (now) => {
      last = now;
      for (const [element, time] of running) write(element, time);
    },
  };
};
