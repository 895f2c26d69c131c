import { type Fields, fieldsOf, listOf } from "../../../json.ts";
import type { ModelCall, ModelFormat } from "../format.ts";

const USAGE = { input_tokens: 1, output_tokens: 1 };
const MESSAGE = { id: "msg_scripted", type: "message", role: "assistant", model: "scripted", usage: USAGE };

const frame = (value: { readonly type: string }): string => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
const block = (index: number, content_block: object): string =>
  frame({ type: "content_block_start", index, content_block } as { type: string });
const delta = (index: number, change: object): string =>
  frame({ type: "content_block_delta", index, delta: change } as { type: string });
const stop = (index: number): string => frame({ type: "content_block_stop", index } as { type: string });
const stopReason = (calls: readonly ModelCall[]): string => (calls.length > 0 ? "tool_use" : "end_turn");

/** Anthropic's Messages API. */
export const anthropicMessages: ModelFormat = {
  path: "/v1/messages",
  read: (body) => {
    const { messages, stream, tools } = fieldsOf(body);
    return {
      messages: listOf(messages).map(fieldsOf).map(readMessage),
      isStream: stream === true,
      tools: listOf(tools).map((tool) => String(fieldsOf(tool)["name"])),
    };
  },
  begin: (hasText) => {
    const message = { ...MESSAGE, content: [], stop_reason: null };
    return (
      frame({ type: "message_start", message } as { type: string }) +
      (hasText ? block(0, { type: "text", text: "" }) : "")
    );
  },
  piece: (text) => delta(0, { type: "text_delta", text }),
  end: (calls, hasText) => {
    const first = hasText ? 1 : 0;
    const toolCalls = calls.map(
      ({ id, name, input }, index) =>
        block(first + index, { type: "tool_use", id, name, input: {} }) +
        delta(first + index, { type: "input_json_delta", partial_json: JSON.stringify(input) }) +
        stop(first + index),
    );
    const end = { type: "message_delta", delta: { stop_reason: stopReason(calls) }, usage: USAGE };
    return `${hasText ? stop(0) : ""}${toolCalls.join("")}${frame(end)}${frame({ type: "message_stop" })}`;
  },
  whole: (text, calls) => {
    const used = calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input }));
    const content = [...(text === "" ? [] : [{ type: "text", text }]), ...used];
    return JSON.stringify({ ...MESSAGE, content, stop_reason: stopReason(calls) });
  },
};

const readMessage = ({ role, content }: Fields) => {
  const parts = listOf(content).map(fieldsOf);
  // Tool results are part of user messages here. Skip them, since they may name the scene too.
  const texts = parts.flatMap(({ type, text }) => (type === "text" ? [String(text)] : []));
  return {
    role: String(role),
    text: typeof content === "string" ? content : texts.join(""),
    hasCalls: parts.some(({ type }) => type === "tool_use"),
  };
};
