import type { AgentNode, RunState } from "../state.ts";

/** Whose words the lines of a text are, where several sub-agents speak in turn. */
export interface Speakers {
  /** The sub-agents around what this one says, outermost first, itself last. Empty for the root. */
  pathOf(agent: string | undefined): readonly AgentNode[];
  /** Its name, with a number where another sub-agent of this name came before it. */
  nameOf(agent: AgentNode): string;
  /** Goes on with the words of the last of the path. Answers whom to name first: those whose place in the text another had. */
  switchTo(path: readonly AgentNode[]): { readonly name: string; readonly depth: number }[];
  /** The last of the path has said all, and its line stands where its surroundings do. */
  leave(path: readonly AgentNode[]): void;
}

export const createSpeakers = (state: RunState): Speakers => {
  /** Who spoke last at each depth. */
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
        // A log that breaks the grammar may speak of what never started.
        const node = state.nodes.get(id);
        if (node?.kind !== "agent") break;
        path.unshift(node);
      }
      return path;
    },
    switchTo: (path) => {
      const first = path.findIndex((agent, depth) => current[depth]?.id !== agent.id);
      // What stands further out than the last words keeps their place: the depth tells it apart.
      if (first === -1) return [];
      current = path;
      return path.slice(first).map((agent, index) => ({ name: nameOf(agent), depth: first + index }));
    },
    leave: (path) => void (current = current.slice(0, path.length - 1)),
  };
};

const DEEPEST = 32;
