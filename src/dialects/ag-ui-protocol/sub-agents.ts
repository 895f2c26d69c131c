import type { Frame } from "../../dialect.ts";
import type { EventOf } from "../../events.ts";
import { frame } from "./frames.ts";

/** Sub-agents, which are suspended when a stream ends for an answer and start again in the next one. */
export interface SubAgents {
  start(event: EventOf<"agent-start">): readonly Frame[];
  end(event: EventOf<"agent-end">): readonly Frame[];
  /** Suspends all open sub-agents. `asks` are the open asks by agent. */
  suspend(asks: ReadonlyMap<string | undefined, readonly string[]>): readonly Frame[];
  resume(): readonly Frame[];
}

export const createSubAgents = (): SubAgents => {
  /** In start order: a parent precedes its children. */
  const open = new Map<string, Frame>();

  return {
    start({ agent, name, task, parent, call }) {
      const started = frame("SUBAGENT_STARTED", {
        subagentRunId: agent,
        name,
        ...(task !== undefined && { description: task }),
        ...(parent !== undefined && { parentSubagentRunId: parent }),
        ...(call !== undefined && { parentToolCallId: call }),
      });
      open.set(agent, started);
      return [started];
    },
    end({ agent, outcome, error }) {
      if (!open.delete(agent)) return [];
      if (outcome === "done") return [frame("SUBAGENT_FINISHED", { subagentRunId: agent })];
      const message = error?.message ?? `The sub-agent ${outcome === "error" ? "failed" : `was ${outcome}`}.`;
      return [frame("SUBAGENT_ERROR", { subagentRunId: agent, message, code: error?.code ?? outcome })];
    },
    suspend: (asks) =>
      [...open.keys()].toReversed().map((agent) => {
        const interruptIds = asks.get(agent);
        const outcome = { type: "suspended", ...(interruptIds && { interruptIds }) };
        return frame("SUBAGENT_FINISHED", { subagentRunId: agent, outcome });
      }),
    resume: () => [...open.values()],
  };
};
