import type { AgentFacts } from "../../source.ts";
import type { AgentOptions, Definition, Model } from "./definition.ts";

/** The facts about an agent before a run. The tools of its toolkits are not known yet. */
export const aboutOf = (options: AgentOptions, { tools, providerTools }: Definition): AgentFacts => {
  const { description, suggestions, models, modes, provider } = options;
  const model = modelName(options.model);
  const accepts = options.accepts ?? acceptsOf(options.model) ?? (model && provider?.accepts?.(model));
  const known = [
    ...[...tools.values()].map(({ tool: { name, description: text }, schema }) => ({
      name,
      description: text,
      schema: schema.json,
    })),
    ...Object.keys(providerTools).map((name) => ({ name })),
  ];
  return {
    continues: true,
    ...(description && { description }),
    ...(model && { model }),
    ...(Array.isArray(models) && models.length > 0 && { models: [...models] }),
    ...(accepts && { accepts: [...accepts] }),
    ...(modes && { modes: Object.keys(modes) }),
    ...(suggestions && { suggestions: [...suggestions] }),
    ...(known.length > 0 && { tools: known }),
  };
};

const acceptsOf = (model: Model): readonly string[] | undefined =>
  typeof model === "object" ? (model as { readonly accepts?: readonly string[] }).accepts : undefined;

/** Undefined if the model is chosen per request. */
const modelName = (model: Model): string | undefined => {
  if (typeof model === "function") return undefined;
  return typeof model === "string" ? model : model.modelId;
};
