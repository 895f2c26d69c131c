import type { AgentNode, Node, RunState } from "./nodes.ts";

/** Marks a node as changed and notifies its listeners. */
export const touch = (state: RunState, node: Node): void => {
  node.version++;
  const listeners = state.listeners.get(node.id);
  if (listeners) for (const listener of listeners) listener();
};

/** Ignores events about unknown nodes. `verify` reports them. */
export const change = <Kind extends Node>(state: RunState, id: string, edit: (node: Kind) => void): void => {
  const node = state.nodes.get(id);
  if (!node) return;
  edit(node as Kind);
  touch(state, node);
};

export const add = (state: RunState, node: Node, call: string | undefined): void => {
  if (isFound(node)) state.nodes.set(node.id, node);
  const caller = call === undefined ? undefined : state.nodes.get(call);
  const home = caller?.kind === "call" ? caller : agentOf(state, node.agent);
  if (!home) return;
  home.items.push(node);
  touch(state, home);
};

/** Whether later events can reference the node. */
export const isFound = ({ kind }: Node): boolean => FOUND[kind];

const FOUND: { readonly [Kind in Node["kind"]]: boolean } = {
  agent: true,
  step: true,
  text: true,
  thinking: true,
  call: true,
  ask: true,
  embed: true,
  citation: false,
  file: false,
  notice: false,
  resume: false,
};

export const agentOf = (state: RunState, agent: string | undefined): AgentNode | undefined => {
  if (agent === undefined) return state.root;
  const node = state.nodes.get(agent);
  return node?.kind === "agent" ? node : undefined;
};
