import type { EventOf } from "../events.ts";
import { excluding, NONE, type OpenCall } from "./ledger.ts";
import type { Rule, Run } from "./rules.ts";

export const startCall: Rule<EventOf<"tool-start">> = (run, event) => {
  const agent = run.owner(event);
  if (typeof agent === "string") return agent;
  const earlier = event.repeats === undefined ? undefined : repeated(run, event.call, event.repeats);
  if (typeof earlier === "string") return earlier;
  if (earlier && (earlier.agent !== agent || earlier.name !== event.name))
    return `call ${event.call} repeats call ${earlier.id}, which belongs to another agent or tool`;
  const step = earlier?.step ?? agent.step;
  if (step === undefined) return `call ${event.call} starts outside a step`;
  const wrong = run.fresh(event.call, "call");
  if (wrong) return wrong;
  if (earlier) earlier.repeated = true;
  run.startCall({
    id: event.call,
    name: event.name,
    agent,
    step,
    provider: event.provider === true,
    repeats: earlier,
    repeated: false,
    phase: "input",
    deltas: false,
    allowed: undefined,
    outcome: undefined,
    parts: NONE,
    asks: NONE,
  });
  return undefined;
};

const repeated = (run: Run, call: string, repeats: string): OpenCall | string => {
  const earlier = run.calls.get(repeats);
  if (!earlier) return `call ${call} repeats call ${repeats}, which never started`;
  if (earlier.outcome !== "interrupted") return `call ${call} repeats call ${repeats}, which was not interrupted`;
  return earlier.repeated ? `call ${call} repeats call ${repeats}, which was already repeated` : earlier;
};

/** The call that receives more input. */
const takingInput = (run: Run, event: EventOf<"tool-input-delta" | "tool-input-end">) => {
  const call = run.openCall(event);
  if (typeof call === "string") return call;
  if (call.phase !== "input") return `${event.type} for call ${event.call}, whose input has ended`;
  return call.repeats || call.agent.step === call.step
    ? call
    : `${event.type} for call ${event.call}, but its step has ended`;
};

export const inputDelta: Rule<EventOf<"tool-input-delta">> = (run, event) => {
  const call = takingInput(run, event);
  if (typeof call === "string") return call;
  call.deltas = true;
  return undefined;
};

export const endInput: Rule<EventOf<"tool-input-end">> = (run, event) => {
  const call = takingInput(run, event);
  if (typeof call === "string") return call;
  if (call.deltas && event.input !== undefined)
    return `call ${event.call} streamed its input, so tool-input-end must not repeat it`;
  call.phase = "ready";
  return undefined;
};

export const execute: Rule<EventOf<"tool-execute">> = (run, event) => {
  const call = run.openCall(event);
  if (typeof call === "string") return call;
  if (call.phase === "executing") return `call ${event.call} executes twice`;
  if (!call.provider && call.agent.step === call.step) return `call ${event.call} executes before its step has ended`;
  for (const ask of call.asks) return `call ${event.call} executes while its approval ${ask.id} is open`;
  if (call.allowed === false) return `call ${event.call} executes although it was not allowed`;
  call.phase = "executing";
  return undefined;
};

export const whileExecuting: Rule<EventOf<"tool-progress" | "tool-output-delta">> = (run, event) => {
  const call = run.openCall(event);
  if (typeof call === "string") return call;
  return call.phase === "executing" ? undefined : `${event.type} for call ${event.call}, which is not executing`;
};

export const endCall: Rule<EventOf<"tool-end">> = (run, event) => {
  const call = run.openCall(event);
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
};
