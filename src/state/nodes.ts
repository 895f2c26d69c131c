import type {
  Answer,
  AskOutcome,
  CallOutcome,
  Content,
  Event,
  EventOf,
  Finish,
  Json,
  Message,
  Problem,
  RunOutcome,
  Usage,
  User,
} from "../events.ts";
import type { JsonParser } from "../json.ts";
import { MAX_COST } from "../protocol.ts";

/** The base of all nodes. `version` increases with every change, so a view can detect that it is stale. */
interface NodeBase {
  readonly id: string;
  /** The sub-agent it belongs to. Undefined for the root agent. */
  readonly agent: string | undefined;
  version: number;
  readonly startedAt: number;
  endedAt: number | undefined;
}

export interface AgentNode extends NodeBase {
  readonly kind: "agent";
  readonly name: string;
  readonly parent: string | undefined;
  readonly call: string | undefined;
  readonly task: string | undefined;
  readonly model: string | undefined;
  outcome: RunOutcome | undefined;
  error: Problem | undefined;
  status: string | undefined;
  usage: Usage;
  /** Its items, in start order. */
  readonly items: Node[];
}

export interface StepNode extends NodeBase {
  readonly kind: "step";
  readonly model: string | undefined;
  finish: Finish | undefined;
  usage: Usage | undefined;
  readonly retries: { attempt: number; wait: number; error: Problem; at: number }[];
}

export interface PartNode extends NodeBase {
  readonly kind: "text" | "thinking";
  readonly step: string | undefined;
  readonly call: string | undefined;
  text: string;
  cut: boolean;
  readonly redacted: boolean;
  readonly replaces: string | undefined;
  /** The part that replaced this one. */
  replacedBy: string | undefined;
}

export interface CallNode extends NodeBase {
  readonly kind: "call";
  readonly name: string;
  readonly title: string | undefined;
  readonly provider: boolean;
  readonly step: string | undefined;
  /** The interrupted call that this one repeats, and the call that repeats this one. */
  readonly repeats: string | undefined;
  repeatedBy: string | undefined;
  state: "pending" | "executing" | CallOutcome;
  /** The raw arguments, and the value parsed from them so far. */
  inputText: string;
  input: Json | undefined;
  inputDone: boolean;
  edited: boolean;
  executedAt: number | undefined;
  ms: number | undefined;
  status: string | undefined;
  progress: { note?: string; fraction?: number; value?: Json } | undefined;
  /** The tail of stdout and stderr in arrival order. `outputLength` counts all of it, in UTF-16 code units. */
  output: { stream: "stdout" | "stderr"; text: string }[];
  outputLength: { stdout: number; stderr: number };
  content: readonly Content[] | undefined;
  value: Json | undefined;
  error: Problem | undefined;
  bytes: EventOf<"tool-end">["bytes"];
  /** Its own text, asks, sub-agents, files, citations, and embeds, in arrival order. */
  readonly items: Node[];
}

export interface AskNode extends NodeBase {
  readonly kind: "ask";
  readonly ask: Omit<EventOf<"ask-start">, "type" | "agent" | "meta">;
  outcome: AskOutcome | undefined;
  answer: Answer | undefined;
  by: string | undefined;
}

/** Single-event nodes, which end when they start. An embed with a known id replaces the earlier one. */
export interface MarkNode extends NodeBase {
  readonly kind: "citation" | "file" | "embed" | "notice";
  event: Extract<Event, { type: "citation" | "file" | "embed" | "notice" }>;
}

/** Marks where another process took over the run. Appears among the root's items. */
export interface ResumeNode extends NodeBase, Omit<EventOf<"run-resume">, "type" | "agent" | "meta"> {
  readonly kind: "resume";
  /** The ids of the parts, steps, calls, asks, and agents that were cut off, in the order they were ended. */
  readonly cut: readonly string[];
}

export type Node = AgentNode | StepNode | PartNode | CallNode | AskNode | MarkNode | ResumeNode;

/**
 * The state of a run after some prefix of its log. Only `fold` changes it, in place, so a token copies nothing. Nodes
 * keep their identity and increment their `version`.
 */
