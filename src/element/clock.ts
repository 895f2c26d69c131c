import { createLogClock, type Time, timeText } from "../view.ts";
import { setText } from "./make.ts";

/** Shows times. Those that still run tick together. */
export interface Clock {
  /** Shows a time in an element; nothing if it is not known. */
  show(element: HTMLElement, time: Time | undefined): void;
  /** The moment that is shown now, in milliseconds since 1970: of a live run by this device's clock, of a recorded one by the log's. */
  tick(now: number): void;
}

export const createClock = (isLive: boolean): Clock => {
  const running = new Map<HTMLElement, Time>();
  const log = createLogClock();
  let last = 0;
  const write = (element: HTMLElement, time: Time | undefined): void => setText(element, timeText(time, log.at(last)));
  return {
    show: (element, time) => {
      if (isLive) log.hear(time, Date.now());
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
