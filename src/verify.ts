import type { Entry, Event } from "./events.ts";
import {
  excluding,
  Ledger,
  newAgent,
  NONE,
  type OpenAgent,
  type OpenAsk,
  type OpenCall,
  type OpenPart,
} from "./verify/ledger.ts";
import { misfitOf } from "./verify/vocabulary.ts";

export { misfitOf } from "./verify/vocabulary.ts";
export type { OpenAgent, OpenAsk, OpenCall, OpenPart };

/** The first thing wrong with a log: where, and in words that say which rule of PROTOCOL.md it breaks. */
export interface Violation {
  readonly seq: number;
  readonly message: string;
}

/** Checks a whole log. Undefined means that it is a complete, grammatical run of events of the vocabulary. */
export const verify = (entries: Iterable<Entry>): Violation | undefined => {
  const verifier = createVerifier();
  let seq = 0;
  let at = 0;
  for (const entry of entries) {
    if (entry.seq !== seq + 1)
      return { seq: entry.seq, message: `seq ${entry.seq} follows ${seq}: a log counts from 1 without gaps` };
    seq = entry.seq;
    if (entry.at < at) return { seq, message: `at ${entry.at} follows ${at}: time does not run backwards in a log` };
    at = entry.at;
    const message = misfitOf(entry.event) ?? verifier.check(entry.event);
    if (message) return { seq, message };
  }
  return verifier.ended ? undefined : { seq: seq + 1, message: "the log ends without a run-end" };
};

/**
 * The grammar, one event (see `misfitOf`) at a time. `check` answers what is wrong with an event in this place, or nothing; an event that is
 * wrong changes nothing. What is open can be read at any time, so that whoever writes a log can close it from the inside out.
 */
export interface Verifier {
  check(event: Event): string | undefined;
  readonly started: boolean;
  readonly ended: boolean;
  readonly root: OpenAgent;
  /** By id, also those that have ended. */
  readonly agents: ReadonlyMap<string, OpenAgent>;
  readonly calls: ReadonlyMap<string, OpenCall>;
  readonly asks: ReadonlyMap<string, OpenAsk>;
  readonly parts: ReadonlyMap<string, OpenPart>;
  /** Whether any part, call, ask, step or agent of the run has had this id. */
  has(id: string): boolean;
}

export const createVerifier = (): Verifier => new Grammar();

class Grammar extends Ledger implements Verifier {
  started = false;
  ended = false;

