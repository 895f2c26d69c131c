import type { Entry } from "./events.ts";
import { apply } from "./state/apply.ts";
import { type RunState, agentNode } from "./state/nodes.ts";

export { createAnswer, isFinished, type RunAnswer } from "./state/answer.ts";
export { addUsage } from "./state/nodes.ts";
export { plainState, restoreInto, snapshot, type RunSnapshot } from "./state/snapshot.ts";
export type {
  AgentNode,
  AskNode,
  CallNode,
  MarkNode,
  Node,
  PartNode,
  ResumeNode,
  RunState,
  StepNode,
} from "./state/nodes.ts";

/** The id for subscribing to the run itself: its start, end, usage, data, and the root agent's items. */
export const ROOT = "";

export const createState = (): RunState => ({
  seq: 0,
  protocol: undefined,
  run: undefined,
  thread: undefined,
  agentKey: undefined,
  model: undefined,
  user: undefined,
  message: undefined,
  startedAt: undefined,
  endedAt: undefined,
  outcome: undefined,
  error: undefined,
  usage: {},
  answer: [],
  awaiting: [],
  data: new Map(),
  cuts: [],
  root: agentNode({ name: "" }, ROOT, 0),
  nodes: new Map(),
  listeners: new Map(),
  inputs: new Map(),
  steps: new Map(),
});

/** Calls `listener` after each change of a node (or of the run: `ROOT`). Returns a function that unsubscribes. */
export const subscribe = (state: RunState, id: string, listener: () => void): (() => void) => {
  let listeners = state.listeners.get(id);
  if (!listeners) state.listeners.set(id, (listeners = new Set()));
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) state.listeners.delete(id);
  };
};

/** Like `subscribe`, but notifies at most once per animation frame. Browsers only. */
export const subscribeByFrame = (state: RunState, id: string, listener: () => void): (() => void) => {
  let frame = 0;
  const stop = subscribe(state, id, () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      listener();
    });
  });
  return () => {
    stop();
    cancelAnimationFrame(frame);
  };
};

/** An entry arrived whose predecessor was not folded. */
export class GapError extends Error {
  constructor(seq: number, found: number) {
    super(`entry ${found} arrived after ${seq}: the entries in between are missing`);
    this.name = "GapError";
  }
}

/** Applies one entry. Ignores entries that were already folded. Throws on a gap, without changing the state. */
export const fold = (state: RunState, entry: Entry): void => {
  if (entry.seq <= state.seq) return;
  if (entry.seq !== state.seq + 1) throw new GapError(state.seq, entry.seq);
  state.seq = entry.seq;
  apply(state, entry.event, entry.at);
};
