import type { EncodeOptions, Frame } from "../../dialect.ts";
import type { Entry } from "../../events.ts";
import { createOutput, type Output } from "./output.ts";
import { readStyle } from "./style.ts";
import { chatUsage } from "../openai/chat-usage.ts";
import { openaiError } from "../openai/errors.ts";

export const DONE = "[DONE]";

/** Most servers use `reasoning_content`, OpenRouter uses `reasoning`. Clients read one or the other. */
const thought = (text: string): string => `{"reasoning_content":${text},"reasoning":${text}}`;

/** Encodes a streamed chat completion. */
export const createEncoder = (options: EncodeOptions): ((entry: Entry) => readonly Frame[]) => {
  const { model, usage: wantsUsage, tools, calls } = readStyle(options.style);
  const output = createOutput(options, calls);
  const after = wantsUsage ? ',"usage":null}' : "}";
  let before = "";
  let head = "";

  const chunk = (delta: string, finish: string | null = null): Frame => ({
    data: `${before}{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${JSON.stringify(finish)}}]${after}`,
  });

  const write = (item: Output): readonly Frame[] => {
    switch (item.kind) {
      case "start": {
        const { run, name, created } = item;
        const about = { id: `chatcmpl-${run}`, object: "chat.completion.chunk", created, model: model ?? name };
        head = JSON.stringify(about).slice(0, -1);
        before = `${head},"choices":[`;
        return [chunk(JSON.stringify({ role: "assistant", content: tools ? null : "" }))];
      }
      case "content":
        return [chunk(`{"content":${JSON.stringify(item.text)}}`)];
      case "reasoning":
        return [chunk(thought(JSON.stringify(item.text)))];
      case "call": {
        const { index, id, name } = item;
        return [
          chunk(JSON.stringify({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] })),
        ];
      }
      case "arguments": {
        const { index, text } = item;
        return [chunk(JSON.stringify({ tool_calls: [{ index, function: { arguments: text } }] }))];
      }
      case "end": {
        const usage = `${head},"choices":[],"usage":${JSON.stringify(chatUsage(item.usage) ?? null)}}`;
        return [chunk("{}", item.finish), ...(wantsUsage ? [{ data: usage }] : []), { data: DONE }];
      }
      case "error":
        return [{ data: JSON.stringify({ error: openaiError({ ...item.problem, status: 500 }) }) }, { data: DONE }];
    }
  };

  return (entry) => {
    const items = output(entry);
    return items.length === 0 ? [] : items.flatMap(write);
  };
};
