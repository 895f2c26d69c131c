import type { Entry, Event, EventOf, Finish, Json, Message, RunOutcome, Usage } from "../../events.ts";
import { type EventsAbout, isPermission } from "../../protocol.ts";
import { splitProviderId } from "../../ids.ts";
import { parseJson } from "../../json.ts";
import { addUsage } from "../../state.ts";
import { type PromptIds, createPromptIds } from "./prompt-ids.ts";
import { type AssistantPart, argumentsOf, optionsOf } from "./prompt.ts";

/** The work of one agent as recorded in the log: enough to continue where it was cut. */
export interface PastAgent {
  readonly start: EventOf<"agent-start"> | undefined;
  readonly steps: PastStep[];
  /** The sub-agents it started, in order. */
  readonly children: PastAgent[];
  /** The asks that allowed a tool for the rest of the run, without those revoked since, and the tool's name. */
  readonly always: Map<string, string>;
  usage: Usage;
  end: { readonly outcome: RunOutcome; readonly message: string } | undefined;
}

export interface PastStep {
  readonly id: string;
  finish: Finish | undefined;
  /** The model's response, in the model's format. */
  readonly content: AssistantPart[];
  /** The calls that the agent or the client runs, without those that repeat another. */
  readonly calls: PastCall[];
  /** Calls that the provider runs. */
  readonly provided: PastCall[];
}

export interface PastCall {
  readonly start: EventOf<"tool-start">;
  readonly message: Extract<AssistantPart, { type: "tool-call" }>;
  text: string;
  input: Json | undefined;
  isExecuted: boolean;
  approval: PastApproval | undefined;
  end: EventOf<"tool-end"> | undefined;
  /** The call that repeats this one. */
  repeatedBy: PastCall | undefined;
}

export interface PastApproval {
  readonly ask: string;
  end: EventOf<"ask-end"> | undefined;
  /** The log says that the answer allows the tool for the rest of the run, even if that was revoked since. */
  isKept: boolean;
}

export interface PastRun {
  readonly root: PastAgent;
  /** Every id that the run has used. */
  readonly ids: ReadonlySet<string>;
  /** The number of the last entry. */
  readonly seq: number;
  /** Continues the assignment of call ids in the prompt. */
  readonly promptId: PromptIds;
}

/** Reads the past of a run of `agent()` from its log. */
export const readPast = async (
  pages: AsyncIterable<readonly Entry[]>,
  messages: readonly Message[],
): Promise<PastRun> => {
  const promptId = createPromptIds(messages);
  const { root, ids, take } = pastReader(promptId);
  let seq = 0;
  for await (const entries of pages) {
    for (const entry of entries) take(entry.event);
    seq = entries.at(-1)?.seq ?? seq;
  }
  return { root, ids, seq, promptId };
};

/** The step's content counts only if the model finished its response. */
export const isWhole = ({ finish, content }: PastStep): boolean =>
  finish !== undefined && !UNFINISHED.has(finish) && (finish !== "filter" || content.length > 0);
const UNFINISHED: ReadonlySet<Finish> = new Set(["interrupted", "error", "cancelled"] as const);

/** The last call in a chain of repeats, and the length of the chain. */
export const latestOf = (call: PastCall): { readonly latest: PastCall; readonly times: number } => {
  let latest = call;
  let times = 1;
  for (; latest.repeatedBy; times += 1) latest = latest.repeatedBy;
  return { latest, times };
};

export const textOf = (content: readonly AssistantPart[]): string =>
  content.map((part) => (part.type === "text" ? part.text : "")).join("");

const newAgent = (start: PastAgent["start"]): PastAgent => ({
  start,
  steps: [],
  children: [],
  always: new Map(),
  usage: {},
  end: undefined,
});

type Words = Extract<AssistantPart, { type: "text" | "reasoning" }>;

