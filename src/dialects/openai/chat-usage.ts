import { fieldsOf } from "../../json.ts";
import type { Usage } from "../../events.ts";

/** Usage in OpenAI's format. Unknown counts become 0. */
export const chatUsage = (usage: Usage | undefined) => {
  if (!usage) return undefined;
  const { input = 0, output = 0, cached = 0, reasoning = 0 } = usage;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
};

export const readChatUsage = (value: unknown): Usage | undefined => {
  const usage = fieldsOf(value);
  const counts = {
    input: countOf(usage["prompt_tokens"]),
    output: countOf(usage["completion_tokens"]),
    reasoning: countOf(fieldsOf(usage["completion_tokens_details"])["reasoning_tokens"]),
    cached: countOf(fieldsOf(usage["prompt_tokens_details"])["cached_tokens"]),
  };
  const known = Object.entries(counts).filter(([, count]) => count !== undefined);
  return known.length > 0 ? Object.fromEntries(known) : undefined;
};

const countOf = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
