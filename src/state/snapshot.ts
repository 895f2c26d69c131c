import type { Json } from "../events.ts";
import { createJsonParser } from "../json.ts";
import { isFound } from "./change.ts";
import type { AgentNode, Node, RunState } from "./nodes.ts";

/** A state as plain JSON: the response of `GET /runs/:run`, and an alternative starting point for viewers to the whole log. */
export interface RunSnapshot extends Omit<RunState, "data" | "nodes" | "listeners" | "inputs" | "steps"> {
  readonly data: readonly (readonly [string, Json | undefined])[];
}

/** A snapshot that shares its nodes with the state, so it is valid only until the state changes. */
export const plainState = (state: RunState): RunSnapshot => {
  const { nodes: _, listeners: __, inputs: ___, steps: ____, data, ...rest } = state;
  return { ...rest, data: [...data] };
};

/** A deep copy that shares nothing with the state. */
export const snapshot = (state: RunState): RunSnapshot => JSON.parse(JSON.stringify(plainState(state)));

/** Fills an empty state from a snapshot, so folding can continue after `snapshot.seq`. Takes ownership of the snapshot. */
export const restoreInto = (state: RunState, from: RunSnapshot): RunState => {
  const { data, root, ...rest } = from;
  Object.assign(state, rest);
  for (const [key, value] of data) state.data.set(key, value);
  Object.assign(state.root, root);
  restoreAgent(state, undefined, state.root);
  return state;
};

const restoreAgent = (state: RunState, id: string | undefined, agent: AgentNode): void => {
  const step = agent.items.findLast((item) => item.kind === "step");
  if (step && step.endedAt === undefined) state.steps.set(id, step.id);
  for (const item of agent.items) restoreNode(state, item);
};

const restoreNode = (state: RunState, node: Node): void => {
  if (isFound(node)) state.nodes.set(node.id, node);
  if (node.kind === "agent") restoreAgent(state, node.id, node);
  if (node.kind !== "call") return;
  for (const item of node.items) restoreNode(state, item);
  if (node.inputDone || node.inputText === "" || node.endedAt !== undefined) return;
  const parser = createJsonParser();
  parser.push(node.inputText);
  node.input = parser.value as Json | undefined;
  state.inputs.set(node.id, parser);
};
