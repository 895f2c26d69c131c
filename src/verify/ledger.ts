import type { Event, EventOf } from "../events.ts";

export interface OpenAgent {
  readonly id: string | undefined;
  readonly parent: OpenAgent | undefined;
  readonly call: string | undefined;
  open: boolean;
  step: string | undefined;
  /** Whether the open step has produced text or a call, after which it cannot be retried. */
  stepShown: boolean;
  parts: ReadonlySet<OpenPart>;
  calls: ReadonlySet<OpenCall>;
  asks: ReadonlySet<OpenAsk>;
  children: ReadonlySet<OpenAgent>;
}

export interface OpenPart {
  readonly id: string;
  readonly kind: "text" | "thinking";
  readonly agent: OpenAgent;
  readonly call: OpenCall | undefined;
  open: boolean;
}

export interface OpenCall {
  readonly id: string;
  readonly name: string;
  readonly agent: OpenAgent;
  /** For a call that repeats another, the step of that call. */
  readonly step: string;
  readonly provider: boolean;
  readonly repeats: OpenCall | undefined;
  /** Whether another call repeats this one. */
  repeated: boolean;
  phase: "input" | "ready" | "executing" | "ended";
  deltas: boolean;
  /** Undefined until the user has decided. */
  allowed: boolean | undefined;
  outcome: EventOf<"tool-end">["outcome"] | undefined;
  parts: ReadonlySet<OpenPart>;
  asks: ReadonlySet<OpenAsk>;
}

export interface OpenAsk {
  readonly id: string;
  readonly kind: EventOf<"ask-start">["kind"];
  readonly agent: OpenAgent;
  readonly call: OpenCall | undefined;
  /** For an approval: whether each offered option allows the call. */
  readonly options: ReadonlyMap<string, boolean> | undefined;
  open: boolean;
}

export const newAgent = (
  id: string | undefined,
  parent: OpenAgent | undefined,
  call: string | undefined,
): OpenAgent => ({
  id,
  parent,
  call,
  open: true,
  step: undefined,
  stepShown: false,
  parts: NONE,
  calls: NONE,
  asks: NONE,
  children: NONE,
});

/** Shared empty collections save memory, because a process has thousands of runs. */
export const NONE: ReadonlySet<never> = new Set<never>();
const NOTHING: ReadonlyMap<string, never> = new Map<string, never>();

export const including = <Item>(items: ReadonlySet<Item>, item: Item): ReadonlySet<Item> =>
  items === NONE ? new Set([item]) : (items as Set<Item>).add(item);
export const excluding = <Item>(items: ReadonlySet<Item>, item: Item): void => void (items as Set<Item>).delete(item);

/** Everything a run has started, and lookups for the part, call, or agent that an event references. */
export class Ledger {
  readonly root: OpenAgent = newAgent(undefined, undefined, undefined);
  agents: ReadonlyMap<string, OpenAgent> = NOTHING;
  calls: ReadonlyMap<string, OpenCall> = NOTHING;
  asks: ReadonlyMap<string, OpenAsk> = NOTHING;
  parts: ReadonlyMap<string, OpenPart> = NOTHING;
  #steps: ReadonlySet<string> = NONE;
  /** A cache: most events reference the same part as the event before. */
  #lastPart: OpenPart | undefined;

  has(id: string): boolean {
    return this.parts.has(id) || this.calls.has(id) || this.#steps.has(id) || this.asks.has(id) || this.agents.has(id);
  }

  fresh(id: string, kind: string): string | undefined {
    return this.has(id) ? `${kind} ${id} starts, but that id was used before in this run` : undefined;
  }

  /** Finds the agent an event belongs to. It must be open. */
  owner(event: Event): OpenAgent | string {
    if (event.agent === undefined) return this.root;
    const agent = this.agents.get(event.agent);
    if (!agent) return `${event.type} belongs to agent ${event.agent}, which never started`;
    return agent.open ? agent : `${event.type} belongs to agent ${event.agent}, which has ended`;
  }

  openPart(event: EventOf<"text-delta" | "text-end" | "thinking-delta" | "thinking-end">): OpenPart | string {
    const part = this.#lastPart?.id === event.part ? this.#lastPart : this.parts.get(event.part);
    if (!part) return `${event.type} for part ${event.part}, which never started`;
    this.#lastPart = part;
    if (!part.open) return `${event.type} for part ${event.part}, which has ended`;
    const kind = event.type === "text-delta" || event.type === "text-end" ? "text" : "thinking";
    if (part.kind !== kind) return `${event.type} for part ${event.part}, which is ${part.kind}`;
    return part.agent.id === event.agent ? part : this.wrongAgent(event, `part ${event.part}`, part.agent);
  }

  openCall(event: Event & { call: string }): OpenCall | string {
    const call = this.calls.get(event.call);
    if (!call) return `${event.type} for call ${event.call}, which never started`;
    if (call.phase === "ended") return `${event.type} for call ${event.call}, which has ended`;
    return call.agent.id === event.agent ? call : this.wrongAgent(event, `call ${event.call}`, call.agent);
  }

  wrongAgent(event: Event, what: string, agent: OpenAgent): string {
    return `${event.type} says ${event.agent ? `agent ${event.agent}` : "no agent"}, but ${what} belongs to ${agent.id ? `agent ${agent.id}` : "the root"}`;
  }

  startAgent(agent: OpenAgent, id: string, parent: OpenAgent): void {
    this.agents = withItem(this.agents, id, agent);
    parent.children = including(parent.children, agent);
  }

  startStep(agent: OpenAgent, step: string): void {
    this.#steps = including(this.#steps, step);
    agent.step = step;
    agent.stepShown = false;
  }

  startCall(call: OpenCall): void {
    this.calls = withItem(this.calls, call.id, call);
    call.agent.calls = including(call.agent.calls, call);
    if (call.step === call.agent.step) call.agent.stepShown = true;
  }

  startPart(part: OpenPart): void {
    this.parts = withItem(this.parts, part.id, part);
    const inside = part.call ?? part.agent;
    inside.parts = including(inside.parts, part);
    if (!part.call && part.kind === "text") part.agent.stepShown = true;
  }

  endPart(part: OpenPart): void {
    part.open = false;
    excluding((part.call ?? part.agent).parts, part);
  }

  openInside(agent: OpenAgent): string | undefined {
    for (const child of agent.children) return `agent ${child.id}`;
    for (const part of agent.parts) return `part ${part.id}`;
    for (const ask of agent.asks) return `ask ${ask.id}`;
    for (const call of agent.calls) return `call ${call.id}`;
    return agent.step === undefined ? undefined : `step ${agent.step}`;
  }

  startAsk(ask: OpenAsk): void {
    this.asks = withItem(this.asks, ask.id, ask);
    const inside = ask.call ?? ask.agent;
    inside.asks = including(inside.asks, ask);
  }
}

const withItem = <Item>(items: ReadonlyMap<string, Item>, id: string, item: Item): ReadonlyMap<string, Item> =>
  items === NOTHING ? new Map([[id, item]]) : (items as Map<string, Item>).set(id, item);
