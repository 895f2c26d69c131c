import { extendedBut } from "../frames/coverage.ts";

/** The coverage of AG-UI. */
export const agUiCoverage = extendedBut({
  "run-resume": { loses: "clients do not know which process runs an agent" },
  "step-retry": { loses: "told as an activity `runcast.status`: steps are not tried again" },
  "tool-execute": { loses: "AG-UI tells what a model asks for and what came of it, not when a call begins to execute" },
  "ask-end": { loses: "the client that answers knows its answer; the next stream goes on after it" },
});