const pastReader = (promptId: PromptIds): Pick<PastRun, "root" | "ids"> & { take(event: Event): void } => {
  const root = newAgent(undefined);
  const ids = new Set<string>();
  const agents = new Map<string | undefined, PastAgent>([[undefined, root]]);
  const words = new Map<string, Words>();
  const calls = new Map<string, PastCall>();
  const approvals = new Map<string, PastApproval & { readonly agent: PastAgent; readonly tool: string }>();

  const say = (id: string, agent: PastAgent, part: Words): void => {
    words.set(id, part);
    agent.steps.at(-1)?.content.push(part);
  };

  const startCall = (event: EventOf<"tool-start">, agent: PastAgent): void => {
    const { call, name, provider, repeats } = event;
    const { id = call, meta } = splitProviderId(event.meta);
    const message: PastCall["message"] = {
      type: "tool-call",
      toolCallId: repeats === undefined ? promptId(id, call) : call,
      toolName: name,
      input: {},
      ...(provider && { providerExecuted: true }),
      ...optionsOf(meta),
    };
    const earlier = repeats === undefined ? undefined : calls.get(repeats);
    const started: PastCall = {
      start: event,
      message,
      text: "",
      input: earlier?.input,
      isExecuted: false,
      approval: undefined,
      end: undefined,
      repeatedBy: undefined,
    };
    calls.set(call, started);
    if (earlier) return void (earlier.repeatedBy = started);
    const step = agent.steps.at(-1);
    step?.content.push(message);
    (provider ? step?.provided : step?.calls)?.push(started);
  };

  const endCall = (event: EventOf<"tool-end">, agent: PastAgent): void => {
    const found = calls.get(event.call);
    if (!found) return;
    found.end = event;
    const { provider, name } = found.start;
    const [only] = event.content ?? [];
    if (!provider || !only) return;
    const value = only.type === "text" ? only.text : only.type === "json" ? (only.value as NonNullable<Json>) : "";
    const type = event.outcome === "ok" ? "json" : "error-json";
    agent.steps.at(-1)?.content.push({
      type: "tool-result",
      toolCallId: found.message.toolCallId,
      toolName: name,
      output: { type, value },
    });
  };

  const take = (event: Event): void => {
    const agent = event.type === "agent-start" ? agents.get(event.parent) : agents.get(event.agent);
    if (!agent) return;
    switch (event.type) {
      case "agent-start": {
        ids.add(event.agent);
        const child = newAgent(event);
        agents.set(event.agent, child);
        agent.children.push(child);
        return;
      }
      case "agent-end":
        agent.end = { outcome: event.outcome, message: event.error?.message ?? "" };
        return;
      case "step-start":
        ids.add(event.step);
        agent.steps.push({ id: event.step, finish: undefined, content: [], calls: [], provided: [] });
        return;
      case "step-end": {
        const step = agent.steps.findLast(({ id }) => id === event.step);
        if (!step) return;
        step.finish = event.finish;
        agent.usage = addUsage(agent.usage, event.usage);
        const kept = step.content.filter((part) => !("text" in part) || part.text !== "" || part.providerOptions);
        step.content.splice(0, step.content.length, ...kept);
        return;
      }
      case "text-start":
        ids.add(event.part);
        if (event.call === undefined) say(event.part, agent, { type: "text", text: "", ...optionsOf(event.meta) });
        return;
      case "thinking-start":
        ids.add(event.part);
        return say(event.part, agent, { type: "reasoning", text: "", ...optionsOf(event.meta) });
      case "text-delta":
      case "thinking-delta":
      case "text-end":
      case "thinking-end": {
        const part = words.get(event.part);
        if (!part) return;
        if ("delta" in event) part.text += event.delta;
        Object.assign(part, optionsOf(event.meta));
        return;
      }
      case "tool-start":
        ids.add(event.call);
        return startCall(event, agent);
      case "tool-input-delta": {
        const found = calls.get(event.call);
        if (found) found.text += event.delta;
        return;
      }
      case "tool-input-end": {
        const found = calls.get(event.call);
        if (!found) return;
        found.input = event.input ?? (found.text === "" ? found.input : parseJson(found.text));
        found.message.input = argumentsOf(found.input);
        Object.assign(found.message, optionsOf(splitProviderId(event.meta).meta));
        return;
      }
      case "tool-execute": {
        const found = calls.get(event.call);
        if (!found) return;
        found.isExecuted = true;
        if (event.input === undefined) return;
        found.input = event.input;
        found.message.input = argumentsOf(event.input);
        return;
      }
      case "tool-end":
        return endCall(event, agent);
      case "ask-start": {
        ids.add(event.ask);
        const call = event.call === undefined ? undefined : calls.get(event.call);
        if (event.kind !== "approval" || !call) return;
        const approval = { ask: event.ask, agent, tool: call.start.name, end: undefined, isKept: false };
        call.approval = approval;
        approvals.set(event.ask, approval);
        return;
      }
      case "ask-end": {
        const approval = approvals.get(event.ask);
        if (!approval) return;
        approval.end = event;
        return;
      }
      case "data": {
        const approval = isPermission(event) ? approvals.get(event.id) : undefined;
        if (!approval) return;
        approval.isKept = true;
        if (event.value === true) approval.agent.always.set(approval.ask, approval.tool);
        else approval.agent.always.delete(approval.ask);
        return;
      }
      case "citation":
        return void ids.add(event.citation);
      case "embed":
        return void ids.add(event.embed);
      default:
        event satisfies EventsAbout<"run" | "step" | "tool" | "mark">;
    }
  };

  return { root, ids, take };
};
