import type { Event, EventOf, EventType } from "../events.ts";
import { protocolProblem } from "../protocol.ts";
import { endAsk, startAsk } from "./ask-rules.ts";
import { endCall, endInput, execute, inputDelta, startCall, whileExecuting } from "./call-rules.ts";
import { excluding, type Ledger, newAgent, type OpenCall } from "./ledger.ts";
import { resumeRun } from "./resume-rule.ts";

/** Returns what is wrong with an event at this point. Returns undefined if it is valid, after applying it. */
export type Rule<Of extends Event> = (run: Run, event: Of) => string | undefined;

/** A run as checked so far. */
export interface Run extends Ledger {
  started: boolean;
  ended: boolean;
  protocol: number;
  /** The number of accepted events. */
  seq: number;
  /** The seq of the last event that does not merely end something cut. */
  lastWork: number;
}

const startRun: Rule<EventOf<"run-start">> = (run, { protocol }) => {
  if (run.started) return "a second run-start";
  const problem = protocolProblem(protocol);
  if (problem) return `${problem.message}; ${problem.hint}`;
  run.started = true;
  run.protocol = protocol;
  return undefined;
};

const endRun: Rule<EventOf<"run-end">> = (run, event) => {
  const inside = run.openInside(run.root);
  if (inside) return `the run ends, but ${inside} is open`;
  for (const part of event.answer ?? [])
    if (run.parts.get(part)?.kind !== "text") return `run-end names ${part} as answer, which is not a text part`;
  for (const call of event.awaiting ?? [])
    if (run.calls.get(call)?.outcome !== "deferred") return `run-end awaits call ${call}, which was not deferred`;
  run.ended = true;
  run.root.open = false;
  return undefined;
};

const startAgent: Rule<EventOf<"agent-start">> = (run, event) => {
  const parent = event.parent === undefined ? run.root : run.agents.get(event.parent);
  if (!parent) return `agent ${event.agent} starts inside agent ${event.parent}, which never started`;
  if (!parent.open) return `agent ${event.agent} starts inside agent ${event.parent}, which has ended`;
  const wrong = run.fresh(event.agent, "agent");
  if (wrong) return wrong;
  if (event.call !== undefined) {
    const call = run.calls.get(event.call);
    if (!call) return `agent ${event.agent} is caused by call ${event.call}, which never started`;
    if (call.agent !== parent) return `agent ${event.agent} is caused by call ${event.call}, which is not its parent's`;
    if (call.phase !== "executing")
      return `agent ${event.agent} is caused by call ${event.call}, which is not executing`;
  }
  run.startAgent(newAgent(event.agent, parent, event.call), event.agent, parent);
  return undefined;
};

const endAgent: Rule<EventOf<"agent-end">> = (run, event) => {
  const agent = run.owner(event);
  if (typeof agent === "string") return agent;
  const inside = run.openInside(agent);
  if (inside) return `agent ${event.agent} ends, but ${inside} inside it is open`;
  agent.open = false;
  if (agent.parent) excluding(agent.parent.children, agent);
  return undefined;
};

const startStep: Rule<EventOf<"step-start">> = (run, event) => {
  const agent = run.owner(event);
  if (typeof agent === "string") return agent;
  if (agent.step !== undefined) return `step ${event.step} starts, but step ${agent.step} of the same agent is open`;
  const wrong = run.fresh(event.step, "step");
  if (wrong) return wrong;
  run.startStep(agent, event.step);
  return undefined;
};

const retryOrEndStep: Rule<EventOf<"step-retry" | "step-end">> = (run, event) => {
  const agent = run.owner(event);
  if (typeof agent === "string") return agent;
  if (agent.step !== event.step) return `${event.type} for step ${event.step}, which is not the open step of its agent`;
  for (const part of agent.parts) return `${event.type} for step ${event.step}, but its part ${part.id} is open`;
  if (event.type === "step-retry")
    return agent.stepShown ? `step ${event.step} is retried, but it has already produced text or a call` : undefined;
  // The model never finished requesting these calls.
  if (event.finish === "interrupted")
    for (const call of agent.calls)
      if (call.step === event.step) return `step ${event.step} ends as interrupted, but its call ${call.id} is open`;
  agent.step = undefined;
  return undefined;
};

const startPart: Rule<EventOf<"text-start" | "thinking-start">> = (run, event) => {
  const agent = run.owner(event);
  if (typeof agent === "string") return agent;
  const wrong = run.fresh(event.part, "part");
  if (wrong) return wrong;
  let call: OpenCall | undefined;
  if (event.type === "text-start") {
    if (event.replaces !== undefined && !run.parts.has(event.replaces))
      return `part ${event.part} replaces ${event.replaces}, which never started`;
    if (event.call !== undefined) {
      const found = run.openCall(event as typeof event & { call: string });
      if (typeof found === "string") return found;
      if (found.phase !== "executing")
        return `part ${event.part} belongs to call ${event.call}, which is not executing`;
      call = found;
    }
  }
  if (!call && agent.step === undefined) return `part ${event.part} starts outside a step`;
  const kind = event.type === "text-start" ? "text" : "thinking";
  run.startPart({ id: event.part, kind, agent, call, open: true });
  return undefined;
};

const moreOfPart: Rule<EventOf<"text-delta" | "thinking-delta">> = (run, event) => {
  const part = run.openPart(event);
  return typeof part === "string" ? part : undefined;
};

const endPart: Rule<EventOf<"text-end" | "thinking-end">> = (run, event) => {
  const part = run.openPart(event);
  if (typeof part === "string") return part;
  run.endPart(part);
  return undefined;
};

/** Single events about an agent, a call, or a part. */
const mark: Rule<EventOf<"status" | "citation" | "file" | "embed" | "notice" | "data">> = (run, event) => {
  const agent = run.owner(event);
  if (typeof agent === "string") return agent;
  if (event.call !== undefined && !run.calls.has(event.call))
    return `${event.type} belongs to call ${event.call}, which never started`;
  if (event.type === "citation" && event.part !== undefined && !run.parts.has(event.part))
    return `citation belongs to part ${event.part}, which never started`;
  return undefined;
};

const RULES: { readonly [Type in EventType]: Rule<EventOf<Type>> } = {
  "run-start": startRun,
  "run-resume": resumeRun,
  "agent-start": startAgent,
  "agent-end": endAgent,
  "step-start": startStep,
  "step-retry": retryOrEndStep,
  "step-end": retryOrEndStep,
  "text-start": startPart,
  "text-delta": moreOfPart,
  "text-end": endPart,
  "thinking-start": startPart,
  "thinking-delta": moreOfPart,
  "thinking-end": endPart,
  "tool-start": startCall,
  "tool-input-delta": inputDelta,
  "tool-input-end": endInput,
  "tool-execute": execute,
  "tool-progress": whileExecuting,
  "tool-output-delta": whileExecuting,
  "tool-end": endCall,
  "ask-start": startAsk,
  "ask-end": endAsk,
  status: mark,
  citation: mark,
  file: mark,
  embed: mark,
  notice: mark,
  data: mark,
  "run-end": endRun,
};

/** The rule for an event. Unknown types, from later versions, only get the checks of `mark`. */
export const ruleOf = (event: Event): Rule<Event> => (RULES[event.type] ?? mark) as Rule<Event>;
