import type { ModelMessage, TextStreamPart } from "ai";
import type { Event } from "../events.ts";
import { createIds } from "../ids.ts";
import { messageOf } from "../message-of.ts";
import { type AgentFacts, Refusal, type RunContext, type RunRequest, type Source } from "../source.ts";
import { modelMessages } from "./ai-sdk/messages.ts";
import { createPartReader, type PartReader } from "./ai-sdk/parts.ts";
import { createQueue, type Queue } from "./ai-sdk/queue.ts";

/** The arguments of each call to an agent: messages, abort signal, and callbacks for tool execution. Pass all of them to `streamText`. */
export interface AiSdkCall {
  readonly messages: ModelMessage[];
  readonly abortSignal: AbortSignal;
  readonly onToolExecutionStart: (event: { readonly toolCall: { readonly toolCallId: string } }) => void;
  readonly onToolExecutionEnd: (event: {
    readonly toolCall: { readonly toolCallId: string };
    readonly toolExecutionMs: number;
  }) => void;
}

/** The parts of the result of `streamText` that are used here. */
export interface AiSdkResult {
  // The types of a part's input and output depend on the agent's tools.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly stream: AsyncIterable<TextStreamPart<any>>;
  readonly responseMessages: PromiseLike<readonly ModelMessage[]>;
}

/** A `ToolLoopAgent`, or any other agent of the SDK. */
export interface AiSdkAgent {
  readonly tools?: Readonly<Record<string, unknown>> | undefined;
  stream(call: AiSdkCall): PromiseLike<AiSdkResult>;
}

/** Calls `streamText` with the given arguments, and with anything else it needs from the request. */
export type AiSdkFunction = (call: AiSdkCall, request: RunRequest) => AiSdkResult | PromiseLike<AiSdkResult>;

/**
 * An agent of the AI SDK, version 7, in this process: a `ToolLoopAgent`, or a function that calls `streamText`.
 *
 * - The SDK runs the tools, so their calls count as run by the provider: they may execute before the model's response
 *   has ended. Start and duration of an execution are those that the SDK reports.
 * - Tools that need approval become asks. The SDK continues when it has all answers. It does not accept edited
 *   arguments.
 * - Tools that the SDK cannot run are client tools.
 */
export const aiSdk = (agent: AiSdkAgent | AiSdkFunction): Source => {
  const tools = typeof agent === "function" ? {} : (agent.tools ?? {});
  const source: Source = async function* (request, context) {
    const { signal } = context;
    const messages = await modelMessages(request.messages, context.get);
    const parts = createPartReader(createIds(context.run), isClientTool(tools));
    for (;;) {
      const queue = createQueue<Event>();
      const call: AiSdkCall = {
        messages: [...messages],
        abortSignal: signal,
        onToolExecutionStart: ({ toolCall }) => queue.push(parts.execute(toolCall.toolCallId)),
        onToolExecutionEnd: ({ toolCall, toolExecutionMs }) => parts.took(toolCall.toolCallId, toolExecutionMs),
      };
      const result = await begin(agent, call, request);
      void read(result, parts, queue, context);
      yield* queue.read();
      if (signal.aborted) return;
      const approvals = await answers(parts, context);
      if (signal.aborted) return;
      if (approvals.length === 0) break;
      messages.push(...(await result.responseMessages), { role: "tool", content: approvals });
    }
    yield* parts.end();
  };
  return Object.assign(source, { about: aboutOf(tools) });
};

const begin = async (agent: AiSdkAgent | AiSdkFunction, call: AiSdkCall, request: RunRequest): Promise<AiSdkResult> => {
  try {
    return await (typeof agent === "function" ? agent(call, request) : agent.stream(call));
  } catch (error) {
    throw failure(error);
  }
};

const read = async (
  { stream }: AiSdkResult,
  parts: PartReader,
  queue: Queue<Event>,
  { put }: RunContext,
): Promise<void> => {
  try {
    for await (const part of stream) {
      if (part.type === "error") throw part.error;
      if (part.type === "file" || part.type === "reasoning-file") {
        const { mediaType, uint8Array } = part.file;
        queue.push([{ type: "file", name: "file", ...(await put(uint8Array, { mediaType })) }]);
      } else queue.push(parts.take(part));
      await queue.room();
    }
    queue.close();
  } catch (error) {
    queue.fail(failure(error));
  }
};

type Approvals = Extract<ModelMessage, { role: "tool" }>["content"];

const answers = async (parts: PartReader, { answerTo }: RunContext): Promise<Approvals> =>
  await Promise.all(
    parts.takeAsks().map(async ({ ask, approvalId }) => {
      const { answer } = await answerTo(ask);
      const approved = answer?.allow === true;
      const { reason } = answer ?? {};
      return { type: "tool-approval-response" as const, approvalId, approved, ...(reason !== undefined && { reason }) };
    }),
  );

const failure = (error: unknown): Refusal => {
  if (error instanceof Refusal) return error;
  const { isRetryable } = (error ?? {}) as { isRetryable?: unknown };
  return new Refusal("agent-failed", messageOf(error), { status: 502, retryable: isRetryable === true, cause: error });
};

/** A tool without an `execute` function. Tools of a provider are run by the provider. */
const isClientTool =
  (tools: Readonly<Record<string, unknown>>) =>
  (name: string): boolean => {
    const tool = tools[name] as { readonly execute?: unknown; readonly type?: unknown } | undefined;
    return tool !== undefined && tool.execute === undefined && tool.type !== "provider" && tool.type !== "dynamic";
  };

const aboutOf = (tools: Readonly<Record<string, unknown>>): AgentFacts => {
  const facts = Object.entries(tools).map(([name, tool]) => {
    const { description } = tool as { readonly description?: unknown };
    return { name, ...(typeof description === "string" && { description }) };
  });
  return facts.length > 0 ? { tools: facts } : {};
};
