import type { Event, EventOf, EventType, Json } from "../events.ts";
import { createJsonParser } from "../json.ts";
import { add, agentOf, change, touch } from "./change.ts";
import { mark, replaceData } from "./marks.ts";
import {
  type AgentNode,
  type AskNode,
  type CallNode,
  type PartNode,
  type RunState,
  type StepNode,
  addUsage,
  agentNode,
  appendOutput,
  askNode,
  callNode,
  partNode,
  stepNode,
} from "./nodes.ts";

type Effect<Of extends Event> = (state: RunState, event: Of, at: number) => void;

/** Applies one event to a state. Ignores event types of later versions. */
export const apply = (state: RunState, event: Event, at: number): void =>
  (EFFECTS[event.type] as Effect<Event> | undefined)?.(state, event, at);

const startPart: Effect<EventOf<"text-start" | "thinking-start">> = (state, event, at) => {
  const part = partNode(event, state.steps.get(event.agent), at);
  const { replaces } = part;
  if (replaces !== undefined) change(state, replaces, (earlier: PartNode) => void (earlier.replacedBy = part.id));
  add(state, part, part.call);
};

const extendPart: Effect<EventOf<"text-delta" | "thinking-delta">> = (state, event) => {
  const part = state.nodes.get(event.part) as PartNode | undefined;
  if (!part) return;
  part.text += event.delta;
  touch(state, part);
};

const endPart: Effect<EventOf<"text-end" | "thinking-end">> = (state, event, at) => {
  if (event.cut) noteCut(state, event.part);
  change(state, event.part, (part: PartNode) => {
    part.endedAt = at;
    part.cut = event.cut === true;
  });
};

/** Records what was cut, for the next `run-resume`. */
const noteCut = (state: RunState, id: string): void => void state.cuts.push({ seq: state.seq, id });

const EFFECTS: { readonly [Type in EventType]: Effect<EventOf<Type>> } = {
  "run-start": (state, { protocol, run, thread, model, user, message, name, agentKey = name }, at) => {
    Object.assign(state, { protocol, run, thread, agentKey, model, user, message, startedAt: at });
    Object.assign(state.root, { name, model, startedAt: at });
    touch(state, state.root);
  },
  "run-resume": (state, { owner, reason, after }, at) => {
    const cut = state.cuts.filter(({ seq }) => seq > after).map(({ id }) => id);
    state.cuts = [];
    const base = { agent: undefined, version: 0, startedAt: at, endedAt: at };
    add(state, { kind: "resume", id: `resume ${state.seq}`, ...base, owner, reason, after, cut }, undefined);
  },
  "run-end": (state, event, at) => {
    state.endedAt = state.root.endedAt = at;
    state.outcome = state.root.outcome = event.outcome;
    state.error = state.root.error = event.error;
    state.root.status = undefined;
    if (event.usage) state.usage = event.usage;
    state.answer = event.answer ?? [];
    state.awaiting = event.awaiting ?? [];
    touch(state, state.root);
  },
  "agent-start": (state, event, at) => add(state, agentNode(event, event.agent, at), event.call),
  "agent-end": (state, event, at) => {
    if (event.outcome === "interrupted") noteCut(state, event.agent);
    change(state, event.agent, (agent: AgentNode) => {
      agent.endedAt = at;
      agent.outcome = event.outcome;
      agent.error = event.error;
      agent.status = undefined;
      if (event.usage) agent.usage = event.usage;
    });
  },
  "step-start": (state, event, at) => {
    state.steps.set(event.agent, event.step);
    add(state, stepNode(event, at), undefined);
  },
  "step-retry": (state, { step: id, attempt, wait, error }, at) =>
    change(state, id, (step: StepNode) => void step.retries.push({ attempt, wait, error, at })),
  "step-end": (state, event, at) => {
    state.steps.delete(event.agent);
    if (event.finish === "interrupted") noteCut(state, event.step);
    change(state, event.step, (step: StepNode) => {
      step.endedAt = at;
      step.finish = event.finish;
      step.usage = event.usage;
    });
    if (!event.usage) return;
    state.usage = addUsage(state.usage, event.usage);
    const agent = agentOf(state, event.agent);
    if (!agent) return;
    agent.usage = addUsage(agent.usage, event.usage);
    touch(state, agent);
  },
  "text-start": startPart,
  "text-delta": extendPart,
  "text-end": endPart,
  "thinking-start": startPart,
  "thinking-delta": extendPart,
  "thinking-end": endPart,
  "tool-start": (state, event, at) => {
    const earlier = event.repeats === undefined ? undefined : state.nodes.get(event.repeats);
    const step = earlier?.kind === "call" ? earlier.step : state.steps.get(event.agent);
    if (earlier) change(state, earlier.id, (call: CallNode) => void (call.repeatedBy = event.call));
    add(state, callNode(event, step, at), undefined);
  },
  "tool-input-delta": (state, event) => {
    const call = state.nodes.get(event.call) as CallNode | undefined;
    if (!call) return;
    let parser = state.inputs.get(event.call);
    if (!parser) state.inputs.set(event.call, (parser = createJsonParser()));
    parser.push(event.delta);
    call.inputText += event.delta;
    call.input = parser.value as Json | undefined;
    touch(state, call);
  },
  "tool-input-end": (state, event) =>
    change(state, event.call, (call: CallNode) => {
      call.inputDone = true;
      const parser = state.inputs.get(event.call);
      parser?.end();
      call.input = parser ? (parser.value as Json | undefined) : event.input;
      state.inputs.delete(event.call);
    }),
  "tool-execute": (state, event, at) =>
    change(state, event.call, (call: CallNode) => {
      call.state = "executing";
      call.executedAt = at;
      if (event.input === undefined) return;
      call.input = event.input;
      call.edited = true;
    }),
  "tool-progress": (state, { call: id, note, fraction, value }) =>
    change(state, id, (call: CallNode) => void (call.progress = { note, fraction, value })),
  "tool-output-delta": (state, event) =>
    change(state, event.call, (call: CallNode) => appendOutput(call, event.stream, event.delta)),
  "tool-end": (state, event, at) => {
    state.inputs.delete(event.call);
    if (event.outcome === "interrupted") noteCut(state, event.call);
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
  },
  "ask-start": (state, event, at) => add(state, askNode(event, at), event.call),
  "ask-end": (state, event, at) => {
    if (event.outcome === "interrupted") noteCut(state, event.ask);
    change(state, event.ask, (ask: AskNode) => {
      ask.endedAt = at;
      ask.outcome = event.outcome;
      ask.answer = event.answer;
      ask.by = event.by;
    });
  },
  status: (state, event) => {
    const node = event.call === undefined ? agentOf(state, event.agent) : state.nodes.get(event.call);
    if (node?.kind !== "agent" && node?.kind !== "call") return;
    node.status = event.text === "" ? undefined : event.text;
    touch(state, node);
  },
  citation: mark,
  file: mark,
  embed: mark,
  notice: mark,
  data: replaceData,
};
