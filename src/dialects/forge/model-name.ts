/** The model that Forge's page requests before the user has chosen one. */
export const UNCHOSEN = "anthropic/claude-sonnet-4";

/** The provider under which our model lists offer agents. */
export const OURS = "runcast";

/** The name of an agent in our lists, optionally with one of the models it offers. */
export const nameOfAgent = (agent: string, model?: string): string =>
  `${OURS}/${encodeURIComponent(agent)}${model === undefined ? "" : `/${model}`}`;

/**
 * Parses a request's model: `provider::model`, `provider/model`, `provider:model`, a bare name, or a name from our lists.
 * A separate provider applies only if the model names none, except for OpenRouter, which serves models of all providers.
 */
export const readModel = (model: string, provider: string | undefined): { agent?: string; model?: string } => {
  const [, scope, rest = model] = /^([\w.-]+)::(.+)$/s.exec(model) ?? [];
  const ours = new RegExp(`^${OURS}/([^/]+)(?:/(.+))?$`, "s").exec(scope === OURS ? afterOurs(rest) : model);
  if (ours) return { agent: decoded(ours[1]!), ...(ours[2] !== undefined && { model: ours[2] }) };
  if (scope !== undefined) return { model: within(scope, rest) };
  if (model.includes("/")) return { model: provider === "openrouter" ? within(provider, model) : model };
  const colon = /^(openrouter|openai|anthropic|google|gemini):(.+)$/s.exec(model);
  if (colon) return { model: within(colon[1]!, colon[2]!) };
  const found = provider ?? FAMILIES.find(([names]) => names.test(model))?.[1];
  return { model: found === undefined ? model : within(found, model) };
};

const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/^claude/i, "anthropic"],
  [/^gemini/i, "google"],
  [/^(gpt|chatgpt|o\d)/i, "openai"],
];

const within = (provider: string, model: string): string => {
  const name = provider === "gemini" ? "google" : provider;
  return model.startsWith(`${name}/`) ? model : `${name}/${model}`;
};

const afterOurs = (rest: string): string => (rest.startsWith(`${OURS}/`) ? rest : `${OURS}/${rest}`);

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
