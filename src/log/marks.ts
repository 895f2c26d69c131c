import { LogReset } from "./errors.ts";

const MAX_RUNS = 20_000;

/** How far this process knows each run's log to have been stored: an engine whose log ends before that has lost entries. */
export const createMarks = () => {
  const marks = new Map<string, number>();

  return {
    set(run: string, seq: number): void {
      marks.delete(run);
      marks.set(run, seq);
      if (marks.size > MAX_RUNS) marks.delete(marks.keys().next().value!);
    },
    /** Throws if a log that ends at `found` once ended after `wanted`. */
    check(run: string, wanted: number, found: number): void {
      const known = marks.get(run) ?? 0;
      if (found < known && found < wanted && wanted <= known) throw new LogReset(run, known, found);
    },
  };
};

export type Marks = ReturnType<typeof createMarks>;
