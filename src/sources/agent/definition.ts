import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { RunRequest } from "../../source.ts";
import type { Tool, Toolkit } from "../../tool.ts";
import { type AiSdkTool, adopt } from "./adopt.ts";
import { agentLabel, checkTool } from "./check-options.ts";
import { type Schema, schemaOf } from "./input.ts";
import { type ModeOptions, checkModes } from "./modes.ts";

/** A name for the provider to resolve (`openai/gpt-5`), a model, or what chooses one for each request. */
export type Model = string | LanguageModelV4 | ((request: RunRequest) => LanguageModelV4 | Promise<LanguageModelV4>);

/** Makes models of their names; `keys` are never shown. */
export interface ModelProvider {
  (name: string, request: RunRequest): Promise<LanguageModelV4>;
  readonly keys?: readonly string[];
  /** The files that a model reads, as media types; undefined if nobody knows. */
  readonly accepts?: (name: string) => readonly string[] | undefined;
}

/** How a model is asked, as far as all providers agree; the rest is in `providerOptions`. */
export type ModelSettings = Pick<
  LanguageModelV4CallOptions,
  "temperature" | "topP" | "maxOutputTokens" | "seed" | "reasoning" | "providerOptions"
>;

/** A tool that the provider runs, by shape: what e.g. `anthropic.tools.webSearch_20250305()` of its library returns. */
export interface ProviderTool {
  readonly id: `${string}.${string}`;
  readonly args?: Readonly<Record<string, unknown>>;
}

export interface AgentOptions {
  /** Default: the name that it is configured under. */
  readonly name?: string;
  /** What it is good for: clients are told, and the agent that may start it. */
  readonly description?: string;
  /** Messages that show what it can do. */
  readonly suggestions?: readonly string[];
  readonly model: Model;
  /** The models that a request may ask for instead, by name. Default: none but its own. */
  readonly models?: readonly string[] | "any";
  /**
   * The files that its model reads, as media types (`image/png`, `audio/*`); `[]`: none. Text files always reach it, as text. Default:
   * what is known of the model's provider.
   */
  readonly accepts?: readonly string[];
  /** Resolves the names of models. Default: `provider()` of `runcast/models/provider`. */
  readonly provider?: ModelProvider;
  /** A request's own settings of the same names go before these. */
  readonly settings?: ModelSettings;
  readonly instructions?: string;
  /** Tools and toolkits, or AI SDK tool objects by name. (`any`: a list mixes inputs, and each tool checks its own.) */
  readonly tools?: readonly (Tool<any> | Toolkit)[] | Readonly<Record<string, AiSdkTool>>;
  /** Tools that the model's provider runs itself, by name. */
  readonly providerTools?: Readonly<Record<string, ProviderTool>>;
  /** Agents that it may start, by name. The model starts them with the tool `task`, a tool with `context.agent()`. */
  readonly agents?: Readonly<Record<string, SubagentOptions>>;
  /** Ways to work, by the slash command that picks each: `{ Lec: { … } }` is picked by a message that begins with `/Lec`. */
  readonly modes?: Readonly<Record<string, ModeOptions>>;
  /** Whether `<think>` tags at the beginning of an answer become thinking. Default: true. */
  readonly thinkTags?: boolean;
  /** A model that sends nothing for so long is given up, with the error `model-stalled`. Default: 120 s. */
  readonly stallMs?: number;
  /** How often a step is tried while nothing of its answer has been shown. Default: 3. */
  readonly maxAttempts?: number;
  /** How much of one result the model is told, in characters; the log keeps all of it. Default: 100 000. */
  readonly maxResultLength?: number;
  /** A run that takes more steps ends with the error `step-limit`. Default: 50. */
  readonly maxSteps?: number;
  /** How many calls of this agent run at a time; further ones of a step wait for their turn, and say so. Default: 32. */
  readonly maxParallelCalls?: number;
  /** Ends a call as `timeout`, unless its tool says another. Time spent waiting for a person or a sub-agent does not count. Default: none. */
  readonly toolTimeoutMs?: number;
  /** An approval that nobody answered until then is denied. Default: it waits as long as the run. */
  readonly approvalExpiresMs?: number;
}

