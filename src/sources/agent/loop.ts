import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import type { Json, Message } from "../../events.ts";
import { type ClientTool, Refusal } from "../../source.ts";
import { runCall } from "./call.ts";
import type { Definition } from "./definition.ts";
import { toPrompt } from "./prompt.ts";
import type { Worker } from "./running.ts";
import { type ModelTools, step } from "./step.ts";
import type { PendingCall } from "./streamed-calls.ts";

export interface Finished {
  /** The text of the last step. */
  readonly text: string;
  /** Calls that the client must run before the conversation can go on. */
  readonly awaiting: readonly string[];
}

/** One agent at work: asks the model, runs what it calls for, tells it the results, until it calls for nothing more. */
export const loop = async (
  agent: Omit<Worker, "prompt">,
  messages: readonly Message[],
  clientTools: readonly ClientTool[],
): Promise<Finished> => {
  const { definition, run, signal } = agent;
  const system = agent.agent === undefined ? run.request.system : undefined;
  const worker: Worker = { ...agent, prompt: toPrompt(messages, [definition.instructions, system]) };
  const clientRun = clientTools.filter(({ name }) => !definition.tools.has(name));
  const tools = modelTools(definition, clientRun);
  const isDeferred = ({ name }: PendingCall) => clientRun.some((tool) => tool.name === name);

  for (let steps = 0; steps < definition.maxSteps; steps += 1) {
    const { content, calls } = await step(worker, tools);
    if (content.length > 0) worker.prompt.push({ role: "assistant", content });
    if (calls.length === 0) return { text: textOf(content), awaiting: [] };

    // Nothing is executed, and nothing can be cancelled, before the runner knows of it.
    await run.queue.taken();
    const deferred = calls.filter(isDeferred);
    for (const { call } of deferred) worker.emit({ type: "tool-end", call, outcome: "deferred" });
    const results = await Promise.all(calls.filter((call) => !isDeferred(call)).map((call) => runCall(worker, call)));
    if (signal.aborted) throw signal.reason;
    if (deferred.length > 0) return { text: textOf(content), awaiting: deferred.map(({ call }) => call) };
    worker.prompt.push({ role: "tool", content: results });
  }
  throw new Refusal("step-limit", `The agent ${definition.name} took ${definition.maxSteps} steps and was not done.`, {
    hint: "Raise maxSteps, or give it a smaller task.",
  });
};

const modelTools = ({ tools }: Definition, clientTools: readonly ClientTool[]): ModelTools => [
  ...[...tools.values()].map(({ tool: { name, description }, schema }) => functionTool(name, description, schema.json)),
  ...clientTools.map(({ name, description, schema }) => functionTool(name, description, schema ?? { type: "object" })),
];

const functionTool = (name: string, description: string | undefined, schema: Json): LanguageModelV4FunctionTool => ({
  type: "function",
  name,
  ...(description && { description }),
  inputSchema: schema as LanguageModelV4FunctionTool["inputSchema"],
});

const textOf = (content: readonly { readonly type: string; readonly text?: string }[]): string =>
  content.map(({ type, text }) => (type === "text" ? text : "")).join("");
