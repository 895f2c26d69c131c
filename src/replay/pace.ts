import type { Entry } from "../events.ts";

/** When to show each entry of a run, in milliseconds from its start. */
export interface Pace {
  /** The seq of the last entry shown at this time. */
  seqAt(time: number): number;
  timeOf(seq: number): number;
  /** The original wait before this entry, if it is shortened. */
  shortened(seq: number): number | undefined;
  /** The number of shortened waits. */
  readonly count: number;
}

/** Longer waits are shortened to this. */
export const LONGEST_WAIT_MS = 2000;

export const createPace = (entries: readonly Entry[], longest = LONGEST_WAIT_MS): Pace => {
  const times: number[] = [0];
  const waits = new Map<number, number>();

  const measure = (seq: number): void => {
    while (times.length <= seq && times.length <= entries.length) {
      const before = entries[times.length - 2];
      // A clock that was set back must not yield a negative wait.
      const wait = before ? Math.max(0, entries[times.length - 1]!.at - before.at) : 0;
      if (wait > longest) waits.set(times.length, wait);
      times.push(times.at(-1)! + Math.min(wait, longest));
    }
  };

  return {
    timeOf: (seq) => {
      measure(seq);
      return times[Math.min(seq, times.length - 1)]!;
    },
    seqAt: (time) => {
      measure(entries.length);
      let low = 0;
      let high = times.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (times[middle]! <= time) low = middle + 1;
        else high = middle;
      }
      return low - 1;
    },
    shortened: (seq) => {
      measure(seq);
      return waits.get(seq);
    },
    get count() {
      measure(entries.length);
      return waits.size;
    },
  };
};
