import type { Time } from "./time.ts";

/** The clock of the log, as far as this device can tell: its own, moved on by as much as the log was ever ahead of it. */
export interface LogClock {
  /** Takes in that something has begun by now, `own` by this device's clock. */
  hear(time: Time | undefined, own: number): void;
  /** What the log's clock shows when this device's shows `own`: never before what was heard, and it goes on at the same pace. */
  at(own: number): number;
}

/** Nothing that a server tells lies in the future: if it seems to, the server's clock is ahead of ours. */
export const createLogClock = (): LogClock => {
  let ahead = 0;
  return {
    hear: (time, own) => {
      if (time && "since" in time) ahead = Math.max(ahead, time.since - own);
    },
    at: (own) => own + ahead,
  };
};
