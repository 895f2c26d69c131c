import type { Event, EventOf, Json } from "../events.ts";
import { applyPatch, createJsonParser } from "../json.ts";
import {
  type AgentNode,
  type CallNode,
  type MarkNode,
  type Node,
  type PartNode,
  type RunState,
  addUsage,
  agentNode,
  appendOutput,
  callNode,
  partNode,
} from "./nodes.ts";

const touch = (state: RunState, node: Node): void => {
  node.version++;
  const listeners = state.listeners.get(node.id);
  if (listeners) for (const listener of listeners) listener();
};

/** What one event does to a state. */
export const apply = (state: RunState, event: Event, at: number): void => {
  switch (event.type) {
    case "text-delta":
    case "thinking-delta": {
      const part = state.nodes.get(event.part) as PartNode | undefined;
      if (!part) return;
      part.text += event.delta;
      return touch(state, part);
    }
    case "tool-input-delta": {
      const call = state.nodes.get(event.call) as CallNode | undefined;
      if (!call) return;
      let parser = state.inputs.get(event.call);
      if (!parser) state.inputs.set(event.call, (parser = createJsonParser()));
      parser.push(event.delta);
      call.inputText += event.delta;
      call.input = parser.value as Json | undefined;
      return touch(state, call);
    }
    case "tool-output-delta":
      return change(state, event.call, (call: CallNode) => appendOutput(call, event.stream, event.delta));
    case "text-start":
    case "thinking-start": {
      const part = partNode(event, state.steps.get(event.agent), at);
      const replaced = part.replaces === undefined ? undefined : state.nodes.get(part.replaces);
      if (replaced) change(state, replaced.id, (earlier: PartNode) => void (earlier.replacedBy = part.id));
      return add(state, part, part.call);
    }
    case "text-end":
    case "thinking-end":
      return change(state, event.part, (part: PartNode) => {
        part.endedAt = at;
        part.cut = event.cut === true;
      });
    case "tool-start":
      return add(state, callNode(event, state.steps.get(event.agent), at), undefined);
    case "tool-input-end":
      return change(state, event.call, (call: CallNode) => {
        call.inputDone = true;
        const parser = state.inputs.get(event.call);
        parser?.end();
        call.input = parser ? (parser.value as Json | undefined) : event.input;
        state.inputs.delete(event.call);
      });
    case "tool-execute":
      return change(state, event.call, (call: CallNode) => {
        call.state = "executing";
        call.executedAt = at;
        if (event.input === undefined) return;
        call.input = event.input;
        call.edited = true;
      });
    case "tool-progress":
      return change(state, event.call, (call: CallNode) => {
        call.progress = { note: event.note, fraction: event.fraction, value: event.value };
      });
    case "tool-end":
      return endCall(state, event, at);
    case "agent-start":
      return add(state, agentNode(event, event.agent, at), event.call);
    case "agent-end":
      return change(state, event.agent, (agent: AgentNode) => {
        agent.endedAt = at;
        agent.outcome = event.outcome;
        agent.error = event.error;
        agent.status = undefined;
        if (event.usage) agent.usage = event.usage;
      });
    case "ask-start": {
      const { type: _, agent, meta: __, ...ask } = event;
      return add(
        state,
        {
          kind: "ask",
          id: event.ask,
          agent,
          version: 0,
          startedAt: at,
          endedAt: undefined,
          ask,
          outcome: undefined,
          answer: undefined,
          by: undefined,
        },
        event.call,
      );
    }
    case "ask-end":
      return change(state, event.ask, (ask: Extract<Node, { kind: "ask" }>) => {
        ask.endedAt = at;
        ask.outcome = event.outcome;
        ask.answer = event.answer;
        ask.by = event.by;
      });
    case "citation":
    case "file":
    case "embed":
    case "notice":
      return mark(state, event, at);
    case "status": {
      const node = event.call === undefined ? agentOf(state, event.agent) : state.nodes.get(event.call);
      if (node?.kind !== "agent" && node?.kind !== "call") return;
      node.status = event.text === "" ? undefined : event.text;
      return touch(state, node);
    }
    default:
      return applyRunOrStep(state, event, at);
  }
};