/** What it leaves out, it has from the agent that starts it; its name is its key. */
export type SubagentOptions = Omit<AgentOptions, "model" | "models" | "provider" | "modes" | "suggestions"> & {
  readonly model?: Model;
};

/** An agent's options, checked and completed, as the loop wants them. */
export interface Definition {
  /** Empty until a run gives it the name that it is configured under. */
  readonly name: string;
  readonly description: string;
  /** Undefined: that of the agent that starts it. */
  readonly model: Model | undefined;
  readonly models: readonly string[] | "any";
  readonly accepts: readonly string[] | undefined;
  readonly provider: ModelProvider | undefined;
  readonly settings: ModelSettings;
  readonly instructions: string | undefined;
  readonly tools: ReadonlyMap<string, DefinedTool>;
  readonly providerTools: Readonly<Record<string, ProviderTool>>;
  readonly toolkits: readonly Toolkit[];
  readonly toolTimeoutMs: number | undefined;
  readonly agents: ReadonlyMap<string, Definition>;
  readonly modes: ReadonlyMap<string, ModeOptions>;
  readonly thinkTags: boolean;
  readonly stallMs: number;
  readonly maxAttempts: number;
  readonly maxResultLength: number;
  readonly maxSteps: number;
  readonly maxParallelCalls: number;
  readonly approvalExpiresMs: number | undefined;
}

export interface DefinedTool {
  readonly tool: Tool;
  readonly schema: Schema;
  readonly timeoutMs: number | undefined;
}

type Defining = Omit<AgentOptions, "model"> & { readonly model?: Model };

export const define = (options: Defining, task: (agents: Definition["agents"]) => Tool): Definition => {
  const { name = "", description = "", model, models = [], provider, settings = {}, instructions } = options;
  const { providerTools = {}, accepts } = options;
  const { thinkTags = true, stallMs = 120_000, maxAttempts = 3, maxResultLength = 100_000 } = options;
  const { maxSteps = 50, maxParallelCalls = 32, toolTimeoutMs, approvalExpiresMs } = options;
  const limits = { thinkTags, stallMs, maxAttempts, maxResultLength, maxSteps, maxParallelCalls, approvalExpiresMs };
  const inherited = { provider, settings, toolTimeoutMs, ...limits };
  const agents = new Map(
    Object.entries(options.agents ?? {}).map(([key, agent]) => [
      key,
      define({ ...inherited, name: key, ...present(agent) }, task),
    ]),
  );
  const listed: readonly (Tool | Toolkit)[] = Array.isArray(options.tools)
    ? options.tools
    : adopt((options.tools ?? {}) as Record<string, AiSdkTool>);
  const toolkits = listed.filter((entry) => "open" in entry);
  const own = listed.filter((entry): entry is Tool => !("open" in entry));
  const tools = new Map<string, DefinedTool>();
  for (const tool of agents.size > 0 ? [...own, task(agents)] : own) {
    if (tools.has(tool.name)) throw new TypeError(`${agentLabel(name)}: two tools are named ${tool.name}`);
    tools.set(tool.name, defineForAgent(tool, toolTimeoutMs));
  }
  const definition: Definition = {
    name,
    description,
    model,
    models,
    accepts,
    provider,
    settings,
    instructions,
    tools,
    toolkits,
    toolTimeoutMs,
    providerTools,
    agents,
    modes: new Map(Object.entries(options.modes ?? {})),
    ...limits,
  };
  checkModes(definition);
  return definition;
};

export const defineForAgent = (tool: Tool, toolTimeoutMs: number | undefined): DefinedTool => {
  checkTool(tool);
  return { tool, schema: schemaOf(tool.input, tool.name), timeoutMs: tool.timeoutMs ?? toolTimeoutMs };
};

const present = <Value extends object>(value: Value): Value =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Value;
