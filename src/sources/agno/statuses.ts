import type { Fields } from "../../json.ts";
import { lineOf } from "../upstream/reading.ts";

/** Background work of Agno, shown as a status while it lasts. */
const WORK: Readonly<Record<string, string>> = {
  PreHook: "Running a hook",
  PostHook: "Running a hook",
  MemoryUpdate: "Updating the memory",
  SessionSummary: "Summarizing the session",
  ParserModelResponse: "Parsing the answer",
  OutputModelResponse: "Writing the answer",
  Compression: "Compressing results",
  Compaction: "Compacting the conversation",
  Followups: "Preparing follow-up questions",
};

const PAUSES = new Set(["StepPaused", "StepExecutorPaused", "RouterPaused", "StepOutputReview", "WorkflowPaused"]);

/** Whether a workflow waits for the user. */
export const isPause = (name: string): boolean => PAUSES.has(name);

/** The status that an event sets. Empty if it clears the status, undefined if it does not affect it. */
export const statusOf = (name: string, fields: Fields): string | undefined => {
  const [, work = "", phase] = /^(\w+?)(Started|Completed)$/.exec(name) ?? [];
  const text = Object.hasOwn(WORK, work) ? WORK[work] : undefined;
  if (text === undefined) return undefined;
  if (phase === "Completed") return "";
  const hook = lineOf(fields["pre_hook_name"], 80) ?? lineOf(fields["post_hook_name"], 80);
  return hook === undefined ? text : `${text}: ${hook}`;
};
