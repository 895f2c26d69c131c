import type { LanguageModelV4 } from "@ai-sdk/provider";
import { z } from "zod";
import { type MissingKey, Refusal, type RunRequest } from "../../source.ts";
import type { Definition, ModelProvider, ModelSettings } from "./definition.ts";

/** The model of the run's root agent: the agent's own, or the one that the request names, if the agent allows it. */
export const rootModel = async (definition: Definition, request: RunRequest): Promise<LanguageModelV4> => {
  const { model, models, name } = definition;
  const { model: asked } = request;
  // A `model` function sees the request and decides. A request that uses the agent's name as the model means the
  // agent's own model.
  if (asked === undefined || typeof model === "function" || asked === name) return modelOf(definition, request);
  const own = model === undefined ? [] : ownNames(model);
  if (own.includes(asked)) return modelOf(definition, request);
  if (models === "any" || models.includes(asked)) return resolve(definition, asked, request);
  // Some clients send a model name even if the user has not chosen one.
  if (request.settings?.["modelRequired"] === false) return modelOf(definition, request);
  throw new Refusal("model-not-allowed", `The agent ${name} does not offer the model ${asked}.`, {
    hint: `Request one of these, or none: ${[...own.slice(0, 1), ...models].join(", ")}. The agent's option \`models\` allows others.`,
  });
};

export const modelOf = async (definition: Definition, request: RunRequest): Promise<LanguageModelV4> => {
  const { model, name } = definition;
  if (typeof model === "string") return resolve(definition, model, request);
  const chosen: Partial<LanguageModelV4> | undefined = typeof model === "function" ? await model(request) : model;
  if (typeof chosen?.doStream === "function") return chosen as LanguageModelV4;
  throw new Refusal("no-model", `The agent ${name} has no model for this request.`, {
    hint: "The function in its option `model` must return a model of the AI SDK's interface.",
  });
};

/** Rejects if a model that this agent or one of its sub-agents names cannot be created, for example because a key is not set. */
export const modelsReady = async (definition: Definition): Promise<void> => {
  const { model, agents } = definition;
  if (typeof model === "string") await resolve(definition, model, { messages: [] });
  for (const agent of agents.values()) await modelsReady(agent);
};

/** The keys that the models of this agent and its sub-agents need and that only a request can supply. */
export const missingKeys = async (
  { model, models, agents, provider }: Definition,
  subagent?: string,
): Promise<MissingKey[]> => {
  const named = [model, ...(models === "any" ? [] : models)].filter((name) => typeof name === "string");
  const made = named.length > 0 ? (provider ?? (await standardProvider())) : undefined;
  const own = [...new Set(named)].flatMap((name) => {
    const variable = made?.missingKey?.(name);
    return variable === undefined ? [] : [{ variable, model: name, ...(subagent !== undefined && { subagent }) }];
  });
  const inside = [...agents].map(([key, agent]) => missingKeys(agent, agent.name || key));
  return [...own, ...(await Promise.all(inside)).flat()];
};

/** The files that the agent's own model reads, if its provider knows. */
export const acceptedByName = async ({
  model,
  accepts,
  provider,
}: Definition): Promise<readonly string[] | undefined> =>
  accepts ?? (typeof model === "string" ? (provider ?? (await standardProvider())).accepts?.(model) : undefined);

/** The agent's settings, overridden by those of the request. */
export const settingsOf = ({ settings }: Definition, request: RunRequest): ModelSettings => {
  const asked = Object.entries(SETTINGS).flatMap(([name, schema]) => {
    const { success, data } = schema.safeParse(request.settings?.[name]);
    return success ? [[name, data]] : [];
  });
  return { ...settings, ...Object.fromEntries(asked) };
};

/** A request's settings may also be meant for tools. Values that do not match these schemas are ignored here. */
const SETTINGS = {
  temperature: z.number(),
  topP: z.number(),
  maxOutputTokens: z.int().positive(),
  seed: z.int(),
  reasoning: z.enum(["provider-default", "none", "minimal", "low", "medium", "high", "xhigh", "max"]),
};

/** The files that a model reads. The agent's option takes precedence over the provider's information. */
export const acceptedBy = ({ accepts }: Definition, model: LanguageModelV4): readonly string[] | undefined => {
  const known = (model as { readonly accepts?: unknown }).accepts;
  return accepts ?? (Array.isArray(known) ? (known as string[]) : undefined);
};

const resolve = async ({ provider }: Definition, name: string, request: RunRequest): Promise<LanguageModelV4> =>
  (provider ?? (await standardProvider()))(name, request);

/** Loaded only for agents that name their model. It is the one variant that a source imports, so a name is enough. */
const standardProvider = async (): Promise<ModelProvider> => (await import("../../models/provider.ts")).provider();

/** The names of a model. The first is the name it was created by, if a provider created it. */
export const ownNames = (model: string | LanguageModelV4): string[] =>
  typeof model === "string"
    ? [model]
    : [
        ...("fullName" in model ? [`${model.fullName}`] : []),
        `${model.provider.split(".")[0]}/${model.modelId}`,
        `${model.provider}/${model.modelId}`,
        model.modelId,
      ];