const applyRunOrStep = (
  state: RunState,
  event: EventOf<"run-start" | "run-end" | "step-start" | "step-retry" | "step-end" | "data">,
  at: number,
): void => {
  switch (event.type) {
    case "run-start": {
      const { run, thread, model, user, message } = event;
      Object.assign(state, { run, thread, model, user, message, startedAt: at });
      Object.assign(state.root, { name: event.name, model, startedAt: at });
      return touch(state, state.root);
    }
    case "run-end":
      state.endedAt = state.root.endedAt = at;
      state.outcome = state.root.outcome = event.outcome;
      state.error = state.root.error = event.error;
      state.root.status = undefined;
      if (event.usage) state.usage = event.usage;
      state.answer = event.answer ?? [];
      state.awaiting = event.awaiting ?? [];
      return touch(state, state.root);
    case "step-start":
      state.steps.set(event.agent, event.step);
      return add(
        state,
        {
          kind: "step",
          id: event.step,
          agent: event.agent,
          version: 0,
          startedAt: at,
          endedAt: undefined,
          model: event.model,
          finish: undefined,
          usage: undefined,
          retries: [],
        },
        undefined,
      );
    case "step-retry":
      return change(state, event.step, (step: Extract<Node, { kind: "step" }>) => {
        step.retries.push({ attempt: event.attempt, wait: event.wait, error: event.error, at });
      });
    case "step-end": {
      state.steps.delete(event.agent);
      change(state, event.step, (step: Extract<Node, { kind: "step" }>) => {
        step.endedAt = at;
        step.finish = event.finish;
        step.usage = event.usage;
      });
      if (!event.usage) return;
      state.usage = addUsage(state.usage, event.usage);
      const agent = agentOf(state, event.agent);
      if (!agent) return;
      agent.usage = addUsage(agent.usage, event.usage);
      return touch(state, agent);
    }
    case "data": {
      const key = event.id === undefined ? event.name : `${event.name} ${event.id}`;
      state.data.set(key, event.patch === undefined ? event.value : patched(state.data.get(key), event.patch));
      return touch(state, state.root);
    }
  }
};

/** A patch that does not apply leaves the value as it was: every reader of the log must come to the same state. */
const patched = (value: Json | undefined, patch: Json): Json | undefined => {
  try {
    return applyPatch(value, patch);
  } catch {
    return value;
  }
};

const endCall = (state: RunState, event: EventOf<"tool-end">, at: number): void => {
  state.inputs.delete(event.call);
  change(state, event.call, (call: CallNode) => {
    call.state = event.outcome;
    call.endedAt = at;
    call.ms = event.ms;
    call.content = event.content;
    call.value = event.value;
    call.error = event.error;
    call.bytes = event.bytes;
    call.status = undefined;
  });
};

const agentOf = (state: RunState, agent: string | undefined): AgentNode | undefined => {
  if (agent === undefined) return state.root;
  const node = state.nodes.get(agent);
  return node?.kind === "agent" ? node : undefined;
};

/** Events that speak of something unknown change nothing: `verify` reports them. */
const change = <Kind extends Node>(state: RunState, id: string, edit: (node: Kind) => void): void => {
  const node = state.nodes.get(id);
  if (!node) return;
  edit(node as Kind);
  touch(state, node);
};

const add = (state: RunState, node: Node, call: string | undefined): void => {
  if (!isMark(node)) state.nodes.set(node.id, node);
  const caller = call === undefined ? undefined : state.nodes.get(call);
  const home = caller?.kind === "call" ? caller : agentOf(state, node.agent);
  if (!home) return;
  home.items.push(node);
  touch(state, home);
};

const isMark = (node: Node): node is MarkNode =>
  node.kind === "citation" || node.kind === "file" || node.kind === "embed" || node.kind === "notice";

const mark = (state: RunState, event: MarkNode["event"], at: number): void => {
  if (event.type === "embed") {
    const key = `embed ${event.embed}`;
    const earlier = state.nodes.get(key) as MarkNode | undefined;
    if (earlier) {
      earlier.event = event;
      return touch(state, earlier);
    }
    const node: MarkNode = {
      kind: "embed",
      id: key,
      agent: event.agent,
      version: 0,
      startedAt: at,
      endedAt: at,
      event,
    };
    state.nodes.set(key, node);
    return add(state, node, event.call);
  }
  add(
    state,
    {
      kind: event.type,
      id: `${event.type} ${state.seq}`,
      agent: event.agent,
      version: 0,
      startedAt: at,
      endedAt: at,
      event,
    },
    event.call,
  );
};
