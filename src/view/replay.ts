import { counted, duration } from "./amounts.ts";

/** A position in a replay. */
interface Place {
  readonly seq: number;
  readonly length: number;
  /** The real length of the next wait if it is shortened. */
  readonly shortened: number | undefined;
  readonly shortenedCount: number;
  timeOf(seq: number): number;
}

/** Display data for a replay. `longestWait` is the length, in milliseconds, that long waits are shortened to. */
export const describeReplay = (replay: Place, longestWait: number) => {
  const { seq, length, shortened, shortenedCount } = replay;
  const kept = `shortened to ${longestWait / 1000} s`;
  return {
    place: `Event ${seq} of ${length}`,
    time: duration(replay.timeOf(seq)),
    wait:
      shortened !== undefined
        ? `A wait of ${duration(shortened)} comes next, ${kept}.`
        : shortenedCount === 0
          ? ""
          : `${counted(shortenedCount, "long wait")} ${kept}.`,
  };
};
