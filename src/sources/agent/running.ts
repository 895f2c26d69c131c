import type { CallSlots } from "./call-slots.ts";
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

/** The state shared by all agents of one run. */
export interface Running {
  readonly request: RunRequest;
  readonly context: RunContext;
  readonly queue: EventQueue;
  /** Aborts with the run, and when a tool cancels it. */
  readonly signal: AbortSignal;
  readonly cancel: (reason: string) => void;
  /** The asks that allowed a tool for the rest of the run. Some may be revoked. */
  readonly allowed: Map<Tool, Set<string>>;
  readonly subagents: Subagents;
  /** Removes secrets from text that will be shown. */
  readonly redact: Redact;
  /** Model warnings that were already shown. */
  readonly warned: Set<string>;
  /** A new id, unique in this run: `fresh("part")` returns part-1, part-2, … */
  fresh(kind: string): string;
  /** An id for a call or an ask that is unique across runs. */
  newId(kind: "call" | "ask"): string;
  /** Returns the id of a call in the prompt: the model's own id, unless the model has already used it for another call. */
  promptId(id: string, call: string): string;
}

export interface Subagents {
  /** Starts one of the agents in the worker's definition (by default the first) and waits for its end. */
  start(
    worker: Worker,
    invocation: { readonly agent?: string; readonly task: string },
    call: string,
    signal: AbortSignal,
  ): Promise<SubagentResult>;
  /** Continues a sub-agent that was cut, or returns its result if it had ended. */
  resume(worker: Worker, past: PastAgent, signal: AbortSignal): Promise<SubagentResult>;
}

/** A running agent: the root (without `agent`) or a sub-agent. */
export interface Worker {
  readonly run: Running;
  readonly definition: Definition;
  readonly agent: string | undefined;
  readonly model: LanguageModelV4;
  readonly signal: AbortSignal;
  /** Calls that the provider runs and has not answered yet. The result may come in a later step. */
  readonly provided: Map<string, ProvidedCall>;
  readonly callSlots: CallSlots;
  /** The tools available in this step. */
  readonly tools: ReadonlyMap<string, DefinedTool>;
  /** The names of the tools that the client runs. */
  readonly clientRun: ReadonlySet<string>;
  /** The conversation in the model's format, so nothing a provider wants back is lost. */
  readonly prompt: LanguageModelV4Prompt;
  /** Adds a step's usage. */
  used(usage: Usage | undefined): void;
  /** Takes ownership of the event. */
  emit(event: Event): void;
}

export interface ProvidedCall {
  readonly call: string;
  readonly name: string;
  /** The provider's id for the call, and the id used in the prompt. */
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
    allowed: new Map(),
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
