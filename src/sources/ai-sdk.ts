import type { ModelMessage, TextStreamPart } from "ai";
import type { Event } from "../events.ts";
import { createIds } from "../ids.ts";
import { messageOf } from "../message-of.ts";
import { type AgentFacts, Refusal, type RunContext, type RunRequest, type Source } from "../source.ts";
import { modelMessages } from "./ai-sdk/messages.ts";
import { createPartReader, type PartReader } from "./ai-sdk/parts.ts";
import { createQueue, type Queue } from "./ai-sdk/queue.ts";

/** What each call of an agent is given: its messages, when to stop, and where to tell of executions. Pass all of it to `streamText`. */
export interface AiSdkCall {
  readonly messages: ModelMessage[];
  readonly abortSignal: AbortSignal;
  readonly onToolExecutionStart: (event: { readonly toolCall: { readonly toolCallId: string } }) => void;
  readonly onToolExecutionEnd: (event: {
    readonly toolCall: { readonly toolCallId: string };
    readonly toolExecutionMs: number;
  }) => void;
}

/** What `streamText` returns, as far as it is used here. */
export interface AiSdkResult {
  // A part's types of inputs and outputs are those of the agent's tools, whatever they are.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly stream: AsyncIterable<TextStreamPart<any>>;
  readonly responseMessages: PromiseLike<readonly ModelMessage[]>;
}

/** A `ToolLoopAgent`, or any other agent of the SDK. */
export interface AiSdkAgent {
  readonly tools?: Readonly<Record<string, unknown>> | undefined;
  stream(call: AiSdkCall): PromiseLike<AiSdkResult>;
}

/** Calls `streamText` with what it is given, and whatever else it wants of the request. */
export type AiSdkFunction = (call: AiSdkCall, request: RunRequest) => AiSdkResult | PromiseLike<AiSdkResult>;

/**
 * An agent of the AI SDK, version 7, in this process: a `ToolLoopAgent`, or a function that calls `streamText`.
 *
 * - The SDK runs the tools, so their calls count as run by the provider: they may execute before the model's answer has ended. When
 *   one executes and how long it took is as the SDK says it.
 * - Tools that need approval are asks. The SDK goes on when it has all answers; it takes no edited arguments.
 * - Tools that the SDK cannot run are the client's.
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

/** A tool that the SDK has nothing to run for; one of a provider is the provider's. */
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
