import { fieldsOf } from "../../json.ts";
import type { Usage } from "../../events.ts";
import { countOf } from "../upstream/reading.ts";

/** The token usage of a prompt, from its response. Some agents count cached input separately, which the total shows. */
export const usageOf = (result: unknown): { usage?: Usage } => {
  const { usage: reported, _meta } = fieldsOf(result);
  const usage = fieldsOf(reported);
  const quota = fieldsOf(fieldsOf(fieldsOf(_meta)["quota"])["token_count"]);
  const input = countOf(usage["inputTokens"]) ?? countOf(quota["input_tokens"]);
  const output = countOf(usage["outputTokens"]) ?? countOf(quota["output_tokens"]);
  const cached = countOf(usage["cachedReadTokens"]);
  const reasoning = countOf(usage["thoughtTokens"]);
  const written = countOf(usage["cachedWriteTokens"]) ?? 0;
  const cacheTokens = (cached ?? 0) + written;
  const isSeparate = countOf(usage["totalTokens"]) === (input ?? 0) + (output ?? 0) + cacheTokens;
  if (input === undefined && output === undefined) return {};
  return {
    usage: {
      ...(input !== undefined && { input: input + (isSeparate ? cacheTokens : 0) }),
      ...(output !== undefined && { output }),
      ...(cached !== undefined && { cached }),
      ...(reasoning !== undefined && { reasoning }),
    },
  };
};
