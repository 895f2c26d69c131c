import { createLogClock, type Time, timeText } from "../view.ts";
import { setText } from "./make.ts";

/** Displays times. Running times are updated together. */
export interface Clock {
  /** Shows a time in an element. Shows nothing if the time is unknown. */
  show(element: HTMLElement, time: Time | undefined): void;
  /** Sets the displayed moment in milliseconds since 1970: by this device's clock for a live run, by the log's for a recorded one. */
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
