import type { Event } from "../events.ts";
import type { EventsAbout } from "../protocol.ts";
import type { Verifier } from "../verify.ts";
import type { Targets } from "./targets.ts";

/** Whether an event of the source refers to an item that the runner ended by force, or to something started inside such an item. */
export type IsStale = (event: Event) => boolean;

export const createIsStale = (verifier: Verifier, targets: Pick<Targets, "anyForced">): IsStale => {
  /** Items that were started inside an ended item. They are not in the log, so nothing in the log may refer to them. */
  let dropped: Set<string> | undefined;

  const isOver = (event: Event, started: string | undefined): boolean => {
    const agent = event.type === "agent-start" ? event.parent : event.agent;
    if (agent !== undefined && (dropped?.has(`agent ${agent}`) || verifier.agents.get(agent)?.open === false))
      return true;
    if ("call" in event && event.call !== undefined && verifier.calls.get(event.call)?.phase === "ended") return true;
    if (started !== undefined || !("part" in event) || event.part === undefined) return false;
    return dropped?.has(`part ${event.part}`) === true || verifier.parts.get(event.part)?.open === false;
  };

  return (event) => {
    if (event.type === "ask-end")
      return dropped?.has(`ask ${event.ask}`) === true || verifier.asks.get(event.ask)?.open === false;
    if (!targets.anyForced) return false;
    const started = startedBy(event);
    const isStale = isOver(event, started);
    if (started !== undefined && isStale) (dropped ??= new Set()).add(started);
    else if (started !== undefined) dropped?.delete(started);
    return isStale;
  };
};

const startedBy = (event: Event): string | undefined => {
  switch (event.type) {
    case "text-start":
    case "thinking-start":
      return `part ${event.part}`;
    case "agent-start":
      return `agent ${event.agent}`;
    case "ask-start":
      return `ask ${event.ask}`;
    default:
      event satisfies EventsAbout;
      return undefined;
  }
};
