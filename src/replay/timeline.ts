import type { Entry } from "../events.ts";
import { createState, fold, restoreInto, type RunSnapshot, type RunState } from "../state.ts";
import type { AskNode, MarkNode, Node, PartNode, ResumeNode } from "../state.ts";

/** The state of a run after any of its entries. */
export interface Timeline {
  /**
   * The state after entry `seq`: exactly what folding everything up to it gives. A state that is given and lies not far before it is
   * folded on and given back; otherwise it is a new one, which nobody else changes.
   */
  stateAt(seq: number, from?: RunState): RunState;
}

/** A checkpoint this often: what lies between is folded. */
const EVERY = 500;
/** Up to so many entries are folded on in place rather than looked up. */
const NEAR = 2000;

/**
 * Reads `entries` when they are asked for: more may be added at the end at any time.
 *
 * A checkpoint keeps only the nodes that changed since the one before, and of what was appended its length: all of them together cost
 * what the run itself costs.
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

  /** A node as it was; undefined if there was none yet. */
  const nodeAt = (checkpoint: number, node: Node): Node | undefined => {
    const versions = kept.get(node.id);
    // Those that are said once, and never change, are kept nowhere.
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
  /** Without its items: of those only the number is kept, for they are never taken away. */
  readonly node: Node;
  readonly items: number;
}

type Head = Omit<RunSnapshot, "root">;

const itemsOf = (node: Node): Node[] | undefined => ("items" in node ? node.items : undefined);

/** Shares nothing with the node that folding changes in place. */
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
