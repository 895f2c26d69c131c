import type { Event, EventOf } from "../events.ts";
import type { EventsAbout } from "../protocol.ts";
import type { OpenAgent } from "./ledger.ts";
import type { Rule } from "./rules.ts";

export const resumeRun: Rule<EventOf<"run-resume">> = (run, { agent, after }) => {
  if (agent !== undefined) return "run-resume names an agent, but it applies to the run";
  if (after > run.seq) return `run-resume continues after entry ${after}, which is not before it`;
  if (after < run.lastWork)
    return `run-resume continues after entry ${after}, but entry ${run.lastWork} does not end what was cut`;
  const open = cutIn(run.root);
  return open && `run-resume, but ${open} was cut off and is still open`;
};

/** What cannot outlive the process that started it. Waiting calls, their approvals, and sub-agents can. */
const cutIn = (agent: OpenAgent): string | undefined => {
  for (const part of agent.parts) return `part ${part.id}`;
  if (agent.step !== undefined) return `step ${agent.step}`;
  for (const call of agent.calls) {
    if (call.phase !== "executing") continue;
    for (const part of call.parts) return `part ${part.id}`;
    for (const ask of call.asks) return `ask ${ask.id}`;
    // A call that waits for its sub-agents continues with them.
    if (![...agent.children].some((child) => child.call === call.id)) return `call ${call.id}`;
  }
  for (const child of agent.children) {
    const open = cutIn(child);
    if (open) return open;
  }
  return undefined;
};

/** Whether an event only ends something that was cut. A new owner writes only such events before its run-resume. */
export const endsCut = (event: Event): boolean => {
  switch (event.type) {
    case "text-end":
    case "thinking-end":
      return event.cut === true;
    case "step-end":
      return event.finish === "interrupted";
    case "tool-end":
    case "ask-end":
    case "agent-end":
      return event.outcome === "interrupted";
    default:
      event satisfies EventsAbout;
      return false;
  }
};
