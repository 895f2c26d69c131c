import type { EncodeOptions, Frame } from "../../dialect.ts";
import { type Entry, type Event, EVENT_TYPES, type EventOf } from "../../events.ts";
import { createSegments } from "../../segments.ts";
import { createAnswerEnd, incompleteText } from "../frames/incomplete.ts";
import { createActivities } from "./activities.ts";
import { createCalls } from "./calls.ts";
import { dataFrames } from "./data.ts";
import { finishFrames } from "./finish.ts";
import { frame, type MessageId, messageIdsOf } from "./frames.ts";
import { interruptOf } from "./interrupts.ts";
import { inputOf } from "./run-input.ts";
import { readStyle } from "./style.ts";
import { createSubAgents } from "./sub-agents.ts";
import { createTextMessages } from "./text-messages.ts";

/**
 * Encodes each segment of a run as one AG-UI run. It starts with RUN_STARTED and ends with an interrupt for each open
 * ask, or with the end of the run. Everything open is closed first, and sub-agents start again in the next segment.
 */
export const createEncoder = (options: EncodeOptions): ((entry: Entry) => readonly Frame[]) => {
  const { version, runId: clientRun } = readStyle(options.style);
  const segments = createSegments();
  const asks = new Map<string, EventOf<"ask-start">>();
  const answerEnd = createAnswerEnd();
  const toolTexts = new Map<string, string>();
  let messageId: MessageId = messageIdsOf("");
  let run = { threadId: "", runId: clientRun ?? "" };
  let isOpen = false;
  let isFirst = true;

  const textMessages = createTextMessages(() => messageId);
  const calls = createCalls(() => messageId, textMessages, options.link);
  const activities = createActivities(() => messageId, options.link);
  const subAgents = createSubAgents();

  const name = (event: EventOf<"run-start">): void => {
    messageId = messageIdsOf(event.run);
    run = { threadId: event.thread ?? event.run, runId: clientRun ?? event.run };
  };

  const open = (): readonly Frame[] => {
    isOpen = true;
    const declared = version === 1 ? { protocolVersion: "1.0" } : {};
    // Clients that join a conversation read the user's messages from this field.
    const input = options.request && isFirst ? { input: { ...run, ...inputOf(options.request) } } : {};
    isFirst = false;
    return [frame("RUN_STARTED", { ...run, ...declared, ...input }), ...subAgents.resume()];
  };

  const interrupt = (): readonly Frame[] => {
    isOpen = false;
    const waiting = segments.openAsks.flatMap((ask) => asks.get(ask) ?? []);
    const byAgent = Map.groupBy(waiting, ({ agent }) => agent);
    const ids = new Map([...byAgent].map(([agent, some]) => [agent, some.map(({ ask }) => ask)]));
    return [
      ...calls.endInputs(),
      ...subAgents.suspend(ids),
      frame("RUN_FINISHED", { ...run, outcome: { type: "interrupt", interrupts: waiting.map(interruptOf) } }),
    ];
  };

  const text = (event: EventOf<"text-start" | "text-delta" | "text-end">): readonly Frame[] => {
    if (event.type === "text-start" && event.call !== undefined) toolTexts.set(event.part, event.call);
    const call = toolTexts.get(event.part);
    if (call === undefined) return textMessages.take(event);
    if (event.type === "text-end") toolTexts.delete(event.part);
    return event.type === "text-delta" ? activities.text(call, event.agent, event.delta, calls.name(call)) : [];
  };

  const end = (event: EventOf<"run-end">): readonly Frame[] => {
    const { incomplete } = answerEnd;
    const notice = incomplete && {
      type: "notice" as const,
      level: "warning" as const,
      text: incompleteText(incomplete),
    };
    return [
      ...calls.endInputs(),
      ...(notice ? activities.mark(notice) : []),
      ...finishFrames(event, incomplete, run, version),
    ];
  };

  const take = (event: Event): readonly Frame[] => {
    switch (event.type) {
      case "agent-start":
        return subAgents.start(event);
      case "agent-end":
        return subAgents.end(event);
      case "step-start":
        textMessages.setParent(event.agent, undefined);
        return [frame("STEP_STARTED", { stepName: event.step, ...tag(event) })];
      case "step-retry":
        return activities.status(event.agent, `Trying again: ${event.error.message}`);
      case "step-end":
        return [frame("STEP_FINISHED", { stepName: event.step, ...tag(event) })];
      case "text-start":
      case "text-delta":
      case "text-end":
        return text(event);
      case "thinking-start":
      case "thinking-delta":
      case "thinking-end":
        return textMessages.take(event);
      case "tool-start":
        return calls.start(event);
      case "tool-input-delta":
      case "tool-input-end":
        return calls.input(event);
      case "tool-progress":
      case "tool-output-delta":
        return activities.progress(event, calls.name(event.call));
      case "tool-end":
        return calls.end(event);
      case "ask-start":
        asks.set(event.ask, event);
        return [];
      case "ask-end":
        asks.delete(event.ask);
        return [];
      case "status":
        return activities.status(event.agent, event.text, event.call);
      case "citation":
      case "file":
      case "embed":
      case "notice":
        return activities.mark(event);
      case "data":
        return dataFrames(event);
      case "run-end":
        return end(event);
      case "run-start":
      case "run-resume":
      case "tool-execute":
        return [];
    }
  };

  return ({ event }) => {
    // Fast path for deltas, which are most events and start or end nothing else.
    if (isOpen && event.type === "text-delta" && toolTexts.size === 0) return textMessages.take(event);
    // Events of later versions emit nothing and do not start a segment.
    if (!KNOWN.has(event.type)) return [];
    if (isOpen && "delta" in event) return take(event);
    answerEnd.take(event);
    if (event.type === "run-start") name(event);
    const opening = isOpen ? [] : open();
    const frames = take(event);
    return [...opening, ...frames, ...(segments.take(event) ? interrupt() : [])];
  };
};

const KNOWN: ReadonlySet<string> = new Set(EVENT_TYPES);

const tag = ({ agent }: Event): object => (agent === undefined ? {} : { subagentRunId: agent });
