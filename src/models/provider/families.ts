import { chatFormat, openaiChatFormat } from "./chat-format.ts";
import { type Family, type ReasoningHistory, settingsOf } from "./family.ts";
import { anthropicFormat, googleFormat, responsesFormat } from "./other-formats.ts";
import { withReasoningHistory } from "./reasoning-history.ts";
import { withReasoningText } from "./reasoning-text.ts";
import { usageOf } from "./usage.ts";
import { wired } from "./wire.ts";

const IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const PDF = "application/pdf";

interface Compatible {
  /** Default: images, because only a request shows whether a model supports them. */
  readonly accepts?: readonly string[];
  readonly baseUrl?: string;
  /** The environment variable with the required key. */
  readonly key?: string;
  readonly history?: ReasoningHistory;
}

/**
 * A server that implements OpenAI's chat completions. Reasoning becomes thinking, under any of the field names that
 * servers use. By default, the server gets its reasoning back only within the current turn: models that think between
 * their calls need it there.
 */
export const compatible = ({ baseUrl, key, history = "turn", accepts = IMAGES }: Compatible = {}): Family => ({
  keys: key === undefined ? [] : [key],
  needsKey: key !== undefined,
  ...(baseUrl !== undefined && { baseUrl }),
  needsBaseUrl: true,
  accepts,
  async make(model, settings) {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const { name, baseUrl: baseURL = "", reasoningHistory = history } = settings;
    const asked = { includeUsage: true, convertUsage: usageOf };
    const made = wired(chatFormat, (fetch) =>
      createOpenAICompatible({ ...settingsOf(settings), name, baseURL, ...asked, fetch })(model),
    );
    return withReasoningHistory(made, reasoningHistory);
  },
});

const openai = (api: "responses" | "chat"): Family => ({
  keys: ["OPENAI_API_KEY"],
  needsKey: true,
  needsBaseUrl: false,
  accepts: api === "chat" ? [...IMAGES, PDF, "audio/wav", "audio/mpeg", "audio/mp3"] : [...IMAGES, PDF],
  async make(model, settings) {
    const { createOpenAI } = await import("@ai-sdk/openai");
    if (api === "chat")
      return wired(openaiChatFormat, (fetch) => createOpenAI({ ...settingsOf(settings), fetch }).chat(model));
    return wired(responsesFormat(model), (fetch) =>
      withReasoningText(createOpenAI({ ...settingsOf(settings), fetch }).responses(model)),
    );
  },
});

const anthropic: Family = {
  keys: ["ANTHROPIC_API_KEY"],
  needsKey: true,
  needsBaseUrl: false,
  accepts: [...IMAGES, PDF],
  async make(model, settings) {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return wired(anthropicFormat, (fetch) => createAnthropic({ ...settingsOf(settings), fetch })(model));
  },
};

const google: Family = {
  keys: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"],
  needsKey: true,
  needsBaseUrl: false,
  accepts: [...IMAGES, "image/heic", "image/heif", PDF, "audio/*", "video/*"],
  async make(model, settings) {
    const { createGoogle } = await import("@ai-sdk/google");
    return wired(googleFormat, (fetch) => createGoogle({ ...settingsOf(settings), fetch })(model));
  },
};

/** Provider families by name. */
export const families: readonly (readonly [string, Family])[] = [
  ["openai", openai("responses")],
  ["openai-chat", openai("chat")],
  ["anthropic", anthropic],
  ["google", google],
  ["ollama", compatible({ baseUrl: "http://localhost:11434/v1" })],
  ["lmstudio", compatible({ baseUrl: "http://localhost:1234/v1" })],
  ["vllm", compatible({ baseUrl: "http://localhost:8000/v1" })],
  [
    "openrouter",
    compatible({
      baseUrl: "https://openrouter.ai/api/v1",
      key: "OPENROUTER_API_KEY",
      history: "all",
      accepts: [...IMAGES, PDF],
    }),
  ],
  [
    "deepseek",
    compatible({ baseUrl: "https://api.deepseek.com/v1", key: "DEEPSEEK_API_KEY", history: "turn", accepts: [] }),
  ],
  ["groq", compatible({ baseUrl: "https://api.groq.com/openai/v1", key: "GROQ_API_KEY", history: "none" })],
  ["mistral", compatible({ baseUrl: "https://api.mistral.ai/v1", key: "MISTRAL_API_KEY", history: "none" })],
  ["xai", compatible({ baseUrl: "https://api.x.ai/v1", key: "XAI_API_KEY", history: "none" })],
  ["openai-compatible", compatible()],
];
