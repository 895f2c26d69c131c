import type { EventQueue } from "../../event-queue.ts";
import type { AskKind, Content, Event, Json } from "../../events.ts";
import { createIds } from "../../ids.ts";
import { messageOf } from "../../message-of.ts";
import { Refusal, type RunContext } from "../../source.ts";
import type { ProgramRun } from "../program.ts";
import { Steps } from "./steps.ts";

interface Shared {
  readonly events: EventQueue;
  readonly context: RunContext;
  readonly newId: ReturnType<typeof createIds>;
  /** The last number used in an id of the run. */
  count: number;
}

export const createRun = (events: EventQueue, context: RunContext, signal: AbortSignal) =>
  createAgent({ events, context, newId: createIds(context.run), count: 0 }, signal, undefined);

const createAgent = (shared: Shared, signal: AbortSignal, agent: string | undefined) => {
  const { events, context } = shared;
  const own = agent === undefined ? {} : { agent };
  const fresh = (kind: string): string => `${kind}-${++shared.count}`;
  const emit = (event: Event): void => events.push({ ...own, ...event });
  const steps = new Steps(emit, () => fresh("step"));
  const busy = new Set<Promise<unknown>>();

  /** Makes the run wait for the work even if the program does not. The program must still handle its failure. */
  const track = <Value>(work: Promise<Value>): Promise<Value> => {
    const done = (): void => void busy.delete(work);
    busy.add(work);
    work.then(done, done);
    return work;
  };

  const part = async (kind: "text" | "thinking", text: string | AsyncIterable<string>): Promise<void> => {
    signal.throwIfAborted();
    const id = fresh("part");
    steps.begin();
    emit({ type: `${kind}-start`, part: id });
    let isWhole = false;
    try {
      for await (const delta of typeof text === "string" ? [text] : text) {
        emit({ type: `${kind}-delta`, part: id, delta });
        await events.room();
        signal.throwIfAborted();
      }
      isWhole = true;
    } finally {
      emit({ type: `${kind}-end`, part: id, ...(!isWhole && { cut: true }) });
      steps.end();
    }
  };

  const tool: ProgramRun["tool"] = async (name, input, work, { title, approval = false } = {}) => {
    signal.throwIfAborted();
    const call = shared.newId("call");
    const stop = AbortSignal.any([signal, context.signalOf("call", call)]);
    steps.call();
    emit({ type: "tool-start", call, name, ...(title !== undefined && { title }) });
    emit({ type: "tool-input-end", call, input });
    await steps.ended();
    if (approval) await allowed(call, title ?? name, input);
    emit({ type: "tool-execute", call });
    const began = performance.now();
    try {
      // A process that has lost the run cannot store this and must not run the tool.
      await events.taken();
      await context.stored();
      stop.throwIfAborted();
      const result = await work({
        call,
        signal: stop,
        output: (delta, stream = "stdout") => emit({ type: "tool-output-delta", call, stream, delta }),
        progress: (progress) => emit({ type: "tool-progress", call, ...progress }),
      });
      const content = contentOf(result);
      emit({ type: "tool-end", call, outcome: "ok", content, ms: performance.now() - began });
      return result;
    } catch (error) {
      const outcome = stop.aborted ? "cancelled" : "error";
      const problem = { code: stop.aborted ? "cancelled" : "tool-failed", message: messageOf(error) };
      emit({ type: "tool-end", call, outcome, error: problem, ms: performance.now() - began });
      throw error;
    }
  };

  const allowed = async (call: string, name: string, value: Json): Promise<void> => {
    const { outcome, answer } = await asked("approval", { title: name, call, value });
    if (outcome === "answered" && answer?.allow) return;
    const message = answer?.reason ?? `The call to ${name} was not allowed.`;
    emit({ type: "tool-end", call, outcome: "denied", error: { code: "denied", message } });
    throw new Refusal("denied", message);
  };

  const asked = async (
    kind: AskKind,
    question: Omit<Extract<Event, { type: "ask-start" }>, "type" | "ask" | "kind">,
  ) => {
    const ask = shared.newId("ask");
    emit({ type: "ask-start", ask, kind, ...question });
    await events.taken();
    return await context.answerTo(ask);
  };

  const ask: ProgramRun["ask"] = async ({ options, ...question }) => {
    const kind = options ? "choice" : question.schema === undefined ? "confirmation" : "input";
    const { answer } = await asked(kind, { ...question, ...(options && { options: [...options] }) });
    return answer;
  };

  const child: ProgramRun["agent"] = async (name, task, work) => {
    signal.throwIfAborted();
    const id = fresh("agent");
    const stop = AbortSignal.any([signal, context.signalOf("agent", id)]);
    emit({ type: "agent-start", agent: id, name, task, ...(agent !== undefined && { parent: agent }) });
    const { run, end } = createAgent(shared, stop, id);
    try {
      const returned = work(run);
      const result = isEvents(returned) ? await adopt(returned, id, stop) : await returned;
      await end();
      emit({ type: "agent-end", agent: id, outcome: "done" });
      return result;
    } catch (error) {
      await end();
      const problem = { code: stop.aborted ? "cancelled" : "agent-failed", message: messageOf(error) };
      emit({ type: "agent-end", agent: id, outcome: stop.aborted ? "cancelled" : "error", error: problem });
      throw error;
    }
  };

  const adopt = async (given: AsyncIterable<Event>, id: string, stop: AbortSignal): Promise<undefined> => {
    for await (const event of given) {
      stop.throwIfAborted();
      if (event.type === "run-start") continue;
      if (event.type === "run-end") {
        if (event.outcome === "done") return;
        throw new Refusal(
          event.error?.code ?? event.outcome,
          event.error?.message ?? `The agent was ${event.outcome}.`,
        );
      }
      if (event.type === "agent-start") events.push({ ...event, parent: event.parent ?? id });
      else events.push({ ...event, agent: event.agent ?? id });
      await events.room();
    }
  };

  const run: ProgramRun = {
    signal,
    text: (text) => track(part("text", text)),
    thinking: (text) => track(part("thinking", text)),
    tool: (...call) => track(tool(...call)),
    agent: (...work) => track(child(...work)),
    ask: (question) => track(ask(question)),
    status: (text) => emit({ type: "status", text }),
    notify: (text, level = "info") => emit({ type: "notice", level, text }),
  };
  return {
    run,
    /** Waits for everything that the program has started, and ends its last step. */
    async end(): Promise<void> {
      while (busy.size > 0) await Promise.allSettled(busy);
      steps.close();
    },
  };
};

const isEvents = (value: unknown): value is AsyncIterable<Event> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value;

const contentOf = (result: unknown): Content[] => {
  if (result === undefined) return [];
  if (typeof result === "string") return [{ type: "text", text: result }];
  const text = JSON.stringify(result);
  if (text === undefined) throw new TypeError(`The tool returned a ${typeof result}, which is not JSON.`);
  return [{ type: "json", value: JSON.parse(text) as Json }];
};
