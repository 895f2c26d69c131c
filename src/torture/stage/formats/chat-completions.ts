import { type Fields, fieldsOf, listOf } from "../../../json.ts";
import type { ModelCall, ModelFormat } from "../format.ts";

const HEAD = { id: "chatcmpl-scripted", object: "chat.completion.chunk", created: 0, model: "scripted" };
const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

const frame = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (delta: object, finish: string | null = null): string =>
  frame({ ...HEAD, choices: [{ index: 0, delta, finish_reason: finish }] });
const written = (calls: readonly ModelCall[]) =>
  calls.map(({ id, name, input }, index) => ({
    index,
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));
const finishOf = (calls: readonly ModelCall[]): string => (calls.length > 0 ? "tool_calls" : "stop");

/** OpenAI's Chat Completions API, which most frameworks use. */
export const chatCompletions: ModelFormat = {
  path: "/v1/chat/completions",
  read: (body) => {
    const { messages, stream, tools } = fieldsOf(body);
    return {
      messages: listOf(messages)
        .map(fieldsOf)
        .map((message) => ({
          role: String(message["role"]),
          text: textOf(message),
          hasCalls: listOf(message["tool_calls"]).length > 0,
        })),
      isStream: stream === true,
      tools: listOf(tools).map((tool) => String(fieldsOf(fieldsOf(tool)["function"])["name"])),
    };
  },
  begin: () => chunk({ role: "assistant", content: "" }),
  piece: (content) => chunk({ content }),
  end: (calls) => {
    const toolCalls = calls.length > 0 ? chunk({ tool_calls: written(calls) }) : "";
    return `${toolCalls}${chunk({}, finishOf(calls))}${frame({ ...HEAD, choices: [], usage: USAGE })}data: [DONE]\n\n`;
  },
  whole: (content, calls) => {
    const message = { role: "assistant", content, ...(calls.length > 0 && { tool_calls: written(calls) }) };
    const choices = [{ index: 0, message, finish_reason: finishOf(calls) }];
    return JSON.stringify({ ...HEAD, object: "chat.completion", choices, usage: USAGE });
  },
};

const textOf = ({ content }: Fields): string =>
  typeof content === "string"
    ? content
    : listOf(content)
        .map((part) => String(fieldsOf(part)["text"] ?? ""))
        .join("");
