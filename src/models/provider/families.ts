import { type Family, settingsOf } from "./family.ts";
import { withReasoningText } from "./reasoning-text.ts";
import { usageOf } from "./usage.ts";

/** A server that speaks OpenAI's chat completions. Reasoning in `reasoning_content` or `reasoning` becomes thinking. */
export const compatible = (baseUrl?: string, key?: string): Family => ({
  keys: key === undefined ? [] : [key],
  needsKey: key !== undefined,
  ...(baseUrl !== undefined && { baseUrl }),
  needsBaseUrl: true,
  async make(model, settings) {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const { name, baseUrl: baseURL = "" } = settings;
    const asked = { includeUsage: true, convertUsage: usageOf };
    return createOpenAICompatible({ ...settingsOf(settings), name, baseURL, ...asked })(model);
  },
});

const openai = (api: "responses" | "chat"): Family => ({
  keys: ["OPENAI_API_KEY"],
  needsKey: true,
  needsBaseUrl: false,
  async make(model, settings) {
    const { createOpenAI } = await import("@ai-sdk/openai");
    const made = createOpenAI(settingsOf(settings));
    return api === "chat" ? made.chat(model) : withReasoningText(made.responses(model));
  },
});

const anthropic: Family = {
  keys: ["ANTHROPIC_API_KEY"],
  needsKey: true,
  needsBaseUrl: false,
  async make(model, settings) {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return createAnthropic(settingsOf(settings))(model);
  },
};

const google: Family = {
  keys: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"],
  needsKey: true,
  needsBaseUrl: false,
  async make(model, settings) {
    const { createGoogle } = await import("@ai-sdk/google");
    return createGoogle(settingsOf(settings))(model);
  },
};

/** By the name that their models begin with. */
export const families: readonly (readonly [string, Family])[] = [
  ["openai", openai("responses")],
  ["openai-chat", openai("chat")],
  ["anthropic", anthropic],
  ["google", google],
  ["ollama", compatible("http://localhost:11434/v1")],
  ["lmstudio", compatible("http://localhost:1234/v1")],
  ["vllm", compatible("http://localhost:8000/v1")],
  ["openrouter", compatible("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY")],
  ["deepseek", compatible("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY")],
  ["groq", compatible("https://api.groq.com/openai/v1", "GROQ_API_KEY")],
  ["mistral", compatible("https://api.mistral.ai/v1", "MISTRAL_API_KEY")],
  ["xai", compatible("https://api.x.ai/v1", "XAI_API_KEY")],
  ["openai-compatible", compatible()],
];
