import type { Entry } from "./events.ts";
import { createPace, LONGEST_WAIT_MS } from "./replay/pace.ts";
import { createTimeline } from "./replay/timeline.ts";
import type { RunState } from "./state.ts";

export { createTimeline, type Timeline } from "./replay/timeline.ts";
export { LONGEST_WAIT_MS };

export const SPEEDS = [1, 2, 5, 10, 50] as const;

/**
 * Plays a recorded run. It has no clock: the view calls `tick` once per frame while `isPlaying`.
 *
 * Entries may be appended at any time. Waits longer than `LONGEST_WAIT_MS` are shortened to it.
 */
export interface Replay {
  readonly length: number;
  /** The seq of the last entry shown. 0 before the first. */
  readonly seq: number;
  /** The state after that entry. Small steps forward change it in place. Any other move replaces it. */
  readonly state: RunState;
  readonly isPlaying: boolean;
  readonly speed: number;
  /** The original length of the next wait, if it is shortened. */
  readonly shortened: number | undefined;
  /** The number of waits in the run that are shortened. */
  readonly shortenedCount: number;
  /** The original time of an entry, relative to the first. */
  timeOf(seq: number): number;
  seek(seq: number): void;
  /** At the end, restarts from the beginning. */
  play(): void;
  pause(): void;
  setSpeed(speed: number): void;
  /** Advances playback by this many milliseconds. */
  tick(ms: number): void;
  /** Calls `listener` after each change. Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void;
}

export const createReplay = (entries: readonly Entry[], at: number = entries.length): Replay => {
  const timeline = createTimeline(entries);
  const pace = createPace(entries);
  const listeners = new Set<() => void>();
  let state = timeline.stateAt(at);
  let isPlaying = false;
  let speed = 1;
  let time = pace.timeOf(state.seq);

  const notify = (): void => {
    for (const listener of listeners) listener();
  };
  const show = (seq: number): void => {
    state = timeline.stateAt(seq, state);
  };
  const seek = (seq: number): void => {
    show(seq);
    time = pace.timeOf(state.seq);
    notify();
  };

  return {
    get length() {
      return entries.length;
    },
    get seq() {
      return state.seq;
    },
    get state() {
      return state;
    },
    get isPlaying() {
      return isPlaying;
    },
    get speed() {
      return speed;
    },
    get shortened() {
      return pace.shortened(state.seq + 1);
    },
    get shortenedCount() {
      return pace.count;
    },
    timeOf: (seq) => {
      const [first] = entries;
      return first ? entries[Math.max(1, Math.min(seq, entries.length)) - 1]!.at - first.at : 0;
    },
    seek,
    play: () => {
      if (isPlaying || entries.length === 0) return;
      isPlaying = true;
      if (state.seq >= entries.length) seek(0);
      else notify();
    },
    pause: () => {
      if (!isPlaying) return;
      isPlaying = false;
      notify();
    },
    setSpeed: (value) => {
      speed = value;
      notify();
    },
    tick: (ms) => {
      if (!isPlaying) return;
      time += ms * speed;
      const seq = pace.seqAt(time);
      const isMore = seq > state.seq;
      if (isMore) show(seq);
      if (state.seq >= entries.length) isPlaying = false;
      if (isMore || !isPlaying) notify();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};
