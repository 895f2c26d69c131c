import type { Fields } from "../../json.ts";
import { lineOf } from "../upstream/reading.ts";

/** What goes on beside models and tools, as a status while it lasts. */
const WORK: Readonly<Record<string, string>> = {
  PreHook: "Running a hook",
  PostHook: "Running a hook",
  MemoryUpdate: "Updating the memory",
  SessionSummary: "Summarizing the session",
  ParserModelResponse: "Reading the answer into its form",
  OutputModelResponse: "Writing the answer",
  Compression: "Compressing results",
  Compaction: "Compacting the conversation",
  Followups: "Thinking of follow-ups",
};

/** The status that an event sets, "" if it takes one away, undefined if it is about none. */
export const statusOf = (name: string, fields: Fields): string | undefined => {
  const [, work = "", phase] = /^(\w+?)(Started|Completed)$/.exec(name) ?? [];
  const text = Object.hasOwn(WORK, work) ? WORK[work] : undefined;
  if (text === undefined) return undefined;
  if (phase === "Completed") return "";
  const hook = lineOf(fields["pre_hook_name"], 80) ?? lineOf(fields["post_hook_name"], 80);
  return hook === undefined ? text : `${text}: ${hook}`;
};
