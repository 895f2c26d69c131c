import type { Json } from "../events.ts";
import { createJsonParser } from "../json.ts";
import { isFound } from "./change.ts";
import type { AgentNode, Node, RunState } from "./nodes.ts";

/** A state as plain JSON: what `GET /runs/:run` answers and what a viewer may start from instead of the whole log. */
export interface RunSnapshot extends Omit<RunState, "data" | "nodes" | "listeners" | "inputs" | "steps"> {
  readonly data: readonly (readonly [string, Json | undefined])[];
}

/** What a snapshot says, as long as the state does not change: shares its nodes. */
export const plainState = (state: RunState): RunSnapshot => {
  const { nodes: _, listeners: __, inputs: ___, steps: ____, data, ...rest } = state;
  return { ...rest, data: [...data] };
};

/** Shares nothing with the state. */
export const snapshot = (state: RunState): RunSnapshot => JSON.parse(JSON.stringify(plainState(state)));

/** Fills an empty state from a snapshot, so that folding can go on after `snapshot.seq`. Takes the snapshot over. */
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
