import { HttpRefusal } from "./refusals.ts";

/** How late this process does its work, and whether that is too late to begin more. */
export interface Load {
  /** Throws the refusal while it is. Who watches, stops or answers a run is never asked. */
  check(): void;
  stop(): void;
}

const LOOK_MS = 50;
/** One pause, for a large answer or a collection of garbage, is no load: it takes several late turns in a row. */
const WEIGHT = 0.2;
/** A machine that slept, or a process that was stopped, comes back as if it had been this late. */
const LONGEST_MS = 5000;

export const watchLoad = (mostMs: number, now: () => number = () => performance.now()): Load => {
  const load = createLoad(mostMs, now());
  const timer = setInterval(() => load.look(now()), LOOK_MS).unref();
  return { check: load.check, stop: () => clearInterval(timer) };
};

/** `look` is to be called every `LOOK_MS`; the later it is, the greater the load. */
export const createLoad = (mostMs: number, start: number) => {
  let due = start + LOOK_MS;
  let delay = 0;
  return {
    look: (now: number): void => {
      const lag = Math.min(LONGEST_MS, Math.max(0, now - due));
      delay += (lag - delay) * WEIGHT;
      due = now + LOOK_MS;
    },
    check: (): void => {
      if (delay <= mostMs) return;
      throw new HttpRefusal(
        503,
        "overloaded",
        `this server is too busy for another run: its work is ${Math.round(delay)} ms late, more than ${mostMs} ms`,
        "try again in some seconds; the setting limits.loopDelayMs says how late it may be",
        { headers: { "retry-after": "5" }, retryable: true },
      );
    },
  };
};
