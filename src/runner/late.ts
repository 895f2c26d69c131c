import type { Event } from "../events.ts";
import type { Verifier } from "../verify.ts";
import type { Targets } from "./targets.ts";

/** Whether a source still speaks of something that was ended in its stead, or of what it began inside such a thing. */
export type IsLate = (event: Event) => boolean;

export const createIsLate = (verifier: Verifier, targets: Pick<Targets, "anyForced">): IsLate => {
  /** What was begun too late: it is not in the log, and nothing that is said of it can be. */
  let unsaid: Set<string> | undefined;

  const isOver = (event: Event, begun: string | undefined): boolean => {
    const agent = event.type === "agent-start" ? event.parent : event.agent;
    if (agent !== undefined && (unsaid?.has(`agent ${agent}`) || verifier.agents.get(agent)?.open === false))
      return true;
    if ("call" in event && event.call !== undefined && verifier.calls.get(event.call)?.phase === "ended") return true;
    if (begun !== undefined || !("part" in event) || event.part === undefined) return false;
    return unsaid?.has(`part ${event.part}`) === true || verifier.parts.get(event.part)?.open === false;
  };

  return (event) => {
    if (event.type === "ask-end")
      return unsaid?.has(`ask ${event.ask}`) === true || verifier.asks.get(event.ask)?.open === false;
    if (!targets.anyForced) return false;
    const begun = begunBy(event);
    const isLate = isOver(event, begun);
    if (begun !== undefined && isLate) (unsaid ??= new Set()).add(begun);
    else if (begun !== undefined) unsaid?.delete(begun);
    return isLate;
  };
};

const begunBy = (event: Event): string | undefined => {
  switch (event.type) {
    case "text-start":
    case "thinking-start":
      return `part ${event.part}`;
    case "agent-start":
      return `agent ${event.agent}`;
    case "ask-start":
      return `ask ${event.ask}`;
    default:
      return undefined;
  }
};
