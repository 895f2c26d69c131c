import type { LanguageModelV4Usage } from "@ai-sdk/provider";

interface ChatUsage {
  /** What the request cost in US dollars, as OpenRouter reports it. */
  readonly cost?: unknown;
  readonly prompt_tokens?: number | null;
  readonly completion_tokens?: number | null;
  readonly total_tokens?: number | null;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number | null } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number | null } | null;
}

/** Token usage of a chat completion. Counts reasoning as output even if the server counts it separately, which its total shows. */
export const usageOf = (usage: ChatUsage | null | undefined): LanguageModelV4Usage => {
  const input = usage?.prompt_tokens ?? undefined;
  const completion = usage?.completion_tokens ?? undefined;
  const cached = usage?.prompt_tokens_details?.cached_tokens ?? undefined;
  const reasoning = usage?.completion_tokens_details?.reasoning_tokens ?? undefined;
  const isBeside = usage?.total_tokens === (input ?? 0) + (completion ?? 0) + (reasoning ?? 0);
  const output = completion === undefined ? undefined : completion + (isBeside ? (reasoning ?? 0) : 0);
  return {
    inputTokens: {
      total: input,
      noCache: input === undefined ? undefined : input - (cached ?? 0),
      cacheRead: cached,
      cacheWrite: undefined,
    },
    outputTokens: {
      total: output,
      text: output === undefined ? undefined : output - (reasoning ?? 0),
      reasoning,
    },
    ...(typeof usage?.cost === "number" && { raw: { cost: usage.cost } }),
  };
};
