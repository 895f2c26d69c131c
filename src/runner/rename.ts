import type { Event } from "../events.ts";

/**
 * Gives the ids that a source repeats (providers count calls from zero in every answer) a name of their own in the run.
 * A reference means the latest thing of that id in the same agent.
 */
export interface Renamer {
  rename(event: Event): Event;
  /** The id that the source gave to what the log calls `id`. */
  original(id: string): string;
  /** What the log calls the latest ask to which the source gave this id, in whatever agent. */
  latestAsk(id: string): string;
}

const STARTED = {
  "text-start": "part",
  "thinking-start": "part",
  "tool-start": "call",
  "ask-start": "ask",
  "step-start": "step",
  "agent-start": "agent",
} as const;
const REFERENCES = { part: "part", call: "call", ask: "ask", step: "step", replaces: "part" } as const;
type Field = (typeof STARTED)[keyof typeof STARTED];

export const createRenamer = (isUsed: (id: string) => boolean): Renamer => {
  const aliases = new Map<string, string>();
  const originals = new Map<string, string>();
  const asks = new Map<string, string>();

  const key = (field: Field, agent: string | undefined, id: string) =>
    field === "agent" ? `agent ${id}` : `${field} ${agent ?? ""} ${id}`;
  const alias = (field: Field, agent: string | undefined, id: string) => aliases.get(key(field, agent, id)) ?? id;

  /** From now on the id means this thing. */
  const claim = (event: Event, field: Field): void => {
    const id = (event as unknown as Record<Field, string>)[field];
    if (field === "ask") asks.delete(id);
    if (!isUsed(id)) {
      if (aliases.size) aliases.delete(key(field, event.agent, id));
      return;
    }
    let number = 2;
    while (isUsed(`${id}~${number}`)) number++;
    aliases.set(key(field, event.agent, id), `${id}~${number}`);
    originals.set(`${id}~${number}`, id);
    if (field === "ask") asks.set(id, `${id}~${number}`);
  };

  const refer = (event: Event): Event => {
    const changed = { ...event } as Record<string, unknown>;
    const scope = event.type === "agent-start" ? event.parent : event.agent;
    for (const [name, field] of Object.entries(REFERENCES)) {
      const id = changed[name];
      if (typeof id === "string") changed[name] = alias(field, scope, id);
    }
    if (event.agent !== undefined) changed.agent = alias("agent", undefined, event.agent);
    if (event.type === "agent-start" && event.parent !== undefined)
      changed.parent = alias("agent", undefined, event.parent);
    if (event.type === "run-end") {
      changed.answer = event.answer?.map((id) => alias("part", undefined, id));
      changed.awaiting = event.awaiting?.map((id) => alias("call", undefined, id));
    }
    return changed as Event;
  };

  return {
    rename(event) {
      const field = STARTED[event.type as keyof typeof STARTED] as Field | undefined;
      if (field) claim(event, field);
      return aliases.size ? refer(event) : event;
    },
    original: (id) => originals.get(id) ?? id,
    latestAsk: (id) => asks.get(id) ?? id,
  };
};
