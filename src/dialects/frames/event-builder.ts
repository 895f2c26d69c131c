import type { Content, Event, EventOf, Json } from "../../events.ts";

/**
 * Produces grammatical events for families that have no steps or parts, only text, calls and sub-agents, in any order
 * and sometimes incomplete.
 *
 * - Text opens a step and a part if none is open. A call ends both, because it executes after its step. The end of a
 *   call or of a sub-agent ends both too, because the model's next output belongs to another step.
 * - Emits a missing start before its first event. Drops events for items that have ended and duplicate starts of open items.
 * - Memory for open and recently ended items is bounded, regardless of the stream's length and content.
 */
export interface EventBuilder {
  /** Creates an id for an item that the family left without one. */
  id(kind: string): string;
  delta(kind: "text" | "thinking", delta: string, agent?: string): Event[];
  startCall(call: BuiltCall, agent?: string): Event[];
  endCall(call: BuiltCall, end: BuiltEnd, agent?: string): Event[];
  startAgent(agent: { readonly agent: string; readonly name: string; readonly parent?: string }): Event[];
  endAgent(agent: string, end?: Pick<EventOf<"agent-end">, "outcome" | "error">): Event[];
  isOpen(agent: string): boolean;
  /** The family reported the end. Ends everything that is open, calls and sub-agents as interrupted. */
  end(): Event[];
}

export interface BuiltCall {
  readonly call: string;
  readonly name: string;
  readonly input?: Json;
}

export interface BuiltEnd {
  readonly outcome: "ok" | "error";
  readonly content?: Content[];
  readonly error?: EventOf<"tool-end">["error"];
}

const MAX_OPEN = 4096;
const MAX_ENDED = 256;
/** Limits the recursion of everything that closes a tree of agents. */
const DEEPEST = 64;

interface Scope {
  readonly of: { readonly agent?: string };
  readonly parent: Scope | undefined;
  readonly depth: number;
  readonly children: Set<string>;
  readonly calls: Set<string>;
  step: string | undefined;
  part: { readonly id: string; readonly kind: "text" | "thinking" } | undefined;
}

export const createEventBuilder = (): EventBuilder => {
  const root = newScope(undefined, undefined);
  const agents = new Map<string, Scope>();
  const calls = new Map<string, Scope>();
  const ended = new Set<string>();
  let ids = 0;

  const id = (kind: string): string => `${kind}-${++ids}`;
  const scopeOf = (agent: string | undefined): Scope => (agent === undefined ? root : (agents.get(agent) ?? root));

  const endPart = (scope: Scope): Event[] => {
    const { part, of } = scope;
    scope.part = undefined;
    return part ? [{ type: `${part.kind}-end`, ...of, part: part.id }] : [];
  };

  const startStep = (scope: Scope): Event[] => {
    if (scope.step !== undefined) return [];
    scope.step = id("step");
    return [{ type: "step-start", ...scope.of, step: scope.step }];
  };

  const endStep = (scope: Scope, finish: "stop" | "tools"): Event[] => {
    const { step, of } = scope;
    const events = endPart(scope);
    scope.step = undefined;
    return step === undefined ? events : [...events, { type: "step-end", ...of, step, finish }];
  };

  const ask = ({ call, name, input }: BuiltCall, scope: Scope): Event[] => [
    ...endPart(scope),
    ...startStep(scope),
    { type: "tool-start", ...scope.of, call, name },
    { type: "tool-input-end", ...scope.of, call, ...(input !== undefined && { input }) },
    ...endStep(scope, "tools"),
  ];

  const startCall: EventBuilder["startCall"] = (call, agent) => {
    if (calls.has(call.call)) return [];
    const scope = scopeOf(agent);
    ended.delete(call.call);
    calls.set(call.call, scope);
    scope.calls.add(call.call);
    const forgotten = calls.size > MAX_OPEN ? calls.keys().next().value : undefined;
    return [
      ...(forgotten === undefined ? [] : interruptCall(forgotten)),
      ...ask(call, scope),
      { type: "tool-execute", ...scope.of, call: call.call },
    ];
  };

  const forgetCall = (call: string): void => {
    calls.get(call)?.calls.delete(call);
    calls.delete(call);
    ended.add(call);
    if (ended.size > MAX_ENDED) for (const first of ended) return void ended.delete(first);
  };

  const interruptCall = (call: string): Event[] => {
    const scope = calls.get(call);
    forgetCall(call);
    return scope ? [{ type: "tool-end", ...scope.of, call, outcome: "interrupted" }] : [];
  };

  const endCall: EventBuilder["endCall"] = (call, end, agent) => {
    if (ended.has(call.call)) return [];
    const isKnown = calls.has(call.call);
    // A call without a start: success proves that it was executed, failure does not.
    const before = isKnown ? [] : end.outcome === "ok" ? startCall(call, agent) : ask(call, scopeOf(agent));
    const scope = calls.get(call.call) ?? scopeOf(agent);
    forgetCall(call.call);
    return [...before, ...endStep(scope, "stop"), { type: "tool-end", ...scope.of, call: call.call, ...end }];
  };

  const endAgent: EventBuilder["endAgent"] = (agent, end = { outcome: "done" }) => {
    const scope = agents.get(agent);
    if (!scope) return [];
    const events = endInside(scope);
    agents.delete(agent);
    scope.parent?.children.delete(agent);
    return [...events, { type: "agent-end", agent, ...end }, ...(scope.parent ? endStep(scope.parent, "stop") : [])];
  };

  const endInside = (scope: Scope): Event[] => [
    ...[...scope.children].flatMap((agent) => endAgent(agent, { outcome: "interrupted" })),
    ...endPart(scope),
    ...[...scope.calls].flatMap((call) => interruptCall(call)),
    ...endStep(scope, "stop"),
  ];

  return {
    id,
    delta(kind, delta, agent) {
      if (delta === "") return [];
      const scope = scopeOf(agent);
      const events = scope.part?.kind === kind ? [] : [...endPart(scope), ...startStep(scope)];
      if (!scope.part) {
        scope.part = { id: id(kind), kind };
        events.push({ type: `${kind}-start`, ...scope.of, part: scope.part.id });
      }
      events.push({ type: `${kind}-delta`, ...scope.of, part: scope.part.id, delta });
      return events;
    },
    startCall,
    endCall,
    startAgent({ agent, name, parent }) {
      if (agents.has(agent)) return [];
      const wanted = scopeOf(parent);
      const container = wanted.depth < DEEPEST ? wanted : root;
      const events = agents.size < MAX_OPEN ? [] : endAgent(agents.keys().next().value!, { outcome: "interrupted" });
      // The agent ended to make room may have been the parent.
      const scope = container === root || agents.has(container.of.agent!) ? container : root;
      agents.set(agent, newScope(agent, scope));
      scope.children.add(agent);
      const within = scope.of.agent === undefined ? {} : { parent: scope.of.agent };
      return [...events, { type: "agent-start", agent, ...within, name }];
    },
    endAgent,
    isOpen: (agent) => agents.has(agent),
    end: () => endInside(root),
  };
};

const newScope = (agent: string | undefined, parent: Scope | undefined): Scope => ({
  of: agent === undefined ? {} : { agent },
  parent,
  depth: parent ? parent.depth + 1 : 0,
  children: new Set(),
  calls: new Set(),
  step: undefined,
  part: undefined,
});
