import type { Event, EventOf } from "../events.ts";

export interface OpenAgent {
  readonly id: string | undefined;
  readonly parent: OpenAgent | undefined;
  readonly call: string | undefined;
  open: boolean;
  step: string | undefined;
  /** Whether the open step has shown text or a tool: then it can no longer be tried again. */
  stepShown: boolean;
  readonly parts: Set<OpenPart>;
  readonly calls: Set<OpenCall>;
  readonly asks: Set<OpenAsk>;
  readonly children: Set<OpenAgent>;
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
  readonly agent: OpenAgent;
  readonly step: string;
  readonly provider: boolean;
  phase: "input" | "ready" | "executing" | "ended";
  deltas: boolean;
  /** Undefined until a person has decided. */
  allowed: boolean | undefined;
  outcome: EventOf<"tool-end">["outcome"] | undefined;
  readonly parts: Set<OpenPart>;
  readonly asks: Set<OpenAsk>;
}

export interface OpenAsk {
  readonly id: string;
  readonly kind: EventOf<"ask-start">["kind"];
  readonly agent: OpenAgent;
  readonly call: OpenCall | undefined;
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
  parts: new Set(),
  calls: new Set(),
  asks: new Set(),
  children: new Set(),
});

/** Everything a run has started, and how to find the part, call or agent that an event speaks of. */
export const createLedger = () => {
  const root = newAgent(undefined, undefined, undefined);
  const agents = new Map<string, OpenAgent>();
  const calls = new Map<string, OpenCall>();
  const asks = new Map<string, OpenAsk>();
  const parts = new Map<string, OpenPart>();
  const steps = new Set<string>();

  const has = (id: string) => parts.has(id) || calls.has(id) || steps.has(id) || asks.has(id) || agents.has(id);
  const fresh = (id: string, kind: string) =>
    has(id) ? `${kind} ${id} starts, but that id was used before in this run` : undefined;

  /** Finds the agent an event belongs to, which must be open. */
  const owner = (event: Event): OpenAgent | string => {
    if (event.agent === undefined) return root;
    const agent = agents.get(event.agent);
    if (!agent) return `${event.type} belongs to agent ${event.agent}, which never started`;
    return agent.open ? agent : `${event.type} belongs to agent ${event.agent}, which has ended`;
  };

  const openPart = (
    event: EventOf<"text-delta" | "text-end" | "thinking-delta" | "thinking-end">,
  ): OpenPart | string => {
    const part = parts.get(event.part);
    if (!part) return `${event.type} for part ${event.part}, which never started`;
    if (!part.open) return `${event.type} for part ${event.part}, which has ended`;
    if (!event.type.startsWith(part.kind)) return `${event.type} for part ${event.part}, which is ${part.kind}`;
    return part.agent.id === event.agent ? part : wrongAgent(event, `part ${event.part}`, part.agent);
  };

  const openCall = (event: Event & { call: string }): OpenCall | string => {
    const call = calls.get(event.call);
    if (!call) return `${event.type} for call ${event.call}, which never started`;
    if (call.phase === "ended") return `${event.type} for call ${event.call}, which has ended`;
    return call.agent.id === event.agent ? call : wrongAgent(event, `call ${event.call}`, call.agent);
  };

  const wrongAgent = (event: Event, what: string, agent: OpenAgent) =>
    `${event.type} says ${event.agent ? `agent ${event.agent}` : "no agent"}, but ${what} belongs to ${agent.id ? `agent ${agent.id}` : "the root"}`;

  const startPart = (event: EventOf<"text-start" | "thinking-start">): string | undefined => {
    const agent = owner(event);
    if (typeof agent === "string") return agent;
    const wrong = fresh(event.part, "part");
    if (wrong) return wrong;
    let call: OpenCall | undefined;
    if (event.type === "text-start") {
      if (event.replaces !== undefined && !parts.has(event.replaces))
        return `part ${event.part} replaces ${event.replaces}, which never started`;
      if (event.call !== undefined) {
        const found = openCall(event as typeof event & { call: string });
        if (typeof found === "string") return found;
        if (found.phase !== "executing") return `part ${event.part} is call ${event.call}'s, which is not executing`;
        call = found;
      }
    }
    if (!call && agent.step === undefined) return `part ${event.part} starts outside a step`;
    const kind = event.type === "text-start" ? "text" : "thinking";
    const part: OpenPart = { id: event.part, kind, agent, call, open: true };
    parts.set(event.part, part);
    if (call) call.parts.add(part);
    else agent.parts.add(part);
    if (!call && kind === "text") agent.stepShown = true;
    return undefined;
  };

  const endPart = (part: OpenPart) => {
    part.open = false;
    (part.call ?? part.agent).parts.delete(part);
  };

  const openInside = (agent: OpenAgent): string | undefined => {
    for (const child of agent.children) return `agent ${child.id}`;
    for (const part of agent.parts) return `part ${part.id}`;
    for (const ask of agent.asks) return `ask ${ask.id}`;
    for (const call of agent.calls) return `call ${call.id}`;
    return agent.step === undefined ? undefined : `step ${agent.step}`;
  };

  const startAsk = (event: EventOf<"ask-start">): string | undefined => {
    const agent = owner(event);
    if (typeof agent === "string") return agent;
    const wrong = fresh(event.ask, "ask");
    if (wrong) return wrong;
    let call: OpenCall | undefined;
    if (event.call !== undefined) {
      const found = openCall(event as typeof event & { call: string });
      if (typeof found === "string") return found;
      call = found;
      if (event.kind === "approval" && call.phase === "executing")
        return `ask ${event.ask} approves call ${call.id}, which is already executing`;
      if (event.kind !== "approval" && call.phase !== "executing")
        return `ask ${event.ask} is call ${call.id}'s own, but that call is not executing`;
    } else if (event.kind === "approval") return `ask ${event.ask} is an approval, but names no call`;
    const ask: OpenAsk = { id: event.ask, kind: event.kind, agent, call, open: true };
    asks.set(event.ask, ask);
    (call ?? agent).asks.add(ask);
    return undefined;
  };

  return {
    root,
    agents,
    calls,
    asks,
    parts,
    steps,
    has,
    fresh,
    owner,
    openPart,
    openCall,
    wrongAgent,
    startPart,
    startAsk,
    endPart,
    openInside,
  };
};