  check(event: Event): string | undefined {
    if (this.ended) return `${event.type} after run-end: nothing follows it`;
    if (!this.started) {
      if (event.type !== "run-start") return `the first event is ${event.type}, not run-start`;
      this.started = true;
      return undefined;
    }
    switch (event.type) {
      case "text-delta":
      case "thinking-delta": {
        const part = this.openPart(event);
        return typeof part === "string" ? part : undefined;
      }
      case "text-start":
      case "thinking-start":
        return this.startPart(event);
      case "text-end":
      case "thinking-end": {
        const part = this.openPart(event);
        if (typeof part === "string") return part;
        this.endPart(part);
        return undefined;
      }
      case "run-start":
        return "a second run-start";
      case "agent-start": {
        const parent = event.parent === undefined ? this.root : this.agents.get(event.parent);
        if (!parent) return `agent ${event.agent} starts inside agent ${event.parent}, which never started`;
        if (!parent.open) return `agent ${event.agent} starts inside agent ${event.parent}, which has ended`;
        const wrong = this.fresh(event.agent, "agent");
        if (wrong) return wrong;
        if (event.call !== undefined) {
          const call = this.calls.get(event.call);
          if (!call) return `agent ${event.agent} is caused by call ${event.call}, which never started`;
          if (call.agent !== parent)
            return `agent ${event.agent} is caused by call ${event.call}, which is not its parent's`;
          if (call.phase !== "executing")
            return `agent ${event.agent} is caused by call ${event.call}, which is not executing`;
        }
        this.startAgent(newAgent(event.agent, parent, event.call), event.agent, parent);
        return undefined;
      }
      case "agent-end": {
        const agent = this.owner(event);
        if (typeof agent === "string") return agent;
        const inside = this.openInside(agent);
        if (inside) return `agent ${event.agent} ends, but ${inside} inside it is open`;
        agent.open = false;
        if (agent.parent) excluding(agent.parent.children, agent);
        return undefined;
      }
      case "step-start": {
        const agent = this.owner(event);
        if (typeof agent === "string") return agent;
        if (agent.step !== undefined)
          return `step ${event.step} starts, but step ${agent.step} of the same agent is open`;
        const wrong = this.fresh(event.step, "step");
        if (wrong) return wrong;
        this.startStep(agent, event.step);
        return undefined;
      }
      case "step-retry":
      case "step-end": {
        const agent = this.owner(event);
        if (typeof agent === "string") return agent;
        if (agent.step !== event.step)
          return `${event.type} for step ${event.step}, which is not the open step of its agent`;
        for (const part of agent.parts) return `${event.type} for step ${event.step}, but its part ${part.id} is open`;
        if (event.type === "step-end") agent.step = undefined;
        else if (agent.stepShown) return `step ${event.step} is tried again, but it has already shown text or a tool`;
        return undefined;
      }
      case "tool-start": {
        const agent = this.owner(event);
        if (typeof agent === "string") return agent;
        if (agent.step === undefined) return `call ${event.call} starts outside a step`;
        const wrong = this.fresh(event.call, "call");
        if (wrong) return wrong;
        this.startCall({
          id: event.call,
          agent,
          step: agent.step,
          provider: event.provider === true,
          phase: "input",
          deltas: false,
          allowed: undefined,
          outcome: undefined,
          parts: NONE,
          asks: NONE,
        });
        return undefined;
      }
      case "tool-input-delta":
      case "tool-input-end": {
        const call = this.openCall(event);
        if (typeof call === "string") return call;
        if (call.phase !== "input") return `${event.type} for call ${event.call}, whose input has ended`;
        if (call.agent.step !== call.step) return `${event.type} for call ${event.call}, but its step has ended`;
        if (event.type === "tool-input-delta") call.deltas = true;
        else if (call.deltas && event.input !== undefined)
          return `call ${event.call} streamed its input, so tool-input-end must not repeat it`;
        else call.phase = "ready";
        return undefined;
      }
      case "tool-execute": {
        const call = this.openCall(event);
        if (typeof call === "string") return call;
        if (call.phase === "executing") return `call ${event.call} executes twice`;
        if (!call.provider && call.agent.step === call.step)
          return `call ${event.call} executes before its step has ended`;
        for (const ask of call.asks) return `call ${event.call} executes while its approval ${ask.id} is open`;
        if (call.allowed === false) return `call ${event.call} executes although it was not allowed`;
        call.phase = "executing";
        return undefined;
      }
      case "tool-progress":
      case "tool-output-delta": {
        const call = this.openCall(event);
        if (typeof call === "string") return call;
        return call.phase === "executing" ? undefined : `${event.type} for call ${event.call}, which is not executing`;
      }
      case "tool-end": {
        const call = this.openCall(event);
        if (typeof call === "string") return call;
        for (const part of call.parts) return `call ${event.call} ends, but its part ${part.id} is open`;
        for (const ask of call.asks) return `call ${event.call} ends, but its ask ${ask.id} is open`;
        const executed = call.phase === "executing";
        const { outcome } = event;
        if (!executed && !call.provider && (outcome === "ok" || outcome === "timeout"))
          return `call ${event.call} ends as ${outcome}, but it never executed`;
        if (executed && (outcome === "denied" || outcome === "deferred"))
          return `call ${event.call} ends as ${outcome}, but it has executed`;
        call.phase = "ended";
        call.outcome = outcome;
        excluding(call.agent.calls, call);
        return undefined;
      }
      case "ask-start":
        return this.startAsk(event);
      case "ask-end": {
        const ask = this.asks.get(event.ask);
        if (!ask) return `ask-end for ask ${event.ask}, which never started`;
        if (!ask.open) return `ask-end for ask ${event.ask}, which has ended`;
        if (ask.agent.id !== event.agent) return this.wrongAgent(event, `ask ${event.ask}`, ask.agent);
        if (event.outcome === "answered" && !event.answer) return `ask ${event.ask} is answered, but has no answer`;
        ask.open = false;
        excluding((ask.call ?? ask.agent).asks, ask);
        if (ask.kind === "approval" && ask.call)
          ask.call.allowed = event.outcome === "answered" && event.answer?.allow === true;
        return undefined;
      }
      case "run-end": {
        const inside = this.openInside(this.root);
        if (inside) return `the run ends, but ${inside} is open`;
        for (const part of event.answer ?? [])
          if (this.parts.get(part)?.kind !== "text") return `run-end names ${part} as answer, which is no text part`;
        for (const call of event.awaiting ?? [])
          if (this.calls.get(call)?.outcome !== "deferred")
            return `run-end awaits call ${call}, which was not deferred`;
        this.ended = true;
        this.root.open = false;
        return undefined;
      }
      default: {
        const agent = this.owner(event);
        if (typeof agent === "string") return agent;
        if ("call" in event && event.call !== undefined && !this.calls.has(event.call))
          return `${event.type} belongs to call ${event.call}, which never started`;
        if (event.type === "citation" && event.part !== undefined && !this.parts.has(event.part))
          return `citation belongs to part ${event.part}, which never started`;
        return undefined;
      }
    }
  }
}
