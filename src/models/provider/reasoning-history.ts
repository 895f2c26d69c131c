import type { LanguageModelV4, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { ReasoningHistory } from "./family.ts";

/** Wraps a model to limit how much of its reasoning it gets back. */
export const withReasoningHistory = (model: LanguageModelV4, history: ReasoningHistory): LanguageModelV4 =>
  history === "all"
    ? model
    : {
        ...model,
        doGenerate: (options) => model.doGenerate({ ...options, prompt: without(options.prompt, history) }),
        doStream: (options) => model.doStream({ ...options, prompt: without(options.prompt, history) }),
      };

const without = (prompt: LanguageModelV4Prompt, history: "turn" | "none"): LanguageModelV4Prompt => {
  const asked = history === "none" ? prompt.length : prompt.findLastIndex(({ role }) => role === "user");
  return prompt.map((message, index) =>
    message.role !== "assistant" || index > asked
      ? message
      : {
          ...message,
          content: message.content.filter(({ type }) => type !== "reasoning" && type !== "reasoning-file"),
        },
  );
};
