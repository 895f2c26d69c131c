import type { CallOutcome, Content, Event, Finish, Json, Problem, Usage } from "../../events.ts";
import { createIds, withProviderId } from "../../ids.ts";
import { Refusal } from "../../source.ts";

/** Creates ids. Those of calls and asks are unique across runs. */
export type NewId = (kind: "step" | "part" | "call" | "ask" | "agent") => string;

/** `part` is the seq from which a run is continued. */
export const idsOf = (run: string, part = 0): NewId => {
  const unique = createIds(run, part);
  const counts = { step: 0, part: 0, agent: 0 };
  return (kind) => (kind === "call" || kind === "ask" ? unique(kind) : `${kind}-${++counts[kind]}`);
};

/** A call that has not ended. `key` is the framework's id for it. */
export interface OpenCall {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly writer: AgentWriter;
  input: Json | undefined;
  isExecuting: boolean;
  /** The open ask that the call waits for. */
  ask?: string | undefined;
}

export interface CallResult {
  readonly content?: Content[];
  readonly value?: Json;
  readonly error?: Problem;
  /** The duration measured by the framework. */
  readonly ms?: number | undefined;
}

interface OpenPart {
  readonly id: string;
  readonly kind: "text" | "thinking";
  readonly call: string | undefined;
}

const MAX_OPEN_CALLS = 500;

/**
 * The steps, parts and calls of one agent (the root or a sub-agent), in the order that the grammar requires. A step
 * stays open after the model's response until its calls are known. `settle` ends it, and then its calls execute.
 */
export class AgentWriter {
  readonly agent: string | undefined;
  readonly calls = new Map<string, OpenCall>();
  readonly #newId: NewId;
  #step: { readonly id: string; hasCalls: boolean; usage: Usage | undefined } | undefined;
  #part: OpenPart | undefined;
  /** Calls that execute when the step has ended. */
  #ready: OpenCall[] = [];

  constructor(agent: string | undefined, newId: NewId) {
    this.agent = agent;
    this.#newId = newId;
  }

  get isInStep(): boolean {
    return this.#step !== undefined;
  }

  /** Whether calls wait for the end of the step to execute. */
  get isHolding(): boolean {
    return this.#ready.length > 0;
  }

  startStep(model?: string): Event[] {
    const events = this.settle();
    this.#step = { id: this.#newId("step"), hasCalls: false, usage: undefined };
    return [...events, this.own({ type: "step-start", step: this.#step.id, ...(model !== undefined && { model }) })];
  }

  /** Adds text or thinking of the agent, or text of an executing call. */
  say(kind: OpenPart["kind"], delta: string, call?: OpenCall): Event[] {
    if (delta === "") return [];
    const events: Event[] = [];
    if (this.#part && (this.#part.kind !== kind || this.#part.call !== call?.id)) events.push(...this.endPart());
    if (!this.#part) {
      if (!call && !this.#step) events.push(...this.startStep());
      this.#part = { id: this.#newId("part"), kind, call: call?.id };
      const of = call && kind === "text" ? { call: call.id } : {};
      events.push(this.own({ type: `${kind}-start`, part: this.#part.id, ...of }));
    }
    events.push(this.own({ type: `${kind}-delta`, part: this.#part.id, delta }));
    return events;
  }

  endPart(cut = false): Event[] {
    if (!this.#part) return [];
    const { id, kind } = this.#part;
    this.#part = undefined;
    return [this.own({ type: `${kind}-end`, part: id, ...(cut && { cut }) })];
  }

  /** The model's response is complete, with this usage. */
  answered(usage: Usage | undefined): Event[] {
    if (this.#step) this.#step.usage = usage;
    return this.endPart();
  }

  /** Starts a call that the model requested. A call that arrives after its step has ended gets its own step. */
  startCall(key: string, name: string, title?: string): { readonly call: OpenCall; readonly events: Event[] } {
    if (this.calls.size >= MAX_OPEN_CALLS)
      throw new Refusal("upstream-invalid", `The server has more than ${MAX_OPEN_CALLS} tool calls open.`, {
        status: 502,
      });
    const events = [...this.endPart(), ...(this.#step ? [] : this.startStep())];
    this.#step!.hasCalls = true;
    const call: OpenCall = {
      id: this.#newId("call"),
      key,
      name,
      writer: this,
      input: undefined,
      isExecuting: false,
    };
    this.calls.set(key, call);
    const start = { type: "tool-start", call: call.id, name, ...(title !== undefined && { title }) } as const;
    events.push(this.own({ ...start, ...withProviderId(key.slice(0, 500), undefined) }));
    return { call, events };
  }

  /** Restores a call that is open in the log. */
  adopt(id: string, key: string, name: string): void {
    this.calls.set(key, { id, key, name, writer: this, input: undefined, isExecuting: false });
  }

  /** Sets the complete arguments. */
  giveInput(call: OpenCall, input: Json | undefined): Event[] {
    call.input = input;
    return [this.own({ type: "tool-input-end", call: call.id, ...(input !== undefined && { input }) })];
  }

  /** Lets a call execute when its step has ended. */
  ready(call: OpenCall): void {
    this.#ready.push(call);
  }

  /** Ends the open step, if any, and executes the calls that wait for that. */
  settle(finish?: Finish): Event[] {
    const events = this.#endStep(finish);
    const ready = this.#ready;
    this.#ready = [];
    return [...events, ...ready.flatMap((call) => this.execute(call))];
  }

  execute(call: OpenCall, edited?: Json): Event[] {
    // A call that waits for an answer does not execute, no matter what its server reports.
    if (call.isExecuting || call.ask !== undefined || !this.calls.has(call.key)) return [];
    call.isExecuting = true;
    const events = this.#endStep();
    return [
      ...events,
      this.own({ type: "tool-execute", call: call.id, ...(edited !== undefined && { input: edited }) }),
    ];
  }

  endCall(call: OpenCall, outcome: CallOutcome, { content, value, error, ms }: CallResult = {}): Event[] {
    if (!this.calls.delete(call.key)) return [];
    const events = this.#part?.call === call.id ? this.endPart() : [];
    this.#ready = this.#ready.filter((one) => one !== call);
    if (call.ask !== undefined) events.push(this.own({ type: "ask-end", ask: call.ask, outcome: "cancelled" }));
    call.ask = undefined;
    const end = { type: "tool-end", call: call.id, outcome } as const;
    events.push(
      this.own({
        ...end,
        ...(content && { content }),
        ...(value !== undefined && { value }),
        ...(error && { error }),
        ...(ms !== undefined && { ms }),
      }),
    );
    return events;
  }

  /** Ends everything that is open. */
  close(outcome: "cancelled" | "error" | "interrupted"): Event[] {
    return [
      ...this.endPart(true),
      ...[...this.calls.values()].flatMap((call) => this.endCall(call, outcome === "error" ? "interrupted" : outcome)),
      ...this.#endStep(outcome),
    ];
  }

  own(event: Event): Event {
    return this.agent === undefined ? event : { ...event, agent: this.agent };
  }

  #endStep(finish?: Finish): Event[] {
    if (!this.#step) return [];
    const { id, hasCalls, usage } = this.#step;
    const events = this.endPart();
    this.#step = undefined;
    return [
      ...events,
      this.own({
        type: "step-end",
        step: id,
        finish: finish ?? (hasCalls ? "tools" : "stop"),
        ...(usage && { usage }),
      }),
    ];
  }
}
