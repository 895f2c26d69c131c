import type { Measured } from "./measured.ts";

/** Where the verdicts of two runs differ, and which systems only the first one measured, a line each. */
export const changesOf = (before: readonly Measured[], after: readonly Measured[]): readonly string[] => [
  ...verdictsOf(before, after),
  ...before.flatMap(({ name, results }) => {
    if (!results || after.some((one) => one.name === name && one.results)) return [];
    return [`${name}: measured before, not now`];
  }),
];

const verdictsOf = (before: readonly Measured[], after: readonly Measured[]): readonly string[] =>
  after.flatMap(({ name, results = [] }) => {
    const earlier = before.find((one) => one.name === name)?.results ?? [];
    return results.flatMap(({ trial, verdict }) => {
      const was = earlier.find((one) => one.trial === trial)?.verdict;
      return was === undefined || was === verdict ? [] : [`${name}, ${trial}: ${was} before, ${verdict} now`];
    });
  });
