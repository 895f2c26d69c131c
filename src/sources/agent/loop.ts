import type { LanguageModelV4FunctionTool, LanguageModelV4ToolApprovalResponsePart } from "@ai-sdk/provider";
import type { CallOutcome, Json, Message, Usage } from "../../events.ts";
import { type ClientTool, Refusal } from "../../source.ts";
import { addUsage } from "../../state.ts";
import { askPerson, expiry } from "./ask.ts";
import { runCall } from "./call.ts";
import { continueAgent } from "./continue.ts";
import { type PastAgent, isWhole, textOf } from "./past.ts";
import { toPrompt } from "./prompt.ts";
import type { Worker } from "./running.ts";
import { type ModelTools, step } from "./step.ts";
import type { GuardedCall, PendingCall } from "./streamed-calls.ts";
import { type Toolbox, emptyToolbox, openToolbox } from "./toolbox.ts";
import { createCallSlots } from "./call-slots.ts";

export interface Finished {
  /** The text of the last step. */
  readonly text: string;
  /** Calls that the client must run before the conversation can continue. */
  readonly awaiting: readonly string[];
}

export type LoopingAgent = Omit<Worker, "prompt" | "provided" | "used" | "callSlots" | "tools" | "clientRun">;

/** Runs one agent: calls the model, runs the calls it requests and returns their results to it, until it requests no more. */
export const loop = async (
  agent: LoopingAgent,
  messages: readonly Message[],
  clientTools: readonly ClientTool[],
  used: (usage: Usage) => void = () => {},
  past?: PastAgent,
): Promise<Finished> => {
  const { definition, run } = agent;
  const system = agent.agent === undefined ? run.request.system : undefined;
  const prompt = toPrompt(messages, [definition.instructions, system]);
  let usage: Usage = past?.usage ?? {};
  const count = (more: Usage | undefined) => used((usage = addUsage(usage, more)));
  const callSlots = createCallSlots(definition.maxParallelCalls);
  const looping = { ...agent, prompt, provided: new Map(), used: count, callSlots };
  const endProvided = (outcome: CallOutcome) => {
    for (const { call } of looping.provided.values()) looping.emit({ type: "tool-end", call, outcome });
  };
  const isBare = run.request.settings?.["tools"] === false;
  const toolbox = isBare ? emptyToolbox : await openToolbox(agent);
  try {
    const finished = await steps(looping, toolbox, isBare ? [] : clientTools, past);
    endProvided("interrupted");
    return finished;
  } catch (error) {
    endProvided(agent.signal.aborted ? "cancelled" : "interrupted");
    throw error;
  } finally {
    await toolbox.close();
  }
};

const steps = async (
  agent: Omit<Worker, "tools" | "clientRun">,
  toolbox: Toolbox,
  clientTools: readonly ClientTool[],
  past: PastAgent | undefined,
): Promise<Finished> => {
  const { definition, run, signal } = agent;
  const equipped = async () => {
    const tools = await toolbox.tools();
    const clientRun = clientTools.filter(({ name }) => !tools.has(name));
    const worker: Worker = { ...agent, tools, clientRun: new Set(clientRun.map(({ name }) => name)) };
    return { worker, clientRun };
  };
  const finished = past && (await continueAgent((await equipped()).worker, past));
  if (finished) return finished;
  for (let taken = past?.steps.filter(isWhole).length ?? 0; taken < definition.maxSteps; taken += 1) {
    const { worker, clientRun } = await equipped();
    const isDeferred = ({ name }: PendingCall) => worker.clientRun.has(name);
    const offered = toolbox === emptyToolbox ? [] : modelTools(worker, clientRun);
    const { content, calls, guarded, finished: ended } = await step(worker, offered);
    if (content.length > 0) worker.prompt.push({ role: "assistant", content });
    if (ended?.paused && calls.length === 0) continue;
    if (calls.length === 0 && guarded.length === 0) return { text: textOf(content), awaiting: [] };

    // The runner must have seen the calls before they execute and before they can be cancelled.
    await run.queue.taken();
    const deferred = calls.filter(isDeferred);
    for (const { call } of deferred) worker.emit({ type: "tool-end", call, outcome: "deferred" });
    const results = await Promise.all([
      ...calls.filter((call) => !isDeferred(call)).map((call) => runCall(worker, call)),
      ...guarded.map((call) => allowProvided(worker, call)),
    ]);
    if (signal.aborted) throw signal.reason;
    if (deferred.length > 0) return { text: textOf(content), awaiting: deferred.map(({ call }) => call) };
    worker.prompt.push({ role: "tool", content: results });
  }
  throw new Refusal(
    "step-limit",
    `The agent ${definition.name} took ${definition.maxSteps} steps and did not finish.`,
    {
      hint: "Raise maxSteps, or give it a smaller task.",
    },
  );
};

/** Asks the user whether the provider may run one of its own calls. */
const allowProvided = async (
  worker: Worker,
  { call, name, approvalId }: GuardedCall,
): Promise<LanguageModelV4ToolApprovalResponsePart> => {
  const signal = AbortSignal.any([worker.run.context.signalOf("call", call), worker.signal]);
  const { answer } = await askPerson(
    worker,
    {
      kind: "confirmation",
      call,
      title: `Allow the provider to run ${name}?`,
      allows: ["reason"],
      ...expiry(worker.definition.approvalExpiresMs),
    },
    signal,
  );
  const approved = answer?.allow === true;
  if (!approved && worker.provided.delete(call)) {
    const error = { code: "denied", message: `No one allowed the provider to run ${name}.` };
    worker.emit({ type: "tool-end", call, outcome: signal.aborted ? "cancelled" : "error", error });
  }
  return {
    type: "tool-approval-response",
    approvalId,
    approved,
    ...(answer?.reason !== undefined && { reason: answer.reason }),
  };
};

const modelTools = ({ tools, definition }: Worker, clientTools: readonly ClientTool[]): ModelTools => [
  ...[...tools.values()].map(({ tool: { name, description }, schema }) => functionTool(name, description, schema.json)),
  ...clientTools.map(({ name, description, schema }) => functionTool(name, description, schema ?? { type: "object" })),
  ...Object.entries(definition.providerTools).map(([name, { id, args }]) => ({
    type: "provider" as const,
    id,
    name,
    args: { ...args },
  })),
];

const functionTool = (name: string, description: string | undefined, schema: Json): LanguageModelV4FunctionTool => ({
  type: "function",
  name,
  ...(description && { description }),
  inputSchema: schema as LanguageModelV4FunctionTool["inputSchema"],
});
