import type { Json } from "../../src/events.ts";
import { parseJson } from "../../src/json.ts";
import type { CallNode, Node, RunState } from "../../src/state.ts";

/** The result that every reader must derive from a log, regardless of its internal state. Described in `conformance/README.md`. */
export type Outline = Json;

export const outlineOf = (state: RunState): Outline => {
  const outline = {
    seq: state.seq,
    outcome: state.outcome,
    error: state.error,
    usage: state.usage,
    answer: state.answer.map((part) => textOf(state.nodes.get(part))).join("\n\n"),
    awaiting: state.awaiting,
    status: state.root.status,
    data: Object.fromEntries(state.data),
    items: state.root.items.map(itemOf),
  };
  // Removes absent fields.
  return JSON.parse(JSON.stringify(outline)) as Outline;
};

const itemOf = (node: Node): unknown => {
  const { kind, id } = node;
  switch (node.kind) {
    case "agent": {
      const { name, outcome, error, status, usage, items } = node;
      return { kind, id, name, outcome, error, status, usage, items: items.map(itemOf) };
    }
    case "step":
      return { kind, id, finish: node.finish, usage: node.usage, retries: node.retries.length || undefined };
    case "text":
    case "thinking": {
      const isOpen = node.endedAt === undefined || undefined;
      return { kind, id, text: node.text, open: isOpen, cut: node.cut || undefined, replacedBy: node.replacedBy };
    }
    case "call":
      return callOf(node);
    case "ask":
      return { kind, id, asks: node.ask.kind, outcome: node.outcome, answer: node.answer, by: node.by };
    case "resume":
      return { kind, reason: node.reason, cut: node.cut };
    default: {
      const { agent: _, call: __, meta: ___, type: ____, ...fields } = node.event;
      return { kind, ...fields };
    }
  }
};

const callOf = (node: CallNode): unknown => {
  const { kind, id, name, state, ms, content, value, error, status, progress, repeatedBy, items } = node;
  return {
    kind,
    id,
    name,
    state,
    input: inputOf(node),
    progress,
    status,
    output: outputOf(node),
    content,
    value,
    error,
    ms,
    repeatedBy,
    items: items.map(itemOf),
  };
};

/** Incomplete or invalid arguments are undefined. */
const inputOf = ({ edited, inputDone, inputText, input }: CallNode): unknown => {
  if (edited) return input;
  if (!inputDone) return undefined;
  return inputText === "" ? input : parseJson(inputText);
};

const outputOf = ({ output }: CallNode): readonly [stream: string, text: string][] => {
  const pieces: [string, string][] = [];
  for (const { stream, text } of output) {
    const last = pieces.at(-1);
    if (last?.[0] === stream) last[1] += text;
    else pieces.push([stream, text]);
  }
  return pieces;
};

const textOf = (node: Node | undefined): string => (node?.kind === "text" ? node.text : "");
