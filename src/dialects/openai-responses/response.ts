import type { EventOf, Finish, Usage } from "../../events.ts";
import type { Item } from "./items.ts";
import { openaiError } from "../openai/errors.ts";

export interface Ending {
  /** The finish of the root agent's last step. */
  readonly finish: Finish;
  readonly event: EventOf<"run-end">;
}

/** The response object in its current state. */
export const responseOf = (
  { run, name, at }: { readonly run: string; readonly name: string; readonly at: number },
  output: readonly Item[],
  ending: Ending | undefined,
) => {
  const { error, outcome, usage } = ending?.event ?? {};
  const reason = ending && outcome === "done" ? REASONS[ending.finish] : undefined;
  const isFailed = outcome === "error" || outcome === "interrupted";
  const { code, message } = openaiError({
    code: outcome ?? "",
    message: `the run was ${outcome}`,
    ...error,
    status: 500,
  });
  return {
    id: `resp_${run}`,
    object: "response",
    created_at: Math.floor(at / 1000),
    status: statusOf(outcome, reason),
    error: isFailed ? { code, message } : null,
    incomplete_details: reason === undefined ? null : { reason },
    instructions: null,
    metadata: {},
    model: name,
    output,
    parallel_tool_calls: true,
    temperature: null,
    tool_choice: "auto",
    tools: [],
    top_p: null,
    usage: usageOf(usage) ?? null,
  };
};

const REASONS: Partial<Record<Finish, string>> = {
  length: "max_output_tokens",
  filter: "content_filter",
  // OpenAI has no reason for this.
  interrupted: "interrupted",
};

const statusOf = (outcome: EventOf<"run-end">["outcome"] | undefined, reason: string | undefined): string => {
  if (outcome === undefined) return "in_progress";
  if (outcome === "done") return reason === undefined ? "completed" : "incomplete";
  return outcome === "cancelled" ? "cancelled" : "failed";
};

const usageOf = (usage: Usage | undefined) => {
  if (!usage) return undefined;
  const { input = 0, output = 0, cached = 0, reasoning = 0 } = usage;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
};
