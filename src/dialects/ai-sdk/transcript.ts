import { type Fields, fieldsOf } from "../../json.ts";
import type { Event, EventOf, Finish, Json } from "../../events.ts";
import { progressOf } from "../ai-sdk-protocol/progress.ts";

/** Turns a server's chunks into grammatical events, in whatever order they arrive and even if some are missing. */
export interface Transcript {
  readonly isInStep: boolean;
  readonly isAsking: boolean;
  knows(call: string): boolean;
  isExecuting(call: string): boolean;
  startStep(): Event[];
  endStep(finish?: Finish): Event[];
  startPart(kind: Kind, id: string, meta: Json | undefined): Event[];
  moreOfPart(kind: Kind, id: string, delta: string): Event[];
  endPart(kind: Kind, id: string, meta: Json | undefined): Event[];
  startCall(call: string, chunk: Fields): Event[];
  moreInput(call: string, delta: string): Event[];
  endInput(call: string, chunk: Fields): Event[];
  execute(call: string): Event[];
  progress(call: string, value: Json): Event[];
  succeed(call: string, value: Json): Event[];
  fail(call: string, message: unknown): Event[];
  deny(call: string): Event[];
  approve(call: string, ask: string, reason: unknown): Event[];
  ask(event: EventOf<"ask-start">): Event[];
  answer(ask: string, allow: boolean, reason?: unknown): Event[];
  endAsk(event: EventOf<"ask-end">): Event[];
  startAgent(event: EventOf<"agent-start">): Event[];
  endAgent(event: EventOf<"agent-end">): Event[];
  /** Ends everything still open at the end of the stream. Calls that never executed are left to the client. */
  endCalls(): { readonly ends: Event[]; readonly awaiting: string[] };
}

type Kind = "text" | "thinking";

interface Call {
  readonly name: string;
  readonly provider: boolean;
  hasDeltas: boolean;
  phase: "input" | "ready" | "executing";
  isDenied: boolean;
  ask: string | undefined;
}

/** Far more than a real message has open. Bounds the memory that a server can make us use. */
const MAX_OPEN = 4096;

