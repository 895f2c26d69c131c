import type { Event } from "../../events.ts";
import { createIds, withProviderId } from "../../ids.ts";

/** New ids for the calls and asks of a server that repeats its ids in every run. */
export interface OwnIds {
  /** The event with this run's ids. A reference means the latest item with that id in the same agent. */
  ours(event: Event): Event;
  /** The server's id for this run's id. */
  theirs(id: string): string;
}

export const createOwnIds = (run: string): OwnIds => {
  const newId = createIds(run);
  const ours = new Map<string, string>();
  const theirs = new Map<string, string>();

  const claim = (kind: "call" | "ask", agent: string | undefined, id: string): string => {
    const own = newId(kind);
    ours.set(key(kind, agent, id), own);
    theirs.set(own, id);
    return own;
  };
  const find = (kind: "call" | "ask", agent: string | undefined, id: string): string =>
    ours.get(key(kind, agent, id)) ?? id;

  return {
    ours(event) {
      if (event.type === "tool-start") {
        const call = claim("call", event.agent, event.call);
        return { ...event, call, ...withProviderId(event.call, event.meta) };
      }
      const scope = event.type === "agent-start" ? event.parent : event.agent;
      const changed = { ...event };
      if ("call" in changed && changed.call !== undefined) changed.call = find("call", scope, changed.call);
      if (changed.type === "ask-start") changed.ask = claim("ask", scope, changed.ask);
      else if (changed.type === "ask-end") changed.ask = find("ask", scope, changed.ask);
      else if (changed.type === "run-end" && changed.awaiting)
        changed.awaiting = changed.awaiting.map((call) => find("call", undefined, call));
      return changed;
    },
    theirs: (id) => theirs.get(id) ?? id,
  };
};

const key = (kind: string, agent: string | undefined, id: string): string => `${kind} ${agent ?? ""} ${id}`;
