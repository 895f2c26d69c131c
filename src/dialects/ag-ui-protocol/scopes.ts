import type { Event, EventOf, Finish, Json, RunOutcome } from "../../events.ts";

/**
 * The agents of a remote run, and everything open in each. Turns AG-UI events into grammatical ones: AG-UI may omit
 * steps, and never reports when a call begins to execute.
 *
 * - A step opens with the first text or call, unless the remote sends steps.
 * - Calls count as run by the provider, so a result requires no `tool-execute`. One is emitted only when something
 *   proves execution, such as a sub-agent or output.
 * - Memory is bounded, regardless of the stream's length and content.
 */
export interface Scope {
  readonly agent: string | undefined;
  readonly of: { readonly agent?: string };
  readonly parent: Scope | undefined;
  readonly depth: number;
  readonly children: Set<Scope>;
  readonly parts: Map<string, "text" | "thinking">;
  readonly calls: Set<string>;
  /** `name` is set if the remote sent the step. */
  step: { readonly id: string; readonly name?: string; hasCalls: boolean } | undefined;
}

interface Call {
  readonly scope: Scope;
  phase: "input" | "ready" | "executing";
}

const MAX_OPEN = 4096;
const DEEPEST = 64;

export class Scopes {
  readonly root = newScope(undefined, undefined);
  readonly #agents = new Map<string, Scope>();
  readonly #calls = new Map<string, Call>();
  /** The ids of recent parts and calls. */
  readonly #seen = new Set<string>();
  #steps = 0;

