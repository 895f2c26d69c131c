import type { AskNode, Node, RunState } from "../state.ts";

interface Reader {
  readonly nodes: Iterator<Node>;
  readonly open: Set<AskNode>;
  seen: number;
}

const readers = new WeakMap<RunState, Reader>();

/** The unanswered asks at any depth. Visits each node once, so a call costs only the new nodes and the open asks. */
export const openAsks = (state: RunState): ReadonlySet<AskNode> => {
  let reader = readers.get(state);
  if (!reader) readers.set(state, (reader = { nodes: state.nodes.values(), open: new Set(), seen: 0 }));
  // Never read past the end: the iterator would stay exhausted.
  for (; reader.seen < state.nodes.size; reader.seen++) {
    const node = reader.nodes.next().value as Node;
    if (node.kind === "ask") reader.open.add(node);
  }
  for (const ask of reader.open) if (ask.endedAt !== undefined) reader.open.delete(ask);
  return reader.open;
};
