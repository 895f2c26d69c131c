import { z } from "zod";
import { didYouMean } from "../../did-you-mean.ts";
import { byName, mistakes, plainName, strictFields } from "../../strict-fields.ts";
import type { Tool } from "../../tool.ts";

/**
 * Throws for invalid options and lists all mistakes together. Without this check, a misspelled option would only show
 * up as missing behavior in a run.
 */
export const checkOptions = (options: unknown): void => {
  const { error } = optionsSchema.safeParse(options);
  const wrong = error ? mistakes(error, "its options") : withoutProvider(options as Named & { provider?: unknown });
  if (wrong.length === 0) return;
  const name = (options as { name?: unknown } | undefined)?.name;
  throw new TypeError(wrong.map((text) => `${agentLabel(name)}: ${text}`).join("\n"));
};

/** The label of an agent in error messages about its options. */
export const agentLabel = (name: unknown): string =>
  typeof name === "string" && name !== "" ? `agent ${name}` : "agent";

/** Throws for an invalid tool. A tool may have additional fields, but not one that looks like a misspelled option. */
export const checkTool = (tool: Tool): void => {
  const { error } = toolSchema.safeParse(tool);
  const absent = Object.keys(toolSchema.shape).filter((field) => !(field in tool));
  const misspelt = Object.keys(tool).filter(
    (field) => !(field in toolSchema.shape) && didYouMean(field, absent) !== "",
  );
  const wrong = [
    ...misspelt.map((field) => `${field} is not an option${didYouMean(field, absent)}`),
    ...(error ? mistakes(error, "it") : []),
  ];
  if (wrong.length === 0) return;
  const who = typeof tool.name === "string" && tool.name !== "" ? `tool ${tool.name}` : "a tool";
  throw new TypeError(wrong.map((text) => `${who}: ${text}`).join("\n"));
};

interface Named {
  readonly model?: unknown;
  readonly models?: unknown;
  readonly agents?: Readonly<Record<string, Named>>;
}

/** Model names without a provider prefix. Allowed if the agent has its own provider, which interprets the names. */
const withoutProvider = (options: Named & { readonly provider?: unknown }): string[] => {
  if (options.provider !== undefined) return [];
  const find = ({ model, models = [], agents = {} }: Named, place: string): string[] => [
    ...[model].filter(isNameAlone).map((name) => `${place}model is ${name}${NO_PROVIDER}`),
    ...[models]
      .flat()
      .filter((name) => name !== "any" && isNameAlone(name))
      .map((name) => `${place}models contains ${name}${NO_PROVIDER}`),
    ...Object.entries(agents).flatMap(([key, agent]) => find(agent, `${place}agents.${key}.`)),
  ];
  return find(options, "");
};
const NO_PROVIDER = ", but its provider is missing; write <provider>/<model>, such as openai/gpt-5";
/** The demo is both a model and a provider. */
const isNameAlone = (name: unknown): name is string => typeof name === "string" && !/^demo\b|^[^/]+\/./.test(name);

const word = "option";
const text = z.string({ error: "must be a string" });
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;
const isFunction = (value: unknown): boolean => typeof value === "function";

/** Accepts Infinity, which means no limit. */
const number = (least: number, unit: string) =>
  z.custom<number>((value) => typeof value === "number" && value >= least, {
    error: `must be a number of ${unit}, at least ${least}`,
  });
const milliseconds = number(0, "milliseconds");

const isModel = (value: unknown): boolean =>
  isFunction(value) ||
  (typeof value === "string" && value !== "") ||
  (isObject(value) && value["specificationVersion"] === "v4" && isFunction(value["doStream"]));
const model = z.custom(isModel, {
  error: ({ input }) =>
    isObject(input) && typeof input["specificationVersion"] === "string"
      ? `must be a model of the AI SDK's interface v4, but this one uses ${input["specificationVersion"]}`
      : 'must be a name such as "openai/gpt-5", a model of the AI SDK, or a function that chooses one',
});

const settings = strictFields(
  {
    temperature: z.unknown().optional(),
    topP: z.unknown().optional(),
    maxOutputTokens: z.unknown().optional(),
    seed: z.unknown().optional(),
    reasoning: z.unknown().optional(),
    providerOptions: z.unknown().optional(),
  },
  { word, expected: "an object of settings" },
);

const mode = strictFields(
  {
    description: text.optional(),
    instructions: text.optional(),
    tools: z.array(text, { error: "must be a list of tool names" }).optional(),
  },
  { word, expected: "an object, such as { instructions: … }" },
);

/** The options of all agents, including sub-agents. */
const common = {
  description: text.optional(),
  settings: settings.optional(),
  accepts: z.array(text, { error: "must be a list of media types, such as image/png" }).optional(),
  instructions: text.optional(),
  tools: z
    .custom((value) => isObject(value) && Object.values(value).every(isObject), {
      error: "must be a list of tools and toolkits, or AI SDK tools by name",
    })
    .optional(),
  providerTools: z
    .record(
      z.string(),
      z.custom((value) => isObject(value) && /.\../.test(String(value["id"])), {
        error: "must be a tool from a provider's library, with an id such as openai.web_search",
      }),
      { error: "must be an object of tools by name" },
    )
    .optional(),
  agents: byName(
    z.lazy((): z.ZodType => subagentSchema),
    "an object of agents by name",
  ).optional(),
  thinkTags: z.boolean({ error: "must be true or false" }).optional(),
  stallMs: milliseconds.optional(),
  maxAttempts: number(1, "attempts").optional(),
  maxResultLength: number(0, "characters").optional(),
  maxSteps: number(1, "steps").optional(),
  maxParallelCalls: number(1, "calls").optional(),
  toolTimeoutMs: milliseconds.optional(),
  approvalExpiresMs: milliseconds.optional(),
};

const subagentSchema = strictFields(
  { name: plainName.optional(), model: model.optional(), ...common },
  { word, expected: "an object of options" },
);

const optionsSchema = strictFields(
  {
    name: plainName.optional(),
    suggestions: z.array(text, { error: "must be a list of strings" }).optional(),
    model,
    models: z
      .custom((value) => value === "any" || (Array.isArray(value) && value.every((one) => typeof one === "string")), {
        error: 'must be a list of the names of models, or "any"',
      })
      .optional(),
    provider: z.custom(isFunction, { error: "must be a function, such as provider({ … })" }).optional(),
    modes: z.record(z.string(), mode, { error: "must be an object of modes by name" }).optional(),
    ...common,
  },
  { word, expected: "an object: agent({ model })" },
);

const isSchema = (value: unknown): boolean =>
  (isObject(value) || isFunction(value)) &&
  ("~standard" in (value as object) || isObject((value as { jsonSchema?: unknown }).jsonSchema));

const toolSchema = z.object({
  name: text.min(1, { error: "must not be empty" }),
  title: text.optional(),
  description: text,
  input: z.custom(isSchema, { error: "must be a zod schema, or a JSON Schema as { jsonSchema: … }" }),
  doing: z
    .custom((value) => isFunction(value) || typeof value === "string", {
      error: "must be a string, or a function that returns one",
    })
    .optional(),
  approval: z
    .custom((value) => isFunction(value) || value === "always" || value === "never", {
      error: 'must be "always", "never", or a function that returns one of them',
    })
    .optional(),
  timeoutMs: milliseconds.optional(),
  repeatable: z.boolean({ error: "must be true or false" }).optional(),
  run: z.custom(isFunction, { error: "must be a function" }),
});
