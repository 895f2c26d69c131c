import type { LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import type { Content } from "../../events.ts";
import { allowAlways } from "./approval.ts";
import { continueCall, repeatCall, runCall } from "./call.ts";
import type { Finished } from "./loop.ts";
import { modelResult } from "./model-result.ts";
import { type PastAgent, type PastCall, type PastStep, isWhole, latestOf, textOf } from "./past.ts";
import { emitter, type Worker } from "./running.ts";

/** A call that crashes every process that runs it must not repeat forever. */
const MAX_REPEATS = 3;

/**
 * Restores the conversation from the log: finished steps and their results. Runs what the last step still waits for.
 * Returns how the agent ended, if its last step contains no more calls.
 */
export const continueAgent = async (worker: Worker, past: PastAgent): Promise<Finished | undefined> => {
  const whole = past.steps.filter(isWhole);
  for (const [ask, name] of past.always) {
    const defined = worker.tools.get(name);
    if (defined) allowAlways(worker.run, defined.tool, ask);
  }
  for (const step of whole) {
    const isLast = step === whole.at(-1);
    const content = step.content.filter((part) => part.type !== "tool-call" || !isUnanswered(step, part.toolCallId));
    if (content.length > 0) worker.prompt.push({ role: "assistant", content });
    if (step.calls.length === 0) {
      // After a step that was retried, or whose provider did not finish its own calls, ask the model again.
      const isEnd = isLast && past.steps.at(-1) === step && content.length === step.content.length;
      if (isEnd) return { text: textOf(content), awaiting: [] };
      continue;
    }
    const deferred = step.calls.filter((call) => isDeferred(worker, call));
    for (const { start, end } of deferred)
      if (!end) worker.emit({ type: "tool-end", call: start.call, outcome: "deferred" });
    const own = step.calls.filter((call) => !deferred.includes(call));
    const results = await Promise.all(own.map((call) => settled(worker, past, call, isLast)));
    if (worker.signal.aborted) throw worker.signal.reason;
    if (deferred.length > 0) return { text: textOf(content), awaiting: deferred.map(({ start }) => start.call) };
    worker.prompt.push({ role: "tool", content: results });
  }
  return undefined;
};

/** A provider that was cut off does not remember the call it was running. */
const isUnanswered = ({ provided }: PastStep, call: string): boolean =>
  provided.some(({ message, end }) => message.toolCallId === call && end?.content === undefined);

const isDeferred = ({ clientRun }: Worker, { start, end }: PastCall): boolean =>
  end ? end.outcome === "deferred" : clientRun.has(start.name);

/** The result of a call under the id by which the model knows it: the id of the original call. */
const settled = async (
  worker: Worker,
  past: PastAgent,
  call: PastCall,
  isLast: boolean,
): Promise<LanguageModelV4ToolResultPart> => {
  const { latest, times } = latestOf(call);
  const { end, start } = latest;
  const result = async (): Promise<LanguageModelV4ToolResultPart> => {
    if (end && (end.outcome !== "interrupted" || !isLast)) return await endedResult(worker, latest);
    const mayRepeat = worker.tools.get(start.name)?.tool.repeatable === true;
    const children = past.children.filter((child) => child.start?.call === start.call);
    if (end) {
      if (mayRepeat && times <= MAX_REPEATS) return await repeatCall(worker, pendingOf(latest), start.title, children);
      return await endedResult(worker, latest);
    }
    if (!latest.isExecuted) return await runCall(worker, pendingOf(latest), latest.approval);
    if (mayRepeat) return await continueCall(worker, pendingOf(latest), children);
    for (const { start: open, end: ended } of children)
      if (open && !ended)
        emitter(worker.run.queue, open.agent)({ type: "agent-end", agent: open.agent, outcome: "interrupted" });
    const interrupted = { type: "tool-end", call: start.call, outcome: "interrupted" } as const;
    worker.emit(interrupted);
    return await endedResult(worker, { ...latest, end: interrupted });
  };
  return { ...(await result()), toolCallId: call.message.toolCallId };
};

const pendingOf = ({ start: { call, name }, text, input, message }: PastCall) => ({ call, name, text, input, message });

const INTERRUPTED =
  "The call was interrupted: the process that ran it stopped. It may have taken effect, and its result is not known.";

const endedResult = async (worker: Worker, { start, end }: PastCall): Promise<LanguageModelV4ToolResultPart> => {
  const { outcome = "interrupted", content = [], error } = end ?? {};
  const text = error?.message ?? (outcome === "interrupted" ? INTERRUPTED : `The call ended as ${outcome}.`);
  const shown: readonly Content[] = content.length > 0 || outcome === "ok" ? content : [{ type: "text", text }];
  const whole = await Promise.all(shown.map((part) => withText(worker, part)));
  return await modelResult(worker, start.call, start.name, whole, outcome !== "ok");
};

/** Long text is stored alongside the log, but the model received the text itself. */
const withText = async ({ run }: Worker, part: Content): Promise<Content> => {
  if (part.type !== "file" || part.name !== undefined || !/^(text\/plain|application\/json)$/.test(part.mediaType))
    return part;
  const bytes = await run.context.get(part.file).catch(() => undefined);
  return bytes ? { type: "text", text: Buffer.from(bytes).toString() } : part;
};
