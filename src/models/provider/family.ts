import type { LanguageModelV4 } from "@ai-sdk/provider";

/** Where a provider is reached, and how, if not as usual. */
export interface Endpoint {
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The files that its models read, as media types (`image/png`, `audio/*`); `[]`: none. For all of them, or by the name of the
   * model. Default: what is known of the provider.
   */
  readonly accepts?: readonly string[] | Readonly<Record<string, readonly string[]>>;
  /** What a server that speaks chat completions gets back of its reasoning. */
  readonly reasoningHistory?: ReasoningHistory;
}

/** All of it, that of the question under work (since the last message of the user), or none: some servers refuse it, some need it. */
export type ReasoningHistory = "all" | "turn" | "none";

/** One way of speaking to models. */
export interface Family {
  /** Variables that may hold its key, the usual one first; none: named after the provider. */
  readonly keys: readonly string[];
  readonly needsKey: boolean;
  /** Where it is unless somebody says otherwise. Absent and not needed: its library knows. */
  readonly baseUrl?: string;
  readonly needsBaseUrl: boolean;
  /** The files that its models read, as media types. */
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

/** What the AI SDK's providers want to be made with. */
export const settingsOf = ({ apiKey, baseUrl, headers }: Settings) => ({
  ...(apiKey !== undefined && { apiKey }),
  ...(baseUrl !== undefined && { baseURL: baseUrl }),
  ...(headers && { headers: { ...headers } }),
});

/** The first that is set: of the secrets, then what was configured, then of the environment. Secrets came as headers, so their names have lost their case. */
export const findValue = (
  names: readonly string[],
  secrets: Readonly<Record<string, string>>,
  configured?: string,
): string | undefined => {
  for (const [name, value] of Object.entries(secrets))
    if (value && names.includes(name.toUpperCase().replaceAll("-", "_"))) return value;
  if (configured) return configured;
  for (const name of names) if (process.env[name]) return process.env[name];
  return undefined;
};
