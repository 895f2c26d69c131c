import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { RunRequest } from "../../source.ts";
import type { Tool } from "../../tool.ts";
import { type AiSdkTool, adopt } from "./adopt.ts";
import { type Schema, schemaOf } from "./input.ts";

export type Model = LanguageModelV4 | ((request: RunRequest) => LanguageModelV4 | Promise<LanguageModelV4>);

export interface AgentOptions {
  readonly name: string;
  /** What it is good for: the agent that may start it is told. */
  readonly description?: string;
  readonly model: Model;
  readonly instructions?: string;
  /** Tools, or AI SDK tool objects by name. (`any`: a list mixes inputs, and each tool checks its own.) */
  readonly tools?: readonly Tool<any>[] | Readonly<Record<string, AiSdkTool>>;
  /** Agents that it may start, by name. The model starts them with the tool `task`, a tool with `context.agent()`. */
  readonly agents?: Readonly<Record<string, SubagentOptions>>;
  /** A run that takes more steps ends with the error `step-limit`. Default: 50. */
  readonly maxSteps?: number;
  /** Ends a call as `timeout`, unless its tool says another. Time spent waiting for a person or a sub-agent does not count. Default: none. */
  readonly toolTimeoutMs?: number;
  /** An approval that nobody answered until then is denied. Default: it waits as long as the run. */
  readonly approvalExpiresMs?: number;
}

/** What it leaves out, it has from the agent that starts it; its name is its key. */
export type SubagentOptions = Omit<AgentOptions, "name" | "model"> & { readonly name?: string; readonly model?: Model };

/** An agent's options, checked and completed, as the loop wants them. */
export interface Definition {
  readonly name: string;
  readonly description: string;
  readonly model: Model;
  readonly instructions: string | undefined;
  readonly tools: ReadonlyMap<string, DefinedTool>;
  readonly agents: ReadonlyMap<string, Definition>;
  readonly maxSteps: number;
  readonly approvalExpiresMs: number | undefined;
}

export interface DefinedTool {
  readonly tool: Tool;
  readonly schema: Schema;
  readonly timeoutMs: number | undefined;
}

export const define = (options: AgentOptions, task: (agents: Definition["agents"]) => Tool): Definition => {
  const { name, description = "", model, instructions, maxSteps = 50, toolTimeoutMs, approvalExpiresMs } = options;
  const inherited = { model, maxSteps, toolTimeoutMs, approvalExpiresMs };
  const agents = new Map(
    Object.entries(options.agents ?? {}).map(([key, agent]) => [
      key,
      define({ ...inherited, name: key, ...present(agent) }, task),
    ]),
  );
  const own = Array.isArray(options.tools) ? options.tools : adopt((options.tools ?? {}) as Record<string, AiSdkTool>);
  const tools = new Map<string, DefinedTool>();
  for (const tool of agents.size > 0 ? [...own, task(agents)] : own) {
    if (tools.has(tool.name)) throw new TypeError(`agent ${name}: two tools are named ${tool.name}`);
    const schema = schemaOf(tool.input, tool.name);
    tools.set(tool.name, { tool, schema, timeoutMs: tool.timeoutMs ?? toolTimeoutMs });
  }
  return { name, description, model, instructions, tools, agents, maxSteps, approvalExpiresMs };
};

const present = <Value extends object>(value: Value): Value =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Value;
