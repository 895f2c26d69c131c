import type { LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import type { CallOutcome, Content, Json, Problem } from "../../events.ts";
import { catchStrayErrors } from "../../stray-errors.ts";
import { approval } from "./approval.ts";
import { clock } from "./clock.ts";
import type { DefinedTool } from "./definition.ts";
import type { PastAgent, PastApproval } from "./past.ts";
import { toolProblem } from "./problem.ts";
import { resultPart } from "./prompt.ts";
import { type Result, bytesOf, resultOf } from "./result.ts";
import { readResponse } from "./returned-response.ts";
import { type Redact, redactJson } from "./redact.ts";
import type { Worker } from "./running.ts";
import type { PendingCall } from "./streamed-calls.ts";
import { modelResult } from "./model-result.ts";
import { toolContext } from "./tool-context.ts";
import { pause } from "./until.ts";

/** How long a tool may take to stop after it is cancelled or times out. */
const GRACE_MS = 500;

/** Runs one call from its arguments to its end and returns the result for the model. Never rejects: any error ends the call. */
export const runCall = async (
  worker: Worker,
  pending: PendingCall,
  earlier?: PastApproval,
): Promise<LanguageModelV4ToolResultPart> => {
  const { call, name } = pending;
  const end = (outcome: CallOutcome, error: Problem) => failed(worker, pending, outcome, error);
  const defined = worker.tools.get(name);
  if (!defined) return end("error", unknownTool(worker, name));
  try {
    const signal = AbortSignal.any([worker.run.context.signalOf("call", call), worker.signal]);
    const first = await checked(defined, pending.input, pending.text);
    if ("problem" in first) return end("error", first.problem);
    const { input, value } = first;
    const permission = await approval(worker, defined, { call, input, checked: value, signal, earlier });
    if (!permission.allowed) return end(permission.outcome, permission.error);
    if (signal.aborted) return end("cancelled", CANCELLED);
    if (permission.edited === undefined) return await execute(worker, defined, pending, value, signal);
    const second = await checked(defined, permission.edited);
    if ("problem" in second) return end("error", second.problem);
    pending.message.input = permission.edited;
    return await execute(worker, defined, pending, second.value, signal, { edited: permission.edited });
  } catch (error) {
    return end("error", toolProblem(error, worker.run.redact));
  }
};

const failed = (
  worker: Worker,
  { call, name, message }: PendingCall,
  outcome: CallOutcome,
  error: Problem,
): LanguageModelV4ToolResultPart => {
  worker.emit({ type: "tool-end", call, outcome, error });
  return resultPart(message.toolCallId, name, [{ type: "text", text: error.message }], true);
};

/** Repeats an interrupted call as a new one. Any required approval was already given. */
export const repeatCall = async (
  worker: Worker,
  interrupted: PendingCall,
  title: string | undefined,
  children: readonly PastAgent[],
): Promise<LanguageModelV4ToolResultPart> => {
  const { name, input = {} } = interrupted;
  const call = worker.run.newId("call");
  worker.emit({ type: "tool-start", call, name, ...(title !== undefined && { title }), repeats: interrupted.call });
  worker.emit({ type: "tool-input-end", call, input });
  await worker.run.queue.taken();
  return await resume(worker, { ...interrupted, call }, { children });
};

/** Continues a call that waits for its sub-agents. */
export const continueCall = (
  worker: Worker,
  pending: PendingCall,
  children: readonly PastAgent[],
): Promise<LanguageModelV4ToolResultPart> => resume(worker, pending, { children, isExecuting: true });

const resume = async (
  worker: Worker,
  pending: PendingCall,
  options: Executing,
): Promise<LanguageModelV4ToolResultPart> => {
  const { call, name, input = {} } = pending;
  const defined = worker.tools.get(name)!;
  const signal = AbortSignal.any([worker.run.context.signalOf("call", call), worker.signal]);
  try {
    const result = await checked(defined, input);
    if ("problem" in result) return failed(worker, pending, "error", result.problem);
    return await execute(worker, defined, pending, result.value, signal, options);
  } catch (error) {
    return failed(worker, pending, "error", toolProblem(error, worker.run.redact));
  }
};

interface Executing {
  /** The arguments as edited by the user. */
  readonly edited?: Json;
  /** Its tool-execute is already in the log. */
  readonly isExecuting?: boolean;
  readonly children?: readonly PastAgent[];
}

const execute = async (
  worker: Worker,
  defined: DefinedTool,
  pending: PendingCall,
  input: unknown,
  signal: AbortSignal,
  options: Executing = {},
): Promise<LanguageModelV4ToolResultPart> => {
  // It already has a slot.
  if (options.isExecuting) return await executeNow(worker, defined, pending, input, signal, options);
  const { call } = pending;
  let waited = false;
  const release = await worker.callSlots.take(signal, (most) => {
    waited = true;
    worker.emit({ type: "status", call, text: `Waiting for other calls: ${most} run at a time.` });
  });
  if (!release) return failed(worker, pending, "cancelled", CANCELLED);
  if (waited) worker.emit({ type: "status", call, text: "" });
  try {
    return await executeNow(worker, defined, pending, input, signal, options);
  } finally {
    release();
  }
};

const executeNow = async (
  worker: Worker,
  { tool, timeoutMs }: DefinedTool,
  pending: PendingCall,
  input: unknown,
  signal: AbortSignal,
  { edited, isExecuting = false, children = [] }: Executing,
): Promise<LanguageModelV4ToolResultPart> => {
  const { run } = worker;
  const { call, message } = pending;
  if (!isExecuting) {
    worker.emit({ type: "tool-execute", call, ...(edited !== undefined && { input: edited }) });
    const doing =
      typeof tool.doing === "function" ? attempt(() => (tool.doing as (input: unknown) => string)(input)) : tool.doing;
    if (doing) worker.emit({ type: "status", text: doing, call });
  }
  // A process that has lost the run cannot store anything and must not run the tool.
  await run.queue.taken();
  await run.context.stored();
  if (signal.aborted) return failed(worker, pending, "cancelled", CANCELLED);
  const timeout = new AbortController();
  const timing = clock(timeoutMs, () => timeout.abort({ code: "timeout", message: "The call timed out." }));
  const stray = new AbortController();
  const stop = AbortSignal.any([signal, timeout.signal, stray.signal]);
  const { context, written, close } = toolContext(worker, call, stop, timing, children);
  const uncaught = Promise.withResolvers<Result>();
  const onUncaught = (error: unknown) => {
    uncaught.resolve({ content: [], error: toolProblem(error, run.redact) });
    stray.abort({ code: "error", message: "The call threw an uncaught error." });
  };
  const act = async () => {
    const returned = await tool.run(input, context);
    return returned instanceof Response ? await readResponse(returned, context) : returned;
  };
  const work = async () =>
    redacted(await resultOf(await catchStrayErrors(onUncaught, act), run.context.put), run.redact);
  const result = await Promise.race([
    uncaught.promise,
    finished(work, (error) => toolProblem(error, run.redact), stop),
  ]);
  const ms = timing.stop();
  const stopped = outcomeOf(signal, timeout.signal);
  const { outcome, content, value, error } = stopped
    ? { ...stopped, content: [], value: undefined }
    : withOutcome(result);
  await close(stopped !== undefined);

  worker.emit({
    type: "tool-end",
    call,
    outcome,
    ...(content.length > 0 && { content: [...content] }),
    ...(value !== undefined && { value }),
    ...(error && { error }),
    ms,
    bytes: { result: bytesOf(content), ...nonZero(written) },
  });
  const answer: readonly Content[] = content.length > 0 || !error ? content : [{ type: "text", text: error.message }];
  return await modelResult(worker, message.toolCallId, tool.name, answer, outcome !== "ok");
};

/** An error that a tool returns as its result is redacted like a thrown one. */
const redacted = ({ content, value, error }: Result, redact: Redact): Result => {
  if (!error) return { content, ...(value !== undefined && { value }) };
  return {
    content: content.map((part) => {
      if (part.type === "text") return { ...part, text: redact(part.text) };
      return part.type === "json" ? { ...part, value: redactJson(part.value, redact) } : part;
    }),
    ...(value !== undefined && { value: redactJson(value, redact) }),
    error: { ...error, message: redact(error.message) },
  };
};

/** The tool's result or error. Undefined if it did not stop in time after its signal aborted. */
const finished = async (
  work: () => Promise<Result>,
  problemOf: (error: unknown) => Problem,
  stop: AbortSignal,
): Promise<Result | undefined> => {
  const settled = work().catch((error: unknown): Result => ({ content: [], error: problemOf(error) }));
  const left = Promise.withResolvers<undefined>();
  const grace = new AbortController();
  const leave = () => void pause(GRACE_MS, grace.signal).then(() => left.resolve(undefined));
  if (stop.aborted) leave();
  else stop.addEventListener("abort", leave, { once: true });
  const result = await Promise.race([settled, left.promise]);
  stop.removeEventListener("abort", leave);
  grace.abort();
  return result;
};

const withOutcome = (
  result: Result | undefined,
): Required<Pick<Result, "content">> & Omit<Result, "content"> & { outcome: CallOutcome } => {
  if (!result?.error)
    return {
      outcome: "ok",
      content: result?.content ?? [],
      ...(result?.value !== undefined && { value: result.value }),
    };
  return { ...result, outcome: result.error.code === CANCELLED.code ? "cancelled" : "error" };
};

const outcomeOf = (signal: AbortSignal, timeout: AbortSignal): { outcome: CallOutcome; error: Problem } | undefined => {
  if (signal.aborted) return { outcome: "cancelled", error: CANCELLED };
  if (timeout.aborted) return { outcome: "timeout", error: timeout.reason as Problem };
  return undefined;
};

const checked = async (
  { tool, schema }: DefinedTool,
  input: Json | undefined,
  text = "",
): Promise<{ readonly value: unknown; readonly input: Json } | { readonly problem: Problem }> => {
  if (input === undefined)
    return { problem: invalid(`The arguments of ${tool.name} are not JSON: ${text.slice(0, 200)}`) };
  const result = await schema.check(input);
  if ("issues" in result)
    return { problem: invalid(`The arguments of ${tool.name} do not match its schema: ${result.issues}`) };
  return { value: result.value, input };
};

const CANCELLED: Problem = { code: "cancelled", message: "The call was cancelled." };
const invalid = (message: string): Problem => ({ code: "invalid-input", message });
const unknownTool = ({ tools }: Worker, name: string): Problem => ({
  code: "unknown-tool",
  message: `There is no tool ${name}. Available tools: ${[...tools.keys()].join(", ") || "none"}.`,
});

const nonZero = (counts: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
const attempt = (read: () => string): string | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};
