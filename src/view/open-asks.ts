import type { AskNode, Node, RunState } from "../state.ts";

interface Reader {
  readonly nodes: Iterator<Node>;
  readonly open: Set<AskNode>;
  seen: number;
}

const readers = new WeakMap<RunState, Reader>();

/** The asks that nobody has answered yet, however deep. Looks at each node once: a call costs what is new and what is open. */
export const openAsks = (state: RunState): ReadonlySet<AskNode> => {
  let reader = readers.get(state);
  if (!reader) readers.set(state, (reader = { nodes: state.nodes.values(), open: new Set(), seen: 0 }));
  // The iterator is never asked beyond the end, where it would stop for good.
  for (; reader.seen < state.nodes.size; reader.seen++) {
    const node = reader.nodes.next().value as Node;
    if (node.kind === "ask") reader.open.add(node);
  }
  for (const ask of reader.open) if (ask.endedAt !== undefined) reader.open.delete(ask);
  return reader.open;
};
