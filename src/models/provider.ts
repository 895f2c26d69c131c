import type { LanguageModelV4 } from "@ai-sdk/provider";
import { Refusal, type RunRequest } from "../source.ts";
import { type Endpoint, type Family, findSetting } from "./provider/family.ts";
import { compatible, families } from "./provider/families.ts";

export type { Endpoint, ReasoningHistory } from "./provider/family.ts";

/**
 * Creates a model from its name: `<provider>/<model>`, e.g. `openai/gpt-5`, `anthropic/claude-sonnet-4-5`,
 * `ollama/llama3`.
 *
 * - A key comes from the request's secrets, the options, or the environment, in this order. A missing key is a Refusal
 *   that names the variable.
 * - A provider's library is loaded when its first model is created.
 */
export interface Provider {
  (name: string, request?: Pick<RunRequest, "secrets">): Promise<LanguageModelV4>;
  /** The configured keys. They must never be shown. */
  readonly keys: readonly string[];
  /** The media types of the files that a model reads. Undefined if that is unknown for the name. */
  accepts(name: string): readonly string[] | undefined;
  /** The variable of a key that a model needs and that is neither in the options nor in the environment. */
  missingKey(name: string): string | undefined;
}

export interface ProviderOptions {
  readonly openai?: Endpoint;
  readonly anthropic?: Endpoint;
  readonly google?: Endpoint;
  /**
   * Servers that implement OpenAI's chat completions, by provider name: `{ acme: { baseUrl } }` makes `acme/<model>`
   * available. Known servers (ollama, lmstudio, vllm, openrouter, …) need only the settings that differ.
   */
  readonly compatible?: Readonly<Record<string, Endpoint>>;
}

export const provider = (options: ProviderOptions = {}): Provider => {
  const { openai, anthropic, google, compatible: servers = {} } = options;
  const endpoints: Readonly<Record<string, Endpoint | undefined>> = {
    ...servers,
    openai,
    "openai-chat": openai,
    anthropic,
    google,
  };
  const known = new Map<string, Family>([
    ...Object.keys(servers).map((name) => [name, compatible()] as const),
    ...families,
  ]);

  const partsOf = (name: string): readonly [prefix: string, model: string] => {
    const [, prefix = name, model = ""] = /^([^/]+)\/(.+)$/.exec(name) ?? [];
    return [prefix, model];
  };
  const accepts = (name: string): readonly string[] | undefined => {
    const [prefix, model] = partsOf(name);
    const declared = endpoints[prefix]?.accepts;
    const own = Array.isArray(declared)
      ? declared
      : (declared as Readonly<Record<string, readonly string[]>> | undefined)?.[model];
    return own ?? known.get(prefix)?.accepts;
  };
  const missingKey = (name: string): string | undefined => {
    const [prefix] = partsOf(name);
    const family = known.get(prefix);
    const isSet = findSetting(family?.keys ?? [], {}, endpoints[prefix]?.apiKey) !== undefined;
    return family?.needsKey && !isSet ? family.keys[0] : undefined;
  };

  const make = async (name: string, request: Pick<RunRequest, "secrets"> = {}): Promise<LanguageModelV4> => {
    const [prefix, model] = partsOf(name);
    // Also accept the name that runs report, because a client may request it.
    if (prefix === "demo" || name === "demo (scripted)") return (await import("./demo.ts")).demo();
    const family = known.get(prefix) ?? (findSetting([baseUrlVariable(prefix)], {}) ? compatible() : undefined);
    if (!family || !model) throw unknown(name, [...known.keys()]);
    const endpoint = endpoints[prefix] ?? {};
    const keys = family.keys.length > 0 ? family.keys : [keyVariable(prefix)];
    const key = findSetting(keys, request.secrets ?? {}, endpoint.apiKey);
    if (!key && family.needsKey) throw keyRefusal(name, keys);
    const baseUrl = endpoint.baseUrl ?? findSetting([baseUrlVariable(prefix)], {})?.value ?? family.baseUrl;
    if (baseUrl === undefined && family.needsBaseUrl) throw missingUrl(name, prefix);
    const { headers, reasoningHistory } = endpoint;
    const made = await family.make(model, { name: prefix, apiKey: key?.value, baseUrl, headers, reasoningHistory });
    const about = {
      fullName: name,
      keyVariable: key ? key.variable : keys[0],
      accepts: accepts(name) ?? family.accepts,
    };
    return Object.assign(made, about);
  };

  const keys = Object.values(endpoints).flatMap(({ apiKey, headers = {} } = {}) => [
    ...(apiKey === undefined ? [] : [apiKey]),
    ...Object.entries(headers).flatMap(([name, value]) =>
      SECRET_HEADER.test(name) ? [value.replace(/^\w+ /, "")] : [],
    ),
  ]);
  return Object.assign(make, { keys, accepts, missingKey });
};

const variable = (prefix: string): string => prefix.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_");
const keyVariable = (prefix: string): string => `${variable(prefix)}_API_KEY`;
const baseUrlVariable = (prefix: string): string => `${variable(prefix.replace(/^openai-chat$/, "openai"))}_BASE_URL`;

/** The built-in providers and their requirements. */
export const providers = families.map(([name, { keys, baseUrl }]) => ({
  name,
  keys: keys.length > 0 ? keys : [keyVariable(name)],
  baseUrl,
  baseUrlVariable: baseUrlVariable(name),
}));

/** Creates a model by name, configured only from the environment. */
export const model = (name: string): Promise<LanguageModelV4> => provider()(name);

const SECRET_HEADER = /auth|key|token|secret|cookie/i;

const unknown = (name: string, known: readonly string[]): Refusal =>
  new Refusal("unknown-model", `There is no model named ${name}.`, {
    hint: `Model names have the form <provider>/<model>. Providers: demo, ${known.join(", ")}, or any name whose base URL is in <NAME>_BASE_URL.`,
  });

const keyRefusal = (name: string, [first = "", ...others]: readonly string[]): Refusal =>
  new Refusal("model-key-missing", `The model ${name} needs a key, but ${first} is not set.`, {
    status: 401,
    hint: `Set ${[first, ...others].join(" or ")} in the environment or in .env, or send it with the request as a secret.`,
  });

const missingUrl = (name: string, prefix: string): Refusal =>
  new Refusal("model-url-missing", `The model ${name} has no base URL.`, {
    hint: `Set ${baseUrlVariable(prefix)} in the environment, or set baseUrl in the provider's options.`,
  });
