import type { Measured } from "./measured.ts";

/** Where the verdicts of two runs differ, a line each. Systems that only one of them measured are left out. */
export const changesOf = (before: readonly Measured[], after: readonly Measured[]): readonly string[] =>
  after.flatMap(({ name, results = [] }) => {
    const earlier = before.find((one) => one.name === name)?.results ?? [];
    return results.flatMap(({ trial, verdict }) => {
      const was = earlier.find((one) => one.trial === trial)?.verdict;
      return was === undefined || was === verdict ? [] : [`${name}, ${trial}: ${was} before, ${verdict} now`];
    });
  });
