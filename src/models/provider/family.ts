import type { LanguageModelV4 } from "@ai-sdk/provider";

/** The address and settings of a provider, where they differ from the defaults. */
export interface Endpoint {
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The media types of the files that its models read (`image/png`, `audio/*`); `[]` for none. Applies to all models,
   * or is keyed by model name. Default: the provider's known types.
   */
  readonly accepts?: readonly string[] | Readonly<Record<string, readonly string[]>>;
  /** How much of its reasoning a chat completions server gets back. */
  readonly reasoningHistory?: ReasoningHistory;
}

/** All reasoning, that of the current turn (since the last user message), or none. Some servers reject it, some require it. */
export type ReasoningHistory = "all" | "turn" | "none";

/** A kind of model API. */
export interface Family {
  /** Environment variables that may hold its key, the usual one first. Empty: the variable is named after the provider. */
  readonly keys: readonly string[];
  readonly needsKey: boolean;
  /** The default base URL. If absent and not needed, its library supplies it. */
  readonly baseUrl?: string;
  readonly needsBaseUrl: boolean;
  /** The media types of the files that its models read. */
  readonly accepts: readonly string[];
  make(model: string, settings: Settings): Promise<LanguageModelV4>;
}

export interface Settings {
  readonly name: string;
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly reasoningHistory: ReasoningHistory | undefined;
}

/** Settings in the form that the AI SDK's providers expect. */
export const settingsOf = ({ apiKey, baseUrl, headers }: Settings) => ({
  ...(apiKey !== undefined && { apiKey }),
  ...(baseUrl !== undefined && { baseURL: baseUrl }),
  ...(headers && { headers: { ...headers } }),
});

/** A value, and the variable that it came from, unless it is from the configuration. */
interface Found {
  readonly value: string;
  readonly variable?: string;
}

/**
 * The first value that is set, from the secrets, the configuration or the environment, in this order. Secrets come from
 * headers, so their names have lost their case.
 */
export const findSetting = (
  names: readonly string[],
  secrets: Readonly<Record<string, string>>,
  configured?: string,
): Found | undefined => {
  for (const [name, value] of Object.entries(secrets)) {
    const variable = name.toUpperCase().replaceAll("-", "_");
    if (value && names.includes(variable)) return { value, variable };
  }
  if (configured) return { value: configured };
  for (const variable of names) {
    const value = process.env[variable];
    if (value) return { value, variable };
  }
  return undefined;
};
