import type { AgentNode, AskNode, CallNode, Node, RunState, StepNode } from "../state.ts";

type Indexed = AgentNode | AskNode | CallNode | StepNode;

/**
 * The calls, asks, agents, and steps of a run at any depth, in start order. Updated incrementally: each node is read
 * once, and a token costs one comparison.
 */
export interface RunIndex {
  readonly state: RunState;
  readonly calls: readonly CallNode[];
  /** The calls that are pending or executing. */
  readonly openCalls: ReadonlySet<CallNode>;
  /** Increases when a node starts, ends, or changes state, and when the run ends. */
  readonly version: number;
  /** Calls `listener` when `version` increases. Watches nothing while there are no listeners. */
  subscribe(listener: () => void): () => void;
}

/** `subscribe` of `runcast/state`, or a version of it that notifies once per frame. */
type Subscribe = (state: RunState, id: string, listener: () => void) => () => void;

export const createRunIndex = (state: RunState, subscribe: Subscribe): RunIndex => {
  const nodes = state.nodes.values();
  const calls: CallNode[] = [];
  const openCalls = new Set<CallNode>();
  const open = new Map<Indexed, { mark: string; stop: (() => void) | undefined }>();
  const listeners = new Set<() => void>();
  let seen = 0;
  let version = 0;
  let { outcome } = state;

  const watch = (node: Indexed): (() => void) | undefined =>
    listeners.size > 0 ? subscribe(state, node.id, () => look(node)) : undefined;
  const add = (node: Node): void => {
    if (node.kind !== "call" && node.kind !== "ask" && node.kind !== "agent" && node.kind !== "step") return;
    version++;
    if (node.kind === "call") calls.push(node);
    if (node.endedAt !== undefined) return;
    if (node.kind === "call") openCalls.add(node);
    open.set(node, { mark: markOf(node), stop: watch(node) });
  };
  /** Reads new nodes. Never reads past the end, because the iterator would stay exhausted. */
  const take = (): void => {
    for (; seen < state.nodes.size; seen++) add(nodes.next().value!);
    if (outcome === state.outcome) return;
    ({ outcome } = state);
    version++;
  };
  const check = (node: Indexed): void => {
    const known = open.get(node);
    if (!known || known.mark === markOf(node)) return;
    known.mark = markOf(node);
    version++;
    if (node.endedAt === undefined) return;
    known.stop?.();
    open.delete(node);
    openCalls.delete(node as CallNode);
  };
  const look = (node: Indexed | undefined): void => {
    const before = version;
    take();
    if (node) check(node);
    if (version !== before) for (const listener of [...listeners]) listener();
  };
  const refresh = (): void => {
    take();
    for (const node of [...open.keys()]) check(node);
  };
  refresh();

  let stopRoot: (() => void) | undefined;
  return {
    state,
    calls,
    openCalls,
    get version() {
      return version;
    },
    subscribe(listener) {
      listeners.add(listener);
      if (listeners.size === 1) {
        refresh();
        stopRoot = subscribe(state, state.root.id, () => look(undefined));
        for (const [node, known] of open) known.stop ??= watch(node);
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        stopRoot?.();
        for (const known of open.values()) {
          known.stop?.();
          known.stop = undefined;
        }
      };
    },
  };
};

const markOf = (node: Indexed): string =>
  node.kind === "call" ? `${node.state} ${node.executedAt}` : `${node.endedAt}`;
