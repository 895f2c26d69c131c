import { readFileSync } from "node:fs";

/**
 * The result of a test run, as vitest's JSON report shows it:
 *
 * - `passed`: every test passed.
 * - `failed`: at least one test failed.
 * - `broken`: no test failed, but the run did: a file does not load, or there is no report.
 */
export type RunVerdict = "passed" | "failed" | "broken";

interface Report {
  readonly success: boolean;
  readonly testResults: readonly { readonly assertionResults: readonly { readonly status: string }[] }[];
}

export const verdictOf = (file: string): RunVerdict => {
  let report: Report;
  try {
    report = JSON.parse(readFileSync(file, "utf8")) as Report;
  } catch {
    return "broken";
  }
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  if (tests.some(({ status }) => status === "failed")) return "failed";
  return report.success ? "passed" : "broken";
};