export interface RunState {
  /** The seq of the last folded entry. */
  seq: number;
  /** The protocol version of the log. */
  protocol: number | undefined;
  run: string | undefined;
  thread: string | undefined;
  /** The name that the server configures the agent under. The agent chooses `root.name` itself. */
  agentKey: string | undefined;
  model: string | undefined;
  user: User | undefined;
  message: Message | undefined;
  startedAt: number | undefined;
  endedAt: number | undefined;
  /** Undefined while the run is in progress. */
  outcome: RunOutcome | undefined;
  error: Problem | undefined;
  usage: Usage;
  answer: readonly string[];
  awaiting: readonly string[];
  /** Data slots, keyed by name, or by name and id separated by a space. */
  readonly data: Map<string, Json | undefined>;
  /** What was cut or interrupted since the run started or was last taken over, with the seq of the entry. */
  cuts: { readonly seq: number; readonly id: string }[];
  readonly root: AgentNode;
  /** Agents, steps, parts, calls, and asks by id. */
  readonly nodes: Map<string, Node>;
  readonly listeners: Map<string, Set<() => void>>;
  /** Parsers of arguments that are still streaming. */
  readonly inputs: Map<string, JsonParser>;
  /** The open step of each agent. */
  readonly steps: Map<string | undefined, string>;
}

export const agentNode = (
  event: Omit<EventOf<"agent-start">, "type" | "agent">,
  id: string,
  at: number,
): AgentNode => ({
  kind: "agent",
  id,
  agent: event.parent,
  version: 0,
  startedAt: at,
  endedAt: undefined,
  name: event.name,
  parent: event.parent,
  call: event.call,
  task: event.task,
  model: event.model,
  outcome: undefined,
  error: undefined,
  status: undefined,
  usage: {},
  items: [],
});

export const partNode = (
  event: EventOf<"text-start" | "thinking-start">,
  step: string | undefined,
  at: number,
): PartNode => ({
  kind: event.type === "text-start" ? "text" : "thinking",
  id: event.part,
  agent: event.agent,
  version: 0,
  startedAt: at,
  endedAt: undefined,
  step,
  call: event.type === "text-start" ? event.call : undefined,
  text: "",
  cut: false,
  redacted: event.type === "thinking-start" && event.redacted === true,
  replaces: event.type === "text-start" ? event.replaces : undefined,
  replacedBy: undefined,
});

export const callNode = (event: EventOf<"tool-start">, step: string | undefined, at: number): CallNode => ({
  kind: "call",
  id: event.call,
  agent: event.agent,
  version: 0,
  startedAt: at,
  endedAt: undefined,
  name: event.name,
  title: event.title,
  provider: event.provider === true,
  step,
  repeats: event.repeats,
  repeatedBy: undefined,
  state: "pending",
  inputText: "",
  input: undefined,
  inputDone: false,
  edited: false,
  executedAt: undefined,
  ms: undefined,
  status: undefined,
  progress: undefined,
  output: [],
  outputLength: { stdout: 0, stderr: 0 },
  content: undefined,
  value: undefined,
  error: undefined,
  bytes: undefined,
  items: [],
});

export const stepNode = (event: EventOf<"step-start">, at: number): StepNode => ({
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
});

export const askNode = ({ type: _, meta: __, agent, ...ask }: EventOf<"ask-start">, at: number): AskNode => ({
  kind: "ask",
  id: ask.ask,
  agent,
  version: 0,
  startedAt: at,
  endedAt: undefined,
  ask,
  outcome: undefined,
  answer: undefined,
  by: undefined,
});

const OUTPUT_KEPT = 64 * 1024;

/** Appends live output and drops the oldest pieces, so a verbose tool keeps only a bounded tail. */
export const appendOutput = (call: CallNode, stream: "stdout" | "stderr", delta: string): void => {
  call.outputLength[stream] += delta.length;
  const last = call.output.at(-1);
  if (last?.stream === stream && last.text.length < OUTPUT_KEPT / 16) last.text += delta;
  else call.output.push({ stream, text: delta.length > OUTPUT_KEPT ? delta.slice(-OUTPUT_KEPT) : delta });
  // A piece is at most a sixteenth of the limit (or one large delta), so this rarely drops anything, and then only a few pieces.
  if (call.output.length <= 16) return;
  let kept = 0;
  let first = call.output.length;
  while (first > 0 && kept < OUTPUT_KEPT) kept += call.output[--first]!.text.length;
  if (first > 0) call.output.splice(0, first);
};

export const addUsage = (total: Usage, more: Usage | undefined): Usage => {
  if (!more) return total;
  const sum: { -readonly [Key in keyof Usage]: Usage[Key] } = { ...total };
  for (const key of ["input", "output", "reasoning", "cached"] as const) {
    const value = more[key];
    if (value !== undefined) sum[key] = (sum[key] ?? 0) + value;
  }
  if (more.cost !== undefined) sum.cost = Math.min(MAX_COST, (sum.cost ?? 0) + more.cost);
  return sum;
};
