import type { Loss } from "../../dialect.ts";

export const asStatus = (what: string): Loss => ({ loses: `sent as a status: ${what}` });

const NO_STEPS: Loss = { loses: "the family has no steps; readers create their own" };

/** The coverage of the events that these families handle alike. */
export const fastApiCoverage = {
  "run-start": asStatus("the client that started the run knows its request"),
  "run-resume": asStatus("the family does not know which process runs an agent"),
  "step-start": NO_STEPS,
  "step-retry": asStatus("the family has no steps"),
  "step-end": NO_STEPS,
  "tool-progress": asStatus("the family has no progress"),
  "tool-output-delta": { loses: "the family shows a call's result, not its live output" },
  "ask-start": asStatus("its clients cannot answer; the status says where to answer"),
  file: { loses: "the family has no files" },
  embed: { loses: "the family has no embeds" },
  notice: asStatus("the family has no notices"),
  data: { loses: "the family has no frame for other data" },
} as const;
