import type { CallOutcome, Event, EventOf, Problem, RunOutcome } from "../events.ts";
import type { OpenAgent, OpenAsk, OpenCall, OpenPart, Verifier } from "../verify.ts";

/** Why things end early, and what to say of each. */
export interface Ending {
  readonly outcome: Exclude<RunOutcome, "done">;
  readonly error?: Problem;
}

/** Ends all that is open inside an agent, from the inside out: deeper agents first, then parts, asks, calls and the step. */
export const closeInside = (agent: OpenAgent, ending: Ending): Event[] => {
  const events: Event[] = [];
  for (const child of agent.children) events.push(...closeInside(child, ending), closeAgent(child, ending));
  for (const part of agent.parts) events.push(closePart(part));
  for (const ask of agent.asks) events.push(closeAsk(ask, ending));
  for (const call of agent.calls) events.push(...closeCall(call, ending));
  if (agent.step !== undefined) {
    events.push({
      type: "step-end",
      ...of(agent),
      step: agent.step,
      finish: ending.outcome,
    });
  }
  return events;
};

const closeAgent = (agent: OpenAgent, { outcome, error }: Ending): Event => ({
  type: "agent-end",
  agent: agent.id!,
  outcome,
  ...(error && { error }),
});

/**
 * Ends what cannot outlive the process that began it: words, the open step with its calls, and calls that execute. Calls that
 * wait for a person or for their sub-agents stay. Empty at a safe point, where another process can go on without a loss.
 */
export const closeForResume = (agent: OpenAgent): Event[] => {
  const cut: Ending = { outcome: "interrupted" };
  const events: Event[] = [];
  for (const child of agent.children) events.push(...closeForResume(child));
  for (const part of agent.parts) events.push(closePart(part));
  const waitedFor = new Set([...agent.children].map(({ call }) => call));
  for (const call of agent.calls) {
    const isExecuting = call.phase === "executing";
    const isWaiting = isExecuting && waitedFor.has(call.id);
    if (call.step === agent.step || (isExecuting && !isWaiting)) events.push(...closeCall(call, cut));
    else if (isWaiting) events.push(...closeInsideCall(call, cut));
  }
  if (agent.step !== undefined)
    events.push({ type: "step-end", ...of(agent), step: agent.step, finish: "interrupted" });
  return events;
};

/** Ends one sub-agent, or one call with the sub-agents that it caused. */
export const closeTarget = (target: OpenCall | OpenAgent, ending: Ending): Event[] => {
  const whole = (agent: OpenAgent) => [...closeInside(agent, ending), closeAgent(agent, ending)];
  if (!("phase" in target)) return whole(target);
  const caused = [...target.agent.children].filter(({ call }) => call === target.id);
  return [...caused.flatMap(whole), ...closeCall(target, ending)];
};

/** Ends a call with what it has open: sub-agents it caused are not its own and stay. */
const closeCall = (call: OpenCall, ending: Ending, outcome: CallOutcome = callOutcome(ending)): Event[] => [
  ...closeInsideCall(call, ending),
  {
    type: "tool-end",
    ...of(call.agent),
    call: call.id,
    outcome,
    ...(ending.error && outcome === "error" && { error: ending.error }),
  },
];

const closeInsideCall = (call: OpenCall, ending: Ending): Event[] => [
  ...[...call.parts].map(closePart),
  ...[...call.asks].map((ask) => closeAsk(ask, ending)),
];

const closePart = (part: OpenPart): Event => ({
  type: part.kind === "text" ? "text-end" : "thinking-end",
  ...of(part.agent),
  part: part.id,
  cut: true,
});

/** What must end before this event, because it ends what contains it. */
export const leftOpen = ({ root, agents, calls }: Verifier, event: Event): Event[] => {
  const cut: Ending = { outcome: "interrupted" };
  if (event.type === "step-end") {
    const agent = event.agent === undefined ? root : agents.get(event.agent);
    return [...(agent?.parts ?? [])].map(closePart);
  }
  const call = event.type === "tool-end" ? calls.get(event.call) : undefined;
  if (call) return closeInsideCall(call, cut);
  const open = event.type === "agent-end" ? agents.get(event.agent) : undefined;
  return open?.open ? closeInside(open, cut) : [];
};

/** Ends the asks of an agent and all in it, or of one call. */
export const closeAsks = (of: OpenAgent | OpenCall, ending: Ending): Event[] => [
  ...[...of.asks].map((ask) => closeAsk(ask, ending)),
  ...("calls" in of ? [...of.calls, ...of.children].flatMap((inner) => closeAsks(inner, ending)) : []),
];

/** What a source's own run-end says of an early end. */
export const endingOf = (sourced: EventOf<"run-end"> | undefined): Ending | undefined =>
  sourced && sourced.outcome !== "done"
    ? { outcome: sourced.outcome, ...(sourced.error && { error: sourced.error }) }
    : undefined;

/** A source may leave its last words open, but not work that somebody waits for. */
export const unfinished = ({ calls, children, asks }: OpenAgent): Ending | undefined => {
  if (!calls.size && !children.size && !asks.size) return undefined;
  const message = "the agent stopped while something it had started was still open";
  return { outcome: "error", error: { code: "incomplete", message, retryable: true } };
};

/** Ends the last words and the last step of a source that has simply stopped. */
export const closeQuietly = (root: OpenAgent): Event[] => [
  ...[...root.parts].map((part): Event => ({
    type: part.kind === "text" ? "text-end" : "thinking-end",
    part: part.id,
  })),
  ...(root.step === undefined ? [] : [{ type: "step-end", step: root.step, finish: "stop" } as const]),
];

const closeAsk = (ask: OpenAsk, ending: Ending): Event => ({
  type: "ask-end",
  ...of(ask.agent),
  ask: ask.id,
  outcome: ending.outcome === "interrupted" ? "interrupted" : "cancelled",
});

/** A call that is cut by somebody else's error was interrupted: it did not fail itself. */
const callOutcome = ({ outcome }: Ending): CallOutcome => (outcome === "error" ? "interrupted" : outcome);

const of = (agent: OpenAgent) => (agent.id === undefined ? {} : { agent: agent.id });
