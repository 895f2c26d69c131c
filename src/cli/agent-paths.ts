import type { AgentNode, RunState } from "../state.ts";

/** Tracks which sub-agent each printed line belongs to when several take turns. */
export interface AgentPaths {
  /** The path to this agent, outermost first, ending with the agent itself. Empty for the root. */
  pathOf(agent: string | undefined): readonly AgentNode[];
  /** The agent's name, numbered if an earlier sub-agent has the same name. */
  nameOf(agent: AgentNode): string;
  /**
   * Makes the last agent of the path the current one. Returns the agents to print as headings, because another agent
   * printed at their depth since.
   */
  switchTo(path: readonly AgentNode[]): { readonly name: string; readonly depth: number }[];
  /** Ends the last agent of the path. Its closing line is printed at the level of its parent. */
  leave(path: readonly AgentNode[]): void;
}

export const createAgentPaths = (state: RunState): AgentPaths => {
  /** The current agent at each depth. */
  let current: readonly AgentNode[] = [];
  const names = new Map<string, string>();
  const counts = new Map<string, number>();

  const nameOf = ({ id, name }: AgentNode): string => {
    const known = names.get(id);
    if (known !== undefined) return known;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    const named = count === 1 ? name : `${name} ${count}`;
    names.set(id, named);
    return named;
  };

  return {
    nameOf,
    pathOf: (agent) => {
      const path: AgentNode[] = [];
      for (let id = agent; id !== undefined && path.length < DEEPEST; id = path[0]!.parent) {
        // An invalid log may reference nodes that never started.
        const node = state.nodes.get(id);
        if (node?.kind !== "agent") break;
        path.unshift(node);
      }
      return path;
    },
    switchTo: (path) => {
      const first = path.findIndex((agent, depth) => current[depth]?.id !== agent.id);
      // A prefix of the current path needs no heading: the indentation shows the level.
      if (first === -1) return [];
      current = path;
      return path.slice(first).map((agent, index) => ({ name: nameOf(agent), depth: first + index }));
    },
    leave: (path) => void (current = current.slice(0, path.length - 1)),
  };
};

const DEEPEST = 32;
