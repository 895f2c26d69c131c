import type { Time } from "./time.ts";

/** Estimates the log's clock: the device's clock plus the largest lead the log has shown over it. */
export interface LogClock {
  /** Records that `time` has already started when this device's clock shows `own`. */
  hear(time: Time | undefined, own: number): void;
  /** The log's time when this device's clock shows `own`. Never earlier than a recorded start, and advances at the same pace. */
  at(own: number): number;
}

/** A server never reports a start in the future. If one appears to be, the server's clock is ahead of ours. */
export const createLogClock = (): LogClock => {
  let ahead = 0;
  return {
    hear: (time, own) => {
      if (time && "since" in time) ahead = Math.max(ahead, time.since - own);
    },
    at: (own) => own + ahead,
  };
};
