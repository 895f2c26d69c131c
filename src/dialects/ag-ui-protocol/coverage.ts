import { extendedBut } from "../frames/coverage.ts";

/** The coverage of AG-UI. */
export const agUiCoverage = extendedBut({
  "run-resume": { loses: "clients do not know which process runs an agent" },
  "step-retry": { loses: "sent as an activity `runcast.status`: AG-UI has no step retries" },
  "tool-execute": { loses: "AG-UI reports calls and their results, not when a call starts to execute" },
  "ask-end": { loses: "the client that answers knows its answer; the next stream continues after it" },
});
