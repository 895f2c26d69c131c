import type { LanguageModelV4, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { Event } from "../../events.ts";
import type { RunContext, RunRequest } from "../../source.ts";
import type { SubagentResult, Tool } from "../../tool.ts";
import type { Definition } from "./definition.ts";
import type { Queue } from "./queue.ts";

/** What all agents of one run share. */
export interface Running {
  readonly request: RunRequest;
  readonly context: RunContext;
  readonly queue: Queue;
  /** Aborts with the run, and when a tool cancels it. */
  readonly signal: AbortSignal;
  readonly cancel: (reason: string) => void;
  /** Tools that a person has allowed for the rest of the run. */
  readonly allowed: Set<Tool>;
  readonly startAgent: StartAgent;
  /** An id nobody in this run has: `fresh("part")` is part-1, part-2, … */
  fresh(kind: string): string;
  /** The given id, or one like it if the run has it already: models repeat themselves. */
  unique(id: string): string;
}

/** Starts one of the agents that the worker's definition names (the first, if none is asked for) and waits for its end. */
export type StartAgent = (
  worker: Worker,
  invocation: { readonly agent?: string; readonly task: string },
  call: string,
  signal: AbortSignal,
) => Promise<SubagentResult>;

/** One agent at work: the root (without `agent`) or a sub-agent. */
export interface Worker {
  readonly run: Running;
  readonly definition: Definition;
  readonly agent: string | undefined;
  readonly model: LanguageModelV4;
  readonly signal: AbortSignal;
  /** The conversation, in the model's own form so that nothing a provider wants back is lost. */
  readonly prompt: LanguageModelV4Prompt;
  /** Takes over the event it is given. */
  emit(event: Event): void;
}

export const running = (
  request: RunRequest,
  context: RunContext,
  queue: Queue,
  stop: AbortController,
  startAgent: StartAgent,
): Running => {
  const counts = new Map<string, number>();
  const known = new Set(
    request.messages.flatMap(({ content }) => content.map((part) => (part.type === "call" ? part.call : ""))),
  );
  const fresh = (kind: string): string => {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return `${kind}-${count}`;
  };
  const unique = (id: string): string => {
    const wanted = id || "call";
    let name = wanted;
    while (known.has(name)) name = fresh(wanted);
    known.add(name);
    return name;
  };
  return {
    request,
    context,
    queue,
    signal: AbortSignal.any([context.signal, stop.signal]),
    cancel: (reason) => stop.abort({ code: "cancelled", message: reason }),
    allowed: new Set(),
    startAgent,
    fresh,
    unique,
  };
};

export const emitter = (queue: Queue, agent: string | undefined): Worker["emit"] =>
  agent === undefined
    ? queue.push
    : (event) => {
        event.agent = agent;
        queue.push(event);
      };
