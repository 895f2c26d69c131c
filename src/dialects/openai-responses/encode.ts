import type { EncodeOptions, Frame } from "../../dialect.ts";
import type { Entry, Event, EventOf, Finish } from "../../events.ts";
import type { EventsAbout } from "../../protocol.ts";
import {
  type CallItem,
  callItem,
  type Item,
  type MessageItem,
  messageItem,
  outputText,
  type ReasoningItem,
  reasoningItem,
  summaryText,
} from "./items.ts";
import { type Ending, responseOf } from "./response.ts";
import { answerPage } from "../frames/answer-page.ts";
import { incompleteOf } from "../frames/incomplete.ts";
import { askText } from "../frames/ask-text.ts";
import { openaiError } from "../openai/errors.ts";

/** Encodes a run as a response: the frames of each entry, and the current response object. */
export interface ResponseEncoder {
  take(entry: Entry): readonly Frame[];
  response(): unknown;
}

interface OpenItem<Kind extends MessageItem | ReasoningItem> {
  readonly item: Kind;
  readonly index: number;
  text: string;
}

/**
 * Emits an item for each text and thinking part of the root agent and for each call that the client runs. The agent's own
 * calls and its sub-agents' output are not items: a client would run those calls and take that output for the answer.
 */
export const createEncoder = (options: Pick<EncodeOptions, "page"> = {}): ResponseEncoder => {
  const output: Item[] = [];
  const texts = new Map<string, OpenItem<MessageItem>>();
  const thoughts = new Map<string, OpenItem<ReasoningItem>>();
  const calls = new Map<string, { readonly item: CallItem; index: number | undefined }>();
  let about = { run: "", name: "", at: 0 };
  let ending: Ending | undefined;
  let finish: Finish = "stop";
  let number = 0;
  /** A message whose text has ended. The end of its step decides whether it is complete. */
  let ended: { readonly item: MessageItem; readonly index: number; readonly cut: boolean | undefined } | undefined;

  const frame = (type: string, fields: object): Frame => ({
    event: type,
    data: JSON.stringify({ type, sequence_number: number++, ...fields }),
  });
  const response = () => responseOf(about, output, ending);
  const add = (item: Item): { index: number; added: Frame } => {
    const index = output.push(item) - 1;
    return { index, added: frame("response.output_item.added", { output_index: index, item }) };
  };
  const done = (index: number, item: Item, cut: boolean | undefined): Frame => {
    item.status = cut ? "incomplete" : "completed";
    return frame("response.output_item.done", { output_index: index, item });
  };

  const startText = (part: string): readonly Frame[] => {
    const item = messageItem(part);
    const { index, added } = add(item);
    texts.set(part, { item, index, text: "" });
    const fields = { item_id: item.id, output_index: index, content_index: 0, part: outputText() };
    item.content = [outputText()];
    return [added, frame("response.content_part.added", fields)];
  };
  const moreText = (part: string, delta: string): readonly Frame[] => {
    const open = texts.get(part);
    if (!open) return [];
    open.text += delta;
    const place = { item_id: open.item.id, output_index: open.index, content_index: 0 };
    return [frame("response.output_text.delta", { ...place, delta, logprobs: [] })];
  };
  const endText = (part: string, cut: boolean | undefined): readonly Frame[] => {
    const open = texts.get(part);
    if (!open) return [];
    texts.delete(part);
    const { item, index, text } = open;
    item.content = [outputText(text)];
    const place = { item_id: item.id, output_index: index, content_index: 0 };
    const frames = [
      frame("response.output_text.done", { ...place, text, logprobs: [] }),
      frame("response.content_part.done", { ...place, part: outputText(text) }),
    ];
    ended = { item, index, cut };
    return frames;
  };
  /** Ends the last message, at the end of its step or before the next event. */
  const settle = (stepFinish: Finish | undefined): readonly Frame[] => {
    if (!ended) return [];
    const { item, index, cut } = ended;
    ended = undefined;
    return [done(index, item, cut || incompleteOf(stepFinish) !== undefined)];
  };

  const startThought = (part: string): readonly Frame[] => {
    const item = reasoningItem(part);
    const { index, added } = add(item);
    thoughts.set(part, { item, index, text: "" });
    const fields = { item_id: item.id, output_index: index, summary_index: 0, part: summaryText() };
    item.summary = [summaryText()];
    return [added, frame("response.reasoning_summary_part.added", fields)];
  };
  const moreThought = (part: string, delta: string): readonly Frame[] => {
    const open = thoughts.get(part);
    if (!open) return [];
    open.text += delta;
    const place = { item_id: open.item.id, output_index: open.index, summary_index: 0 };
    return [frame("response.reasoning_summary_text.delta", { ...place, delta })];
  };
  const endThought = (part: string, cut: boolean | undefined): readonly Frame[] => {
    const open = thoughts.get(part);
    if (!open) return [];
    thoughts.delete(part);
    const { item, index, text } = open;
    item.summary = [summaryText(text)];
    const place = { item_id: item.id, output_index: index, summary_index: 0 };
    return [
      frame("response.reasoning_summary_text.done", { ...place, text }),
      frame("response.reasoning_summary_part.done", { ...place, part: summaryText(text) }),
      done(index, item, cut),
    ];
  };

  const startCall = ({ call, name, client, provider }: EventOf<"tool-start">): readonly Frame[] => {
    if (provider) return [];
    const item = callItem(call, name);
    if (!client) {
      calls.set(call, { item, index: undefined });
      return [];
    }
    const { index, added } = add(item);
    calls.set(call, { item, index });
    return [added];
  };
  const moreInput = (call: string, delta: string): readonly Frame[] => {
    const found = calls.get(call);
    if (!found) return [];
    const { item, index } = found;
    item.arguments += delta;
    if (index === undefined || delta === "") return [];
    return [frame("response.function_call_arguments.delta", { item_id: item.id, output_index: index, delta })];
  };
  const endInput = (call: string, cut?: boolean): readonly Frame[] => {
    const found = calls.get(call);
    if (found?.index === undefined) return [];
    calls.delete(call);
    const { item, index } = found;
    const fields = { item_id: item.id, output_index: index, name: item.name, arguments: item.arguments };
    return [frame("response.function_call_arguments.done", fields), done(index, item, cut)];
  };
  const endCall = ({ call, outcome }: EventOf<"tool-end">): readonly Frame[] => {
    const found = calls.get(call);
    if (!found) return [];
    if (outcome !== "deferred" || found.index !== undefined) {
      const frames = endInput(call, outcome !== "deferred");
      calls.delete(call);
      return frames;
    }
    // Only the outcome shows that the client runs this call.
    const { item } = found;
    const { arguments: text } = item;
    item.arguments = "";
    const { index, added } = add(item);
    calls.set(call, { item, index });
    return [added, ...moreInput(call, text), ...endInput(call)];
  };

  const end = (event: EventOf<"run-end">): readonly Frame[] => {
    ending = { finish, event };
    const { outcome, error } = event;
    const whole = response();
    if (outcome === "done")
      return [frame(whole.status === "completed" ? "response.completed" : "response.incomplete", { response: whole })];
    if (outcome === "cancelled") return [frame("response.incomplete", { response: whole })];
    const problem = openaiError({ code: outcome, message: `the run was ${outcome}`, ...error, status: 500 });
    const { code, message, param } = problem;
    // Some clients look for the error inside `error`, as OpenAI's servers send it, others at the top level, as OpenAI's
    // schema defines it. Those that handle both events treat the second as another failure unless it ends the response.
    return [frame("error", { code, message, param, error: problem }), frame("response.failed", { response: whole })];
  };

  const root = (event: Event): readonly Frame[] => {
    switch (event.type) {
      case "step-end":
        finish = event.finish;
        return settle(finish);
      case "text-start":
        return startText(event.part);
      case "text-delta":
        return moreText(event.part, event.delta);
      case "text-end":
        return endText(event.part, event.cut);
      case "thinking-start":
        return startThought(event.part);
      case "thinking-delta":
        return moreThought(event.part, event.delta);
      case "thinking-end":
        return endThought(event.part, event.cut);
      case "tool-start":
        return startCall(event);
      case "tool-input-delta":
        return moreInput(event.call, event.delta);
      case "tool-input-end":
        return [
          ...(event.input === undefined ? [] : moreInput(event.call, JSON.stringify(event.input))),
          ...endInput(event.call),
        ];
      case "tool-execute":
        calls.delete(event.call);
        return [];
      case "tool-end":
        return endCall(event);
      case "run-end":
        return end(event);
      default:
        event satisfies EventsAbout<"run" | "agent" | "step" | "tool" | "ask" | "mark">;
        return [];
    }
  };

  const take = ({ at, event }: Entry): readonly Frame[] => {
    if (event.type === "run-start") {
      about = { run: event.run, name: event.name, at };
      return ["response.created", "response.in_progress"].map((type) => frame(type, { response: response() }));
    }
    if (event.type === "ask-start") {
      const text = askText(event, answerPage(options, about.run));
      return [
        ...settle(undefined),
        ...startThought(event.ask),
        ...moreThought(event.ask, text),
        ...endThought(event.ask, false),
      ];
    }
    if (event.agent !== undefined) return [];
    return ended && event.type !== "step-end" ? [...settle(undefined), ...root(event)] : root(event);
  };

  /** Includes text that is still streaming, up to its current length. */
  const now = () => {
    for (const { item, text } of texts.values()) item.content = [outputText(text)];
    for (const { item, text } of thoughts.values()) item.summary = [summaryText(text)];
    return response();
  };

  return { take, response: now };
};
