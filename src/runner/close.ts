import type { CallOutcome, Event, EventOf, Problem, RunOutcome } from "../events.ts";
import type { OpenAgent, OpenAsk, OpenCall, OpenPart, Verifier } from "../verify.ts";

/** Why something ends early, and the error to record. */
export interface Ending {
  readonly outcome: Exclude<RunOutcome, "done">;
  readonly error?: Problem;
}

/** Ends everything open inside an agent, from the inside out: sub-agents first, then parts, asks, calls and the step. */
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
 * Ends everything that cannot outlive its process: open text and thinking, the open step with its calls, and executing
 * calls. Keeps calls that wait for the user or for their sub-agents. Empty at a safe point, where another process can
 * continue without loss.
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

/** Ends one sub-agent, or one call with the sub-agents it started. */
export const closeTarget = (target: OpenCall | OpenAgent, ending: Ending): Event[] => {
  const whole = (agent: OpenAgent) => [...closeInside(agent, ending), closeAgent(agent, ending)];
  if (!("phase" in target)) return whole(target);
  const caused = [...target.agent.children].filter(({ call }) => call === target.id);
  return [...caused.flatMap(whole), ...closeCall(target, ending)];
};

/** Ends a call and its open parts and asks. Sub-agents that it started belong to the agent and stay open. */
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

/** The closing events that must precede this one, because it ends the item that contains what they close. */
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

/** Ends all asks of an agent and its descendants, or of one call. */
export const closeAsks = (of: OpenAgent | OpenCall, ending: Ending): Event[] => [
  ...[...of.asks].map((ask) => closeAsk(ask, ending)),
  ...("calls" in of ? [...of.calls, ...of.children].flatMap((inner) => closeAsks(inner, ending)) : []),
];

/** The early end that a source's own run-end describes. */
export const endingOf = (sourced: EventOf<"run-end"> | undefined): Ending | undefined =>
  sourced && sourced.outcome !== "done"
    ? { outcome: sourced.outcome, ...(sourced.error && { error: sourced.error }) }
    : undefined;

/** A source may leave its last text open, but not a call, a sub-agent or an ask. */
export const unfinished = ({ calls, children, asks }: OpenAgent): Ending | undefined => {
  if (!calls.size && !children.size && !asks.size) return undefined;
  const message = "the agent stopped before everything it started had ended";
  return { outcome: "error", error: { code: "incomplete", message, retryable: true } };
};

/** Ends the last text and the last step of a source that has returned. */
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

/** A call that is ended by an error elsewhere is `interrupted`, because the call did not fail. */
const callOutcome = ({ outcome }: Ending): CallOutcome => (outcome === "error" ? "interrupted" : outcome);

const of = (agent: OpenAgent) => (agent.id === undefined ? {} : { agent: agent.id });
