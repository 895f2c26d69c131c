import { Refusal, type RunRequest } from "../../source.ts";
import { parseJson } from "../../json.ts";

type Secrets = Readonly<Record<string, string>>;

/** Keys travel as headers: the model's in `X-LLM-Key` with `X-LLM-Provider`, MCP servers' as a JSON object in `X-MCP-Keys`. */
export const readKeys = (
  headers: Headers,
  provider: string | undefined,
  servers: readonly { readonly name: string; readonly api_key?: string | null | undefined }[],
): Record<string, string> => {
  const secrets: Record<string, string> = {};
  const key = headers.get("x-llm-key");
  if (key && provider === undefined)
    throw new Refusal("provider-missing", "X-LLM-Key does not name its provider", {
      hint: "send X-LLM-Provider with it, such as openai",
    });
  if (key && provider !== undefined) secrets[modelKey(provider)] = key;
  const add = (server: string, value: string) => {
    const name = serverKey(server);
    if (secrets[name] !== undefined && secrets[name] !== value)
      throw new Refusal(
        "server-names",
        `the names of two MCP servers with keys are too similar: ${server.slice(0, 80)}`,
        {
          hint: "names that differ only in case or punctuation share a key",
        },
      );
    secrets[name] = value;
  };
  for (const { name, api_key: value } of servers) if (value) add(name, value);
  for (const [name, value] of Object.entries(serverKeys(headers.get("x-mcp-keys")))) if (value) add(name, value);
  return secrets;
};

export const writeKeys = ({ secrets = {}, model, servers = [] }: RunRequest): Record<string, string> => {
  const headers: Record<string, string> = {};
  const [provider, key] = modelKeyOf(secrets, model?.split("/")[0]) ?? [];
  if (provider !== undefined && key !== undefined) {
    headers["x-llm-provider"] = provider;
    headers["x-llm-key"] = key;
  }
  const named = servers.flatMap(({ name }) => {
    const value = secrets[serverKey(name)];
    return value === undefined ? [] : [[name, value]];
  });
  const others = Object.entries(secrets).flatMap(([name, value]) => {
    const [, server] = /^MCP_(.+)_KEY$/.exec(name) ?? [];
    const isNamed = servers.some((one) => serverKey(one.name) === name);
    return server === undefined || isNamed ? [] : [[server.toLowerCase(), value]];
  });
  if (named.length + others.length > 0)
    headers["x-mcp-keys"] = ascii(JSON.stringify(Object.fromEntries([...named, ...others])));
  return headers;
};

/** Named like environment variables, because the factories of models and MCP servers look keys up that way. */
const modelKey = (provider: string): string =>
  `${variable(provider.replace(/^openai-chat$/i, "openai").replace(/^gemini$/i, "google"))}_API_KEY`;
const serverKey = (name: string): string => `MCP_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}_KEY`;
const variable = (name: string): string => name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_");

const GOOGLE = ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"];

/** The request's key for its model. Without a provider, the only key there is. */
const modelKeyOf = (secrets: Secrets, provider: string | undefined): readonly [string, string] | undefined => {
  const names = Object.keys(secrets).filter((name) => name.endsWith("_API_KEY"));
  const wanted = provider === undefined ? names : provider === "google" ? GOOGLE : [modelKey(provider)];
  const [name, ...more] = names.filter((one) => wanted.includes(one));
  if (name === undefined || (provider === undefined && more.length > 0)) return undefined;
  const owner = GOOGLE.includes(name) ? "google" : name.slice(0, -"_API_KEY".length).toLowerCase().replaceAll("_", "-");
  return [provider ?? owner, secrets[name]!];
};

const serverKeys = (text: string | null): Record<string, string> => {
  if (!text) return {};
  const value = parseJson(text);
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (isObject && Object.values(value).every((key) => typeof key === "string")) return value as Record<string, string>;
  // The message must not contain the header's value.
  throw new Refusal("bad-keys", "X-MCP-Keys is not a JSON object of keys by server", {
    hint: 'send an object such as {"weather": "…"}',
  });
};

const ascii = (text: string): string =>
  text.replaceAll(/[\u007f-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
