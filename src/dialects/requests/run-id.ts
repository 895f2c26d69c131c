import type { RunRef } from "../../dialect.ts";

/** The id of the run that a command names, for a dialect whose paths have no other way to name one. */
export const runId = (run: RunRef): string => {
  if (typeof run === "string") return run;
  throw new Error("a client of this dialect names a run by its id, not by its thread");
};
