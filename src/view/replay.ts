import { counted, duration } from "./amounts.ts";

/** Where a replay stands. */
interface Place {
  readonly seq: number;
  readonly length: number;
  /** The length of a wait that comes next and is shortened. */
  readonly shortened: number | undefined;
  readonly shortenedCount: number;
  timeOf(seq: number): number;
}

/** What a person is told of a replay; `longestWait` is what long waits are shortened to, in milliseconds. */
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
