import { providers } from "../models/provider.ts";

/** A model that is ready to use: its key is set, or its server responds. */
export interface FoundModel {
  readonly name: string;
  /** Why it is available, for display: `OPENAI_API_KEY is set`. */
  readonly reason: string;
}

/** The default model of each provider whose key is set, best first. */
const DEFAULT_MODELS: readonly (readonly [provider: string, model: string])[] = [
  ["anthropic", "claude-sonnet-4-5"],
  ["openai", "gpt-5"],
  ["google", "gemini-2.5-pro"],
  ["openrouter", "anthropic/claude-sonnet-4.5"],
  ["deepseek", "deepseek-chat"],
  ["groq", "llama-3.3-70b-versatile"],
  ["mistral", "mistral-small-latest"],
  ["xai", "grok-3-mini"],
];

const LOCAL: Readonly<Record<string, string>> = { ollama: "Ollama", lmstudio: "LM Studio", vllm: "vLLM" };
const PROBE_MS = 300;
/** A server may list hundreds of models, too many to choose from. */
const MAX_MODELS = 20;
const MAX_BYTES = 1_000_000;

type Environment = Readonly<Record<string, string | undefined>>;

/** Models of providers whose key is set, then those of servers on this machine. Takes at most `probeMs`. */
export const findModels = async (environment: Environment, probeMs = PROBE_MS): Promise<readonly FoundModel[]> => {
  const keyed = DEFAULT_MODELS.flatMap(([name, model]) => {
    const key = keysOf(name).find((variable) => environment[variable]);
    return key === undefined ? [] : [{ name: `${name}/${model}`, reason: `${key} is set` }];
  });
  const local = Object.keys(LOCAL).map((name) => probe(name, environment, AbortSignal.timeout(probeMs)));
  return [...keyed, ...(await Promise.all(local)).flat()];
};

const keysOf = (name: string): readonly string[] => providers.find((one) => one.name === name)?.keys ?? [];

const probe = async (name: string, environment: Environment, signal: AbortSignal): Promise<FoundModel[]> => {
  const known = providers.find((one) => one.name === name);
  const baseUrl = environment[known?.baseUrlVariable ?? ""] ?? known?.baseUrl;
  if (baseUrl === undefined) return [];
  try {
    const response = await fetch(`${baseUrl.replace(/\/+$/, "")}/models`, { signal, redirect: "manual" });
    if (!response.ok || Number(response.headers.get("content-length") ?? 0) > MAX_BYTES) return [];
    const { data } = (await response.json()) as { data?: unknown };
    return idsIn(data).map((id) => ({ name: `${name}/${id}`, reason: `${LOCAL[name]} is running at ${baseUrl}` }));
  } catch {
    // No server is there, or it is a different one.
    return [];
  }
};

/** Skips models that only embed text. */
const idsIn = (data: unknown): string[] =>
  (Array.isArray(data) ? data : [])
    .map((model: { id?: unknown } | null) => model?.id)
    .filter((id): id is string => typeof id === "string" && id !== "" && !/embed/i.test(id))
    .slice(0, MAX_MODELS);