  /** The agent's scope. Starts the agent if it has not been started. */
  of(agent: string | undefined): { readonly scope: Scope; readonly events: Event[] } {
    if (agent === undefined) return { scope: this.root, events: [] };
    const known = this.#agents.get(agent);
    if (known) return { scope: known, events: [] };
    const events = this.startAgent({ agent, name: agent });
    return { scope: this.#agents.get(agent) ?? this.root, events };
  }

  /** The agent's scope if it is open, otherwise the root's. */
  openOr(agent: unknown): Scope {
    return (typeof agent === "string" ? this.#agents.get(agent) : undefined) ?? this.root;
  }

  call(call: string): Call | undefined {
    return this.#calls.get(call);
  }

  hasSeen(kind: "part" | "call", id: unknown): boolean {
    return typeof id === "string" && this.#seen.has(`${kind} ${id}`);
  }

  startStep(scope: Scope, name?: string): Event[] {
    if (scope.step && (name === undefined || scope.step.name !== undefined)) return [];
    const before = scope.step ? this.endStep(scope) : [];
    const id = name ?? `step-${++this.#steps}`;
    scope.step = { id, hasCalls: false, ...(name !== undefined && { name }) };
    return [...before, { type: "step-start", ...scope.of, step: id }];
  }

  endStep(scope: Scope, finish?: Finish): Event[] {
    const { step, of } = scope;
    if (!step) return [];
    const events = [...scope.parts].flatMap(([part]) => this.endPart(scope, part));
    for (const call of scope.calls) events.push(...this.endInput(call));
    scope.step = undefined;
    return [
      ...events,
      { type: "step-end", ...of, step: step.id, finish: finish ?? (step.hasCalls ? "tools" : "stop") },
    ];
  }

  /** Ends the open steps of all agents. */
  endSteps(finish?: Finish): Event[] {
    const inner = [...this.#agents.values()].toReversed().flatMap((scope) => this.endStep(scope));
    return [...inner, ...this.endStep(this.root, finish)];
  }

  startPart(scope: Scope, kind: "text" | "thinking", part: string): Event[] {
    if (scope.parts.has(part) || scope.parts.size >= MAX_OPEN) return [];
    const events = this.startStep(scope);
    scope.parts.set(part, kind);
    this.#remember(`part ${part}`);
    return [...events, { type: `${kind}-start`, ...scope.of, part }];
  }

  endPart(scope: Scope, part: string, meta?: Json): Event[] {
    const kind = scope.parts.get(part);
    if (!kind || !scope.parts.delete(part)) return [];
    return [{ type: `${kind}-end`, ...scope.of, part, ...(meta !== undefined && { meta }) }];
  }

  startCall(scope: Scope, call: string, name: string): Event[] {
    if (this.#calls.has(call) || this.#calls.size >= MAX_OPEN) return [];
    const events = this.startStep(scope);
    if (scope.step) scope.step.hasCalls = true;
    this.#calls.set(call, { scope, phase: "input" });
    scope.calls.add(call);
    this.#remember(`call ${call}`);
    return [...events, { type: "tool-start", ...scope.of, call, name, provider: true }];
  }

  endInput(call: string): Event[] {
    const known = this.#calls.get(call);
    if (known?.phase !== "input") return [];
    known.phase = "ready";
    return [{ type: "tool-input-end", ...known.scope.of, call }];
  }

  execute(call: string): Event[] {
    const known = this.#calls.get(call);
    if (!known || known.phase === "executing") return [];
    const events = this.endInput(call);
    known.phase = "executing";
    return [...events, { type: "tool-execute", ...known.scope.of, call }];
  }

  endCall(call: string, end: Pick<EventOf<"tool-end">, "outcome" | "content" | "error">): Event[] {
    const known = this.#calls.get(call);
    if (!known) return [];
    const events = this.endInput(call);
    this.#calls.delete(call);
    known.scope.calls.delete(call);
    // If the remote sends no steps, the model's next step begins after a result.
    const over = known.scope.step?.name === undefined ? this.endStep(known.scope) : [];
    return [...events, ...over, { type: "tool-end", ...known.scope.of, call, ...end }];
  }

  startAgent(about: { agent: string; name: string; task?: string; parent?: unknown; call?: unknown }): Event[] {
    const { agent, name, task, parent, call } = about;
    if (this.#agents.has(agent) || this.#agents.size >= MAX_OPEN) return [];
    const wanted = this.openOr(parent);
    const container = wanted.depth < DEEPEST ? wanted : this.root;
    const cause = typeof call === "string" && this.#calls.get(call)?.scope === container ? call : undefined;
    const scope = newScope(agent, container);
    this.#agents.set(agent, scope);
    container.children.add(scope);
    return [
      ...(cause === undefined ? [] : this.execute(cause)),
      {
        type: "agent-start",
        agent,
        ...(container.agent !== undefined && { parent: container.agent }),
        ...(cause !== undefined && { call: cause }),
        name,
        ...(task !== undefined && { task }),
      },
    ];
  }

  endAgent(agent: string, outcome: RunOutcome, error?: EventOf<"agent-end">["error"]): Event[] {
    const scope = this.#agents.get(agent);
    if (!scope) return [];
    const events = [...scope.children].flatMap((child) => this.endAgent(child.agent!, cutBy(outcome)));
    events.push(...this.endStep(scope));
    for (const call of scope.calls) events.push(...this.endCall(call, { outcome: "interrupted" }));
    this.#agents.delete(agent);
    scope.parent?.children.delete(scope);
    return [...events, { type: "agent-end", agent, outcome, ...(error && { error }) }];
  }

  /** Ends all remaining sub-agents. */
  endAgents(outcome: RunOutcome): Event[] {
    return [...this.root.children].flatMap(({ agent }) => this.endAgent(agent!, outcome));
  }

  #remember(name: string): void {
    this.#seen.add(name);
    if (this.#seen.size > MAX_OPEN) for (const first of this.#seen) return void this.#seen.delete(first);
  }
}

const cutBy = (outcome: RunOutcome): RunOutcome => (outcome === "done" ? "done" : "interrupted");

const newScope = (agent: string | undefined, parent: Scope | undefined): Scope => ({
  agent,
  of: agent === undefined ? {} : { agent },
  parent,
  depth: parent ? parent.depth + 1 : 0,
  children: new Set(),
  parts: new Map(),
  calls: new Set(),
  step: undefined,
});