export const createTranscript = (): Transcript => {
  const parts = new Map<string, Kind>();
  const calls = new Map<string, Call>();
  const asks = new Map<string, string | undefined>();
  /** Open sub-agents, each with its parent. */
  const agents = new Map<string, string | undefined>();
  let step: string | undefined;
  let steps = 0;
  let hasCalls = false;

  const startStep = (): Event[] => {
    if (step !== undefined) return endStepAnd(newStep);
    return newStep();
  };
  const newStep = (): Event[] => {
    step = `step-${++steps}`;
    hasCalls = false;
    return [{ type: "step-start", step }];
  };
  const endStepAnd = (next: () => Event[]): Event[] => [...endStep(), ...next()];
  const endStep = (finish?: Finish): Event[] => {
    if (step === undefined) return [];
    const events: Event[] = [...parts].map(([part, kind]) => ({ type: `${kind}-end` as const, part }));
    parts.clear();
    for (const [call, known] of calls) if (known.phase === "input") events.push(...ready(call, known));
    const ended = step;
    step = undefined;
    const finishReason = hasCalls && (finish === undefined || finish === "stop") ? "tools" : (finish ?? "stop");
    return [...events, { type: "step-end", step: ended, finish: finishReason }];
  };
  const inStep = (): Event[] => (step === undefined ? newStep() : []);

  const startPart: Transcript["startPart"] = (kind, id, meta) => {
    if (parts.has(id) || parts.size >= MAX_OPEN) return [];
    const before = inStep();
    parts.set(id, kind);
    return [...before, { type: `${kind}-start`, part: id, ...(meta !== undefined && { meta }) }];
  };

  const ready = (call: string, known: Call, input?: Json): Event[] => {
    known.phase = "ready";
    return [{ type: "tool-input-end", call, ...(input !== undefined && !known.hasDeltas && { input }) }];
  };

  const startCall: Transcript["startCall"] = (call, { toolName, title, providerExecuted, providerMetadata }) => {
    if (calls.has(call) || calls.size >= MAX_OPEN) return [];
    const before = inStep();
    const name = typeof toolName === "string" && toolName !== "" ? toolName : "tool";
    // Results arrive in the stream only for tools that the provider or the server runs. We run neither.
    calls.set(call, {
      name,
      provider: providerExecuted === true,
      hasDeltas: false,
      phase: "input",
      isDenied: false,
      ask: undefined,
    });
    hasCalls = true;
    const { meta } = fieldsOf(fieldsOf(providerMetadata)["runcast"]);
    return [
      ...before,
      {
        type: "tool-start",
        call,
        name,
        ...(typeof title === "string" && title !== "" && { title }),
        provider: true,
        ...(meta !== undefined && { meta: meta as Json }),
      },
    ];
  };

  const endInput: Transcript["endInput"] = (call, chunk) => {
    const before = startCall(call, chunk);
    const known = calls.get(call);
    if (!known) return before;
    const input = (chunk["input"] ?? {}) as Json;
    if (known.phase === "input") return [...before, ...ready(call, known, input)];
    // Repeated input: the user changed the arguments, or the client must run the call after all.
    if (known.phase !== "ready" || chunk["providerExecuted"] === false) return before;
    return execute(call, input);
  };

  const execute = (call: string, input?: Json): Event[] => {
    const known = calls.get(call);
    if (!known || known.phase === "executing" || known.isDenied) return [];
    const before = [...(known.phase === "input" ? ready(call, known) : []), ...settle(known, true)];
    known.phase = "executing";
    return [...before, { type: "tool-execute", call, ...(input !== undefined && { input }) }];
  };

  /** Any progress of a call that waited for approval implies the answer. */
  const settle = (known: Call, allow: boolean): Event[] => (known.ask === undefined ? [] : answer(known.ask, allow));

  const answer: Transcript["answer"] = (ask, allow, reason) => {
    const withReason = typeof reason === "string" && reason !== "" ? { reason } : {};
    return endAsk({ type: "ask-end", ask, outcome: "answered", answer: { allow, ...withReason } });
  };
  const endAsk = (event: EventOf<"ask-end">): Event[] => {
    if (!asks.has(event.ask)) return [];
    const known = calls.get(asks.get(event.ask) ?? "");
    asks.delete(event.ask);
    if (known?.ask === event.ask) {
      known.ask = undefined;
      known.isDenied = event.answer?.allow !== true;
    }
    return [event];
  };

  const interrupted = (agent: string): Event => {
    agents.delete(agent);
    return { type: "agent-end", agent, outcome: "interrupted" };
  };

  const end = (
    call: string,
    allow: boolean,
    fields: Pick<EventOf<"tool-end">, "outcome" | "error" | "value">,
  ): Event[] => {
    const known = calls.get(call);
    if (!known) return [];
    const before = [...(known.phase === "input" ? ready(call, known) : []), ...settle(known, allow)];
    for (const [ask, owner] of asks)
      if (owner === call) before.push(...endAsk({ type: "ask-end", ask, outcome: "cancelled" }));
    calls.delete(call);
    return [...before, { type: "tool-end", call, ...fields }];
  };

  return {
    get isInStep() {
      return step !== undefined;
    },
    get isAsking() {
      return asks.size > 0;
    },
    knows: (call) => calls.has(call),
    isExecuting: (call) => calls.get(call)?.phase === "executing",
    startStep,
    endStep,
    startPart,
    moreOfPart: (kind, id, delta) => {
      const known = parts.get(id);
      if (known !== undefined && known !== kind) return [];
      const before = startPart(kind, id, undefined);
      return parts.has(id) ? [...before, { type: `${kind}-delta`, part: id, delta }] : before;
    },
    endPart: (kind, id, meta) => {
      if (parts.get(id) !== kind) return [];
      parts.delete(id);
      return [{ type: `${kind}-end`, part: id, ...(meta !== undefined && { meta }) }];
    },
    startCall,
    moreInput: (call, delta) => {
      const known = calls.get(call);
      if (known?.phase !== "input") return [];
      known.hasDeltas = true;
      return [{ type: "tool-input-delta", call, delta }];
    },
    endInput,
    execute,
    progress: (call, value) => {
      const before = execute(call);
      return calls.get(call)?.phase === "executing"
        ? [...before, { type: "tool-progress", call, ...progressOf(value) }]
        : before;
    },
    succeed: (call, value) => end(call, true, { outcome: "ok", ...(value !== undefined && { value }) }),
    fail: (call, message) => {
      const text = typeof message === "string" && message !== "" ? message : "The tool failed.";
      return end(call, true, { outcome: "error", error: { code: "tool-failed", message: text } });
    },
    deny: (call) => {
      const isExecuting = calls.get(call)?.phase === "executing";
      return end(call, false, { outcome: isExecuting ? "cancelled" : "denied" });
    },
    approve: (call, ask, reason) => {
      const known = calls.get(call);
      if (!known || known.phase === "executing" || asks.has(ask)) return [];
      known.ask = ask;
      asks.set(ask, call);
      const message = typeof reason === "string" && reason !== "" ? { message: reason } : {};
      return [
        ...(known.phase === "input" ? ready(call, known) : []),
        { type: "ask-start", ask, kind: "approval", call, ...message },
      ];
    },
    ask: (event) => {
      if (asks.has(event.ask) || asks.size >= MAX_OPEN) return [];
      const known = event.call === undefined ? undefined : calls.get(event.call);
      if (event.kind === "approval") {
        if (!known || known.phase === "executing" || event.call === undefined) return [];
        known.ask = event.ask;
        asks.set(event.ask, event.call);
        return [...(known.phase === "input" ? ready(event.call, known) : []), event];
      }
      const before = event.call === undefined ? [] : execute(event.call);
      const { call, ...rest } = event;
      const isOfCall = call !== undefined && known?.phase === "executing";
      asks.set(event.ask, isOfCall ? call : undefined);
      return [...before, isOfCall ? event : rest];
    },
    answer,
    endAsk,
    startAgent: (event) => {
      if (agents.has(event.agent) || agents.size >= MAX_OPEN) return [];
      const { parent, call, ...rest } = event;
      const before = call === undefined || parent !== undefined ? [] : execute(call);
      const caused =
        call !== undefined && parent === undefined && calls.get(call)?.phase === "executing" ? { call } : {};
      const within = parent !== undefined && agents.has(parent) ? { parent } : {};
      agents.set(event.agent, within.parent);
      return [...before, { ...rest, ...within, ...caused }];
    },
    endAgent: (event) => {
      if (!agents.delete(event.agent)) return [];
      const ended = new Set([event.agent]);
      // A parent starts before its children and ends after them.
      const inside = [...agents].filter(
        ([agent, parent]) => parent !== undefined && ended.has(parent) && ended.add(agent),
      );
      return [...inside.reverse().map(([agent]) => interrupted(agent)), event];
    },
    endCalls: () => {
      const ends: Event[] = [...agents.keys()].reverse().map((agent) => interrupted(agent));
      const awaiting: string[] = [];
      for (const [call, { phase }] of [...calls]) {
        if (phase !== "executing") awaiting.push(call);
        ends.push(...end(call, false, { outcome: phase === "executing" ? "interrupted" : "deferred" }));
      }
      return { ends, awaiting };
    },
  };
};
