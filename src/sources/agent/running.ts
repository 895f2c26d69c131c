import type { Turns } from "./turns.ts";
import type { LanguageModelV4, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { EventQueue } from "../../event-queue.ts";
import type { Event, Usage } from "../../events.ts";
import { createIds } from "../../ids.ts";
import type { RunContext, RunRequest } from "../../source.ts";
import type { SubagentResult, Tool } from "../../tool.ts";
import type { DefinedTool, Definition } from "./definition.ts";
import type { PastAgent, PastRun } from "./past.ts";
import { createPromptIds } from "./prompt-ids.ts";
import { type Redact, redactor } from "./redact.ts";

/** What all agents of one run share. */
export interface Running {
  readonly request: RunRequest;
  readonly context: RunContext;
  readonly queue: EventQueue;
  /** Aborts with the run, and when a tool cancels it. */
  readonly signal: AbortSignal;
  readonly cancel: (reason: string) => void;
  /** Tools that a person has allowed for the rest of the run. */
  readonly allowed: Set<Tool>;
  readonly subagents: Subagents;
  /** Takes secrets out of a text that will be seen. */
  readonly redact: Redact;
  /** What models have warned of so far: once is enough. */
  readonly warned: Set<string>;
  /** An id nobody in this run has: `fresh("part")` is part-1, part-2, … */
  fresh(kind: string): string;
  /** An id for a call or an ask that no other run has either. */
  newId(kind: "call" | "ask"): string;
  /** What to call a call towards the model: what it calls it itself, unless it has called another one so. */
  promptId(id: string, call: string): string;
}

export interface Subagents {
  /** Starts one of the agents that the worker's definition names (the first, if none is asked for) and waits for its end. */
  start(
    worker: Worker,
    invocation: { readonly agent?: string; readonly task: string },
    call: string,
    signal: AbortSignal,
  ): Promise<SubagentResult>;
  /** Goes on with one that was cut, or answers what came of it. */
  resume(worker: Worker, past: PastAgent, signal: AbortSignal): Promise<SubagentResult>;
}

/** One agent at work: the root (without `agent`) or a sub-agent. */
export interface Worker {
  readonly run: Running;
  readonly definition: Definition;
  readonly agent: string | undefined;
  readonly model: LanguageModelV4;
  readonly signal: AbortSignal;
  /** Calls that the provider runs and has not answered yet: it may do so in a later step. */
  readonly provided: Map<string, ProvidedCall>;
  readonly turns: Turns;
  /** The tools there are in this step. */
  readonly tools: ReadonlyMap<string, DefinedTool>;
  /** The names of those that the client runs. */
  readonly clientRun: ReadonlySet<string>;
  /** The conversation, in the model's own form so that nothing a provider wants back is lost. */
  readonly prompt: LanguageModelV4Prompt;
  /** Counts what a step has used. */
  used(usage: Usage | undefined): void;
  /** Takes over the event it is given. */
  emit(event: Event): void;
}

export interface ProvidedCall {
  readonly call: string;
  readonly name: string;
  /** What the provider calls it, and what we call it towards the provider. */
  readonly id: string;
  readonly promptId: string;
}

export const running = (
  request: RunRequest,
  context: RunContext,
  queue: EventQueue,
  stop: AbortController,
  subagents: Subagents,
  keys: readonly string[],
  past?: Pick<PastRun, "ids" | "seq" | "promptId">,
): Running => {
  const counts = new Map<string, number>();
  const fresh = (kind: string): string => {
    let count = counts.get(kind) ?? 0;
    do count += 1;
    while (past?.ids.has(`${kind}-${count}`));
    counts.set(kind, count);
    return `${kind}-${count}`;
  };
  return {
    request,
    context,
    queue,
    signal: AbortSignal.any([context.signal, stop.signal]),
    cancel: (reason) => stop.abort({ code: "cancelled", message: reason }),
    allowed: new Set(),
    subagents,
    redact: redactor([...Object.values(request.secrets ?? {}), ...keys]),
    warned: new Set(),
    fresh,
    newId: createIds(context.run, past?.seq),
    promptId: past?.promptId ?? createPromptIds(request.messages),
  };
};

export const emitter = (queue: EventQueue, agent: string | undefined): Worker["emit"] =>
  agent === undefined
    ? queue.push
    : (event) => {
        event.agent = agent;
        queue.push(event);
      };
