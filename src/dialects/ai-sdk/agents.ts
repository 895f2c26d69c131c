import type { Event, EventOf, Json } from "../../events.ts";
import { type Chunk, dataPart } from "./chunk.ts";

/** Sub-agents: one message part each, with its current activity and, at the end, its answer. */
export interface Agents {
  /** Processes an event of any sub-agent. */
  take(event: Event): Chunk[];
  nameOf(agent: string): string;
}

interface SubAgent {
  readonly name: string;
  readonly facts: { readonly [key: string]: Json };
  /** The text of its last step. */
  text: string;
}

const MAX_TEXT = 16 * 1024;

export const createAgents = (): Agents => {
  const agents = new Map<string, SubAgent>();

  const part = (agent: string, { facts }: SubAgent, state: { readonly [key: string]: Json }): Chunk[] => [
    dataPart("agent", { ...facts, ...state }, agent),
  ];

  const start = ({ agent, name, task, parent, call }: EventOf<"agent-start">): Chunk[] => {
    const facts = {
      name,
      ...(task !== undefined && { task }),
      ...(parent !== undefined && { parent }),
      ...(call !== undefined && { call }),
    };
    const known: SubAgent = { name, facts, text: "" };
    agents.set(agent, known);
    return part(agent, known, { state: "working" });
  };

  return {
    take(event) {
      if (event.type === "agent-start") return start(event);
      const { agent = "" } = event;
      const known = agents.get(agent);
      if (!known) return [];
      switch (event.type) {
        case "step-start":
          known.text = "";
          return [];
        case "text-delta":
          if (known.text.length < MAX_TEXT) known.text += event.delta;
          return [];
        case "tool-start":
          return part(agent, known, { state: "working", doing: event.title ?? event.name });
        case "agent-end": {
          agents.delete(agent);
          const { outcome, error } = event;
          const text = known.text.slice(0, MAX_TEXT);
          return part(agent, known, {
            state: outcome,
            ...(text !== "" && { text }),
            ...(error && { error: error.message }),
          });
        }
        default:
          return [];
      }
    },
    nameOf: (agent) => agents.get(agent)?.name ?? agent,
  };
};
