import type { Result } from "./result.ts";

/** The results as lines for a terminal, with a count of each verdict at the end. */
export const reportTable = (results: readonly Result[]): string => {
  const width = Math.max(...results.map(({ trial }) => trial.length));
  const rows = results.map(
    ({ trial, verdict, because, seed, ms }) =>
      `${verdict.padEnd(3)}  ${trial.padEnd(width)}  ${because}${verdict === "no" ? ` (--only ${trial} --seed ${seed})` : ""}  [${(ms / 1000).toFixed(1)} s]`,
  );
  const count = (verdict: Result["verdict"]) => results.filter((result) => result.verdict === verdict).length;
  return [...rows, "", `${count("yes")} yes, ${count("no")} no, ${count("n/a")} not applicable`].join("\n");
};
