import { LogReset } from "./errors.ts";

const MAX_RUNS = 20_000;

/** The last seq that this process knows was stored, per run. An engine whose log ends before that has lost entries. */
export const createMarks = () => {
  const marks = new Map<string, number>();

  return {
    set(run: string, seq: number): void {
      // Moves the run to the end, so it is dropped last. While there is plenty of room, this would only cost time.
      if (marks.size > MAX_RUNS / 2) marks.delete(run);
      marks.set(run, seq);
      if (marks.size > MAX_RUNS) marks.delete(marks.keys().next().value!);
    },
    /** Throws if a log that ends at `found` is known to have contained `wanted`. */
    check(run: string, wanted: number, found: number): void {
      const known = marks.get(run) ?? 0;
      if (found < known && found < wanted && wanted <= known) throw new LogReset(run, known, found);
    },
  };
};

export type Marks = ReturnType<typeof createMarks>;
