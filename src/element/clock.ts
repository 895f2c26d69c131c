import { elapsed } from "../amounts.ts";

/** How long things have been going on. All of them tick together. */
export interface Clock {
  start(element: HTMLElement, since: number): void;
  stop(element: HTMLElement): void;
  /** It is now this time: in milliseconds since 1970. */
  tick(now: number): void;
}

export const createClock = (): Clock => {
  const running = new Map<HTMLElement, number>();
  let last: number | undefined;
  const write = (element: HTMLElement, since: number, now: number): void => {
    const text = elapsed(now - since);
    if (element.textContent !== text) element.textContent = text;
  };
  return {
    start: (element, since) => {
      running.set(element, since);
      element.hidden = false;
      write(element, since, Math.max(last ?? since, since));
    },
    stop: (element) => void running.delete(element),
    tick: (now) => {
      last = now;
      for (const [element, since] of running) write(element, since, now);
    },
  };
};
