import type { AgentNode, AskNode, CallNode, Node, RunState, StepNode } from "../state.ts";

type Indexed = AgentNode | AskNode | CallNode | StepNode;

/**
 * The calls, asks, agents and steps of a run, however deep, in the order they began. Kept as the run goes on: what was read
 * once is not read again, and a token costs a comparison.
 */
export interface RunIndex {
  readonly state: RunState;
  readonly calls: readonly CallNode[];
  /** Those that nobody has answered yet. */
  readonly openAsks: ReadonlySet<AskNode>;
  /** Those that are pending or executing. */
  readonly openCalls: ReadonlySet<CallNode>;
  /** Rises when something began, ended or went over into another state, the run itself too. */
  readonly version: number;
  /** Calls `listener` when `version` has risen. Nothing is watched while nobody listens. */
  subscribe(listener: () => void): () => void;
}

/** `subscribe` of `runcast/state`, or one that tells once a frame. */
type Subscribe = (state: RunState, id: string, listener: () => void) => () => void;

export const createRunIndex = (state: RunState, subscribe: Subscribe): RunIndex => {
  const nodes = state.nodes.values();
  const calls: CallNode[] = [];
  const openAsks = new Set<AskNode>();
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
    if (node.kind === "ask") openAsks.add(node);
    open.set(node, { mark: markOf(node), stop: watch(node) });
  };
  /** Takes in what is new. The iterator is never asked beyond the end, where it would stop for good. */
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
    openAsks.delete(node as AskNode);
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
    openAsks,
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
