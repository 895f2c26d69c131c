import { HttpRefusal } from "./refusals.ts";

/** Measures how late this process is, and whether it is too late to start more work. */
export interface Load {
  /** Throws a Refusal while it is. Never called for watching, stopping or answering a run. */
  check(): void;
  stop(): void;
}

const LOOK_MS = 50;
/** A single pause, for a large response or garbage collection, is not load: it takes several late turns in a row. */
const WEIGHT = 0.2;
/** Caps the delay after the machine slept or the process was suspended. */
const LONGEST_MS = 5000;

export const watchLoad = (maxMs: number, now: () => number = () => performance.now()): Load => {
  const load = createLoad(maxMs, now());
  const timer = setInterval(() => load.look(now()), LOOK_MS).unref();
  return { check: load.check, stop: () => clearInterval(timer) };
};

/** Call `look` every `LOOK_MS`. The later the call, the greater the load. */
export const createLoad = (maxMs: number, start: number) => {
  let due = start + LOOK_MS;
  let delay = 0;
  return {
    look: (now: number): void => {
      const lag = Math.min(LONGEST_MS, Math.max(0, now - due));
      delay += (lag - delay) * WEIGHT;
      due = now + LOOK_MS;
    },
    check: (): void => {
      if (delay <= maxMs) return;
      throw new HttpRefusal(
        503,
        "overloaded",
        `this server is too busy for another run: its event loop is delayed by ${Math.round(delay)} ms (limit: ${maxMs} ms)`,
        "try again in a few seconds; the limits.loopDelayMs setting sets this limit",
        { headers: { "retry-after": "5" }, retryable: true },
      );
    },
  };
};
