import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { RunRequest } from "../../source.ts";
import type { Tool, Toolkit } from "../../tool.ts";
import { type AiSdkTool, adopt } from "./adopt.ts";
import { agentLabel, checkTool } from "./check-options.ts";
import { type Schema, schemaOf } from "./input.ts";
import { type ModeOptions, checkModes } from "./modes.ts";

/** A name for the provider to resolve (`openai/gpt-5`), a model, or a function that chooses one per request. */
export type Model = string | LanguageModelV4 | ((request: RunRequest) => LanguageModelV4 | Promise<LanguageModelV4>);

/** Creates models from their names. `keys` are never shown. */
export interface ModelProvider {
  (name: string, request: RunRequest): Promise<LanguageModelV4>;
  readonly keys?: readonly string[];
  /** The media types of the files that a model reads. Undefined if unknown. */
  readonly accepts?: (name: string) => readonly string[] | undefined;
  /** The variable of a key that a model needs and that only a request can supply. */
  readonly missingKey?: (name: string) => string | undefined;
}

/** Model settings that all providers share. Others go into `providerOptions`. */
export type ModelSettings = Pick<
  LanguageModelV4CallOptions,
  "temperature" | "topP" | "maxOutputTokens" | "seed" | "reasoning" | "providerOptions"
>;

/** A tool that the provider runs, typed structurally: e.g. the return value of `anthropic.tools.webSearch_20250305()`. */
export interface ProviderTool {
  readonly id: `${string}.${string}`;
  readonly args?: Readonly<Record<string, unknown>>;
}

export interface AgentOptions {
  /** Default: the name under which it is configured. */
  readonly name?: string;
  /** What the agent is good for. Shown to clients, and to agents that may start it. */
  readonly description?: string;
  /** Messages that show what it can do. */
  readonly suggestions?: readonly string[];
  readonly model: Model;
  /** Other models that a request may choose, by name. Default: none. */
  readonly models?: readonly string[] | "any";
  /**
   * The media types of the files that its model reads (`image/png`, `audio/*`); `[]` for none. Text files are always
   * sent, as text. Default: the known types of the model's provider.
   */
  readonly accepts?: readonly string[];
  /** Resolves model names. Default: `provider()` of `runcast/models/provider`. */
  readonly provider?: ModelProvider;
  /** Settings of the same name in a request take precedence. */
  readonly settings?: ModelSettings;
  readonly instructions?: string;
  /** Tools and toolkits, or AI SDK tool objects by name. (`any`: a list mixes input types, and each tool checks its own input.) */
  readonly tools?: readonly (Tool<any> | Toolkit)[] | Readonly<Record<string, AiSdkTool>>;
  /** Tools that the model's provider runs, by name. */
  readonly providerTools?: Readonly<Record<string, ProviderTool>>;
  /** Agents that it may start, by name. The model starts them with the tool `task`, and a tool with `context.agent()`. */
  readonly agents?: Readonly<Record<string, SubagentOptions>>;
  /** Modes by slash command: a message that begins with `/Lec` selects `{ Lec: { … } }`. */
  readonly modes?: Readonly<Record<string, ModeOptions>>;
  /** Whether `<think>` tags at the beginning of a response become thinking. Default: true. */
  readonly thinkTags?: boolean;
  /** A model that sends nothing for this long is aborted with the error `model-stalled`. Default: 120 s. */
  readonly stallMs?: number;
  /** How many times a step is tried as long as nothing of its response has been shown. Default: 3. */
  readonly maxAttempts?: number;
  /** How much of one result the model receives, in characters. The log stores all of it. Default: 100,000. */
  readonly maxResultLength?: number;
  /** A run that takes more steps ends with the error `step-limit`. Default: 50. */
  readonly maxSteps?: number;
  /** How many calls of this agent run concurrently. Further calls of a step wait, and show that in their status. Default: 32. */
  readonly maxParallelCalls?: number;
  /**
   * Ends a call as `timeout`, unless its tool has its own limit. Time spent waiting for the user or a sub-agent does
   * not count. Default: none.
   */
  readonly toolTimeoutMs?: number;
  /** An approval without an answer after this time is denied. Default: it waits as long as the run. */
  readonly approvalExpiresMs?: number;
}

/** The model, settings and limits default to those of the agent that starts it. Its default name is its key. */
export type SubagentOptions = Omit<AgentOptions, "model" | "models" | "provider" | "modes" | "suggestions"> & {
  readonly model?: Model;
};

/** An agent's options, validated and with defaults, in the form that the loop uses. */
export interface Definition {
  /** Empty until a run supplies the configured name. */
  readonly name: string;
  readonly description: string;
  /** Undefined: the model of the agent that starts it. */
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
