/** Providers by model name, because the log does not contain the provider. */
const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/^(?:gpt|chatgpt|o\d|codex)/, "openai"],
  [/^claude/, "anthropic"],
  [/^gemini/, "gcp.gemini"],
  [/^(?:mistral|magistral|codestral|ministral)/, "mistral_ai"],
  [/^grok/, "x_ai"],
  [/^deepseek/, "deepseek"],
  [/^command/, "cohere"],
];

/** The `gen_ai.provider.name` of a model. */
export const providerOf = (model: string | undefined): string => {
  const name = (model ?? "").toLowerCase();
  return FAMILIES.find(([family]) => family.test(name.slice(name.lastIndexOf("/") + 1)))?.[1] ?? "_OTHER";
};
