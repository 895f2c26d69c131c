import type { Entry } from "../events.ts";
import { createState, fold, restoreInto, type RunSnapshot, type RunState } from "../state.ts";
import type { AskNode, MarkNode, Node, PartNode, ResumeNode } from "../state.ts";

/** The state of a run after any of its entries. */
export interface Timeline {
  /**
   * Returns the state after entry `seq`, exactly as folding everything up to it would. If `from` is close before it,
   * advances `from` in place and returns it. Otherwise returns a new state that belongs to the caller.
   */
  stateAt(seq: number, from?: RunState): RunState;
}

/** The number of entries between checkpoints. */
const EVERY = 500;
/** Up to this many entries are folded in place instead of restoring a checkpoint. */
const NEAR = 2000;

/**
 * Reads `entries` on demand, so more may be appended at any time.
 *
 * A checkpoint keeps only the nodes that changed since the previous one, and only the length of their item lists. All
 * checkpoints together take about as much memory as the run itself.
 */
export const createTimeline = (entries: readonly Entry[], every = EVERY): Timeline => {
  const front = createState();
  const kept = new Map<string, Kept[]>();
  const heads: Head[] = [];

  const keep = (): void => {
    const checkpoint = heads.length;
    for (const node of [front.root, ...front.nodes.values()]) {
      const versions = kept.get(node.id);
      if (!versions) kept.set(node.id, [{ checkpoint, node: copy(node), items: itemsOf(node)?.length ?? 0 }]);
      else if (versions.at(-1)!.node.version !== node.version)
        versions.push({ checkpoint, node: copy(node), items: itemsOf(node)?.length ?? 0 });
    }
    const { nodes: _, listeners: __, inputs: ___, steps: ____, root: _____, data, cuts, ...rest } = front;
    heads.push({ ...rest, data: [...data], cuts: [...cuts] });
  };

  const prepare = (seq: number): void => {
    while (front.seq < seq) {
      fold(front, entries[front.seq]!);
      if (front.seq % every === 0) keep();
    }
  };

  /** A node as of a checkpoint. Undefined if it did not exist yet. */
  const nodeAt = (checkpoint: number, node: Node): Node | undefined => {
    const versions = kept.get(node.id);
    // Single-event nodes never change, so no versions of them are kept.
    if (!versions) return node;
    let low = 0;
    let high = versions.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (versions[middle]!.checkpoint <= checkpoint) low = middle + 1;
      else high = middle;
    }
    const found = versions[low - 1];
    if (!found) return undefined;
    const made = copy(found.node);
    const items = itemsOf(made);
    if (items)
      for (const item of itemsOf(node)!.slice(0, found.items)) {
        const inner = nodeAt(checkpoint, item);
        if (inner) items.push(inner);
      }
    return made;
  };

  const restore = (seq: number): RunState => {
    const state = createState();
    const checkpoint = Math.floor(seq / every) - 1;
    const head = heads[checkpoint];
    if (!head) return state;
    const root = nodeAt(checkpoint, front.root);
    return restoreInto(state, { ...head, cuts: [...head.cuts], root } as RunSnapshot);
  };

  return {
    stateAt: (seq, from) => {
      const wanted = Math.max(0, Math.min(seq, entries.length));
      prepare(wanted);
      const isNear = from !== undefined && from.seq <= wanted && wanted - from.seq <= NEAR;
      const state = isNear ? from : restore(wanted);
      while (state.seq < wanted) fold(state, entries[state.seq]!);
      return state;
    },
  };
};

interface Kept {
  readonly checkpoint: number;
  /** Without its items. Only their number is kept, because items are never removed. */
  readonly node: Node;
  readonly items: number;
}

type Head = Omit<RunSnapshot, "root">;

const itemsOf = (node: Node): Node[] | undefined => ("items" in node ? node.items : undefined);

/** A copy that shares no mutable data with the node, which folding changes in place. */
const copy = (node: Node): Node => {
  switch (node.kind) {
    case "agent":
      return { ...node, items: [] };
    case "call":
      return {
        ...node,
        output: node.output.map((piece) => ({ ...piece })),
        outputLength: { ...node.outputLength },
        items: [],
      };
    case "step":
      return { ...node, retries: [...node.retries] };
    default:
      node satisfies PartNode | AskNode | MarkNode | ResumeNode;
      return { ...node };
  }
};
