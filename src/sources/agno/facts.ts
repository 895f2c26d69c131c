import { type Fields, fieldsOf, listOf } from "../../json.ts";
import type { Event, Json, Problem, Usage } from "../../events.ts";
import type { Cited } from "../upstream/citations.ts";
import { countOf, lineOf } from "../upstream/reading.ts";

export const failureText = (fields: Fields): string =>
  lineOf(fields["content"], 2000) ??
  lineOf(fields["error"], 2000) ??
  lineOf(fields["message"], 2000) ??
  "The run failed on the server.";

export const problemOf = (fields: Fields): Problem => ({
  code: lineOf(fields["error_type"], 100) ?? "upstream-error",
  message: failureText(fields),
});

export const usageOf = (fields: Fields): Usage | undefined => {
  const input = countOf(fields["input_tokens"]);
  const output = countOf(fields["output_tokens"]);
  const reasoning = countOf(fields["reasoning_tokens"]);
  const cached = countOf(fields["cache_read_tokens"]);
  if (input === undefined && output === undefined) return undefined;
  return {
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    ...(reasoning && { reasoning }),
    ...(cached && { cached }),
  };
};

/** The token usage of a whole run. */
export const total = (fields: Fields): Usage | undefined => usageOf(fieldsOf(fields["metrics"]));

export const followUps = (fields: Fields): Event[] => {
  const value = (Array.isArray(fields["followups"]) ? fields["followups"] : []).filter(
    (one) => typeof one === "string",
  );
  return value.length > 0 ? [{ type: "data", name: "follow-ups", value }] : [];
};

/** The pages and documents that the model names as its sources. */
export const citedIn = (fields: Fields): Cited[] => {
  const { urls, documents } = fieldsOf(fields["citations"]);
  return [
    ...listOf(urls).map(fieldsOf),
    ...listOf(documents).map((one) => {
      const { document_title, file_name, cited_text } = fieldsOf(one);
      return { title: document_title ?? file_name, text: cited_text };
    }),
  ];
};

/** What happens in a workflow's step. The output of agents and teams is theirs, and no one else reports that of a function. */
export const stepEvents = (name: string, fields: Fields): Event[] | undefined => {
  const step = lineOf(fields["step_name"], 80);
  switch (name) {
    case "StepStarted":
      return [{ type: "status", text: `Step ${step ?? ""}`.trim() }];
    case "StepProgress": {
      const progress = lineOf(fields["content"], 200);
      return progress === undefined ? [] : [{ type: "status", text: progress }];
    }
    case "StepOutput": {
      const { executor_type: executor, content } = fieldsOf(fields["step_output"]);
      if (executor !== "function" || content === undefined || content === null || content === "") return [];
      return [{ type: "data", name: "step", ...(step !== undefined && { id: step }), value: content as Json }];
    }
    case "StepError":
      return [{ type: "notice", level: "error", text: failureText(fields) }];
    default:
      return undefined;
  }
};

/** Fields that every event has. The remaining ones are the payload of a custom event. */
const COMMON = new Set(
  "created_at event agent_id agent_name team_id team_name workflow_id workflow_name run_id parent_run_id session_id nested_depth event_index step_id step_name step_index workflow_run_id".split(
    " ",
  ),
);
export const ownFields = (fields: Fields): Json =>
  Object.fromEntries(Object.entries(fields).filter(([name, value]) => !COMMON.has(name) && value != null)) as Json;
