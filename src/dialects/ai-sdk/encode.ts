import type { EncodeOptions, Frame } from "../../dialect.ts";
import type { Entry, Event, EventOf, Finish } from "../../events.ts";
import type { EventsAbout } from "../../protocol.ts";
import { createSegments } from "../../segments.ts";
import { createAnswerEnd } from "../frames/incomplete.ts";
import { problemText } from "../frames/problem-text.ts";
import { RESUMED } from "../frames/status-line.ts";
import { createAgents } from "./agents.ts";
import { createAsks } from "./asks.ts";
import { createCalls } from "./calls.ts";
import { type Chunk, dataPart, passing } from "./chunk.ts";
import { createSlots } from "./slots.ts";
import { readStyle } from "./style.ts";

/**
 * Encodes a run as one message of the agent. The root agent's text and calls are its parts. A sub-agent gets one part
 * with its activity, and a part for each of its calls that needs approval. Each segment of the run is one stream, and
 * the next one continues the message.
 */
export const createEncoder = (options: EncodeOptions): ((entry: Entry) => readonly Frame[]) => {
  const { sdk, continues } = readStyle(options.style);
  const segments = createSegments();
  const calls = createCalls(sdk, options.link);
  const agents = createAgents();
  const asks = createAsks(sdk, calls, agents, options);
  const slots = createSlots();
  /** Text parts of tools and sub-agents, which are not part of the answer. */
  const asides = new Set<string>();
  let run = "";
  const answerEnd = createAnswerEnd();
  let finish: Finish = "stop";
  let isBetween = false;

  const start = (): Chunk => ({ type: "start", ...(!continues && run !== "" && { messageId: run }) });

  const text = (event: EventOf<"text-start" | "text-delta" | "text-end">): Chunk[] => {
    if (event.type === "text-start" && event.call !== undefined) asides.add(event.part);
    if (event.type === "text-delta" && asides.has(event.part)) return [passing("output", { text: event.delta })];
    if (asides.has(event.part)) {
      if (event.type === "text-end") asides.delete(event.part);
      return [];
    }
    return [{ type: event.type, id: event.part, ...(event.type === "text-delta" && { delta: event.delta }) }];
  };

  const thinking = (event: EventOf<"thinking-start" | "thinking-delta" | "thinking-end">): Chunk => ({
    type: event.type.replace("thinking", "reasoning"),
    id: event.part,
    ...(event.type === "thinking-delta" && { delta: event.delta }),
    ...(event.meta !== undefined && { providerMetadata: { runcast: { meta: event.meta } } }),
  });

  const end = ({ outcome, error, awaiting = [] }: EventOf<"run-end">): Chunk[] => {
    const changed = slots.flush();
    // A step without calls, followed by a part: without a part, the SDK ignores the step.
    const divider = calls.looksUnfinished ? [{ type: "start-step" }, { type: "finish-step" }] : [];
    const closing = dataPart("end", { outcome, message: error?.message });
    if (outcome === "cancelled")
      return [...changed, ...divider, closing, { type: "abort", ...(error && { reason: error.message }) }];
    if (outcome === "done") {
      const finishReason = awaiting.length > 0 ? "tool-calls" : (REASONS[finish] ?? "other");
      const { incomplete } = answerEnd;
      const cut = incomplete && dataPart("end", { outcome, ...incomplete });
      const closingParts =
        divider.length > 0 && awaiting.length === 0 ? [...divider, cut ?? closing] : cut ? [cut] : [];
      return [...changed, ...closingParts, { type: "finish", finishReason }];
    }
    const message = error?.message ?? `The run was ${outcome}.`;
    return [...changed, { type: "error", errorText: problemText({ message, hint: error?.hint }) }];
  };

  /** Events that appear only in the root agent's message. */
  const ofRoot = (event: Event): Chunk[] => {
    switch (event.type) {
      case "step-start":
        calls.startStep();
        return [{ type: "start-step" }];
      case "step-retry":
        return [passing("status", { text: `Trying again after an error: ${event.error.message}` })];
      case "step-end":
        finish = event.finish;
        return [...slots.flush(), { type: "finish-step" }];
      case "text-start":
      case "text-delta":
      case "text-end":
        return text(event);
      case "thinking-start":
      case "thinking-delta":
      case "thinking-end":
        return [thinking(event)];
      default:
        return [];
    }
  };

  const chunksOf = (event: Event): Chunk[] => {
    switch (event.type) {
      case "run-start":
        run = event.run;
        return [start()];
      case "run-resume":
        return [passing("status", { text: RESUMED })];
      case "tool-start":
        return [...calls.start(event), ...agents.take(event)];
      case "tool-input-delta":
        return calls.moreInput(event);
      case "tool-input-end":
        return calls.endInput(event);
      case "tool-execute":
        return calls.execute(event);
      case "tool-progress": {
        const { call, note, fraction, value } = event;
        return [dataPart("progress", { call, note, fraction, value }, call)];
      }
      case "tool-output-delta":
        return [passing("output", { call: event.call, stream: event.stream, delta: event.delta })];
      case "tool-end":
        return [...slots.flush(), ...calls.end(event)];
      case "ask-start":
        return asks.start(event);
      case "ask-end":
        return asks.end(event);
      case "status":
        return [passing("status", { text: event.text, call: event.call, agent: event.agent })];
      case "notice":
        return [passing("notice", { level: event.level, text: event.text, call: event.call })];
      case "citation": {
        const { citation: sourceId, url, title } = event;
        if (url === undefined)
          return [
            { type: "source-document", sourceId, mediaType: "text/plain", title: title ?? event.text ?? sourceId },
          ];
        return [{ type: "source-url", sourceId, url, ...(title !== undefined && { title }) }];
      }
      case "file": {
        const url = event.url ?? (event.file === undefined ? undefined : options.link({ file: event.file }));
        if (url === undefined || event.change === "deleted")
          return [dataPart("file", { name: event.name, change: event.change, call: event.call })];
        return [{ type: "file", url, mediaType: event.mediaType ?? "application/octet-stream" }];
      }
      case "embed": {
        const { embed, html, url, file, title } = event;
        return [dataPart("embed", { html, url: file === undefined ? url : options.link({ file }), title }, embed)];
      }
      case "data":
        return slots.take(event);
      case "run-end":
        return end(event);
      default:
        event satisfies EventsAbout;
        return event.agent === undefined ? ofRoot(event) : agents.take(event);
    }
  };

  return ({ event }) => {
    const isSegmentEnd = segments.take(event);
    answerEnd.take(event);
    const chunks = [...(isBetween ? [start()] : []), ...chunksOf(event)];
    isBetween = isSegmentEnd;
    if (isSegmentEnd) chunks.push(...slots.flush(), { type: "finish", finishReason: "tool-calls" });
    const frames = chunks.map((chunk): Frame => ({ data: JSON.stringify(chunk) }));
    return isSegmentEnd || event.type === "run-end" ? [...frames, { data: "[DONE]" }] : frames;
  };
};

const REASONS: Readonly<Partial<Record<Finish, string>>> = {
  stop: "stop",
  tools: "tool-calls",
  length: "length",
  filter: "content-filter",
  error: "error",
};
