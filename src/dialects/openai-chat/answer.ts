import type { EncodeOptions, WholeAnswer } from "../../dialect.ts";
import type { Entry, Problem, Usage } from "../../events.ts";
import type { FinishReason } from "../openai/finish-reason.ts";
import { createOutput } from "./output.ts";
import { readStyle } from "./style.ts";
import { chatUsage } from "../openai/chat-usage.ts";
import { openaiError } from "../openai/errors.ts";

/** A chat completion without streaming. */
export const createAnswer = (options: EncodeOptions): { take(entry: Entry): void; body(): WholeAnswer } => {
  const { model, calls: style } = readStyle(options.style);
  const output = createOutput(options, style);
  const calls: { id: string; type: "function"; function: { name: string; arguments: string } }[] = [];
  let about = { id: "", object: "chat.completion", created: 0, model: model ?? "" };
  let content = "";
  let reasoning = "";
  let finish: FinishReason = "stop";
  let usage: Usage | undefined;
  let problem: Problem | undefined;

  const take = (entry: Entry): void => {
    for (const item of output(entry)) {
      switch (item.kind) {
        case "start":
          about = { ...about, id: `chatcmpl-${item.run}`, created: item.created, model: model ?? item.name };
          break;
        case "content":
          content += item.text;
          break;
        case "reasoning":
          reasoning += item.text;
          break;
        case "call":
          calls.push({ id: item.id, type: "function", function: { name: item.name, arguments: "" } });
          break;
        case "arguments":
          calls[item.index]!.function.arguments += item.text;
          break;
        case "end":
          ({ finish, usage } = item);
          break;
        case "error":
          ({ problem } = item);
      }
    }
  };

  const body = (): WholeAnswer => {
    if (problem) {
      const status = problem.code === "cancelled" ? CLOSED : 500;
      // The run has already done work, so only the user may decide to repeat it.
      const headers = { "x-should-retry": "false" };
      return { status, headers, body: JSON.stringify({ error: openaiError({ ...problem, status }) }) };
    }
    const message = {
      role: "assistant",
      content: content === "" && calls.length > 0 ? null : content,
      refusal: null,
      ...(reasoning && { reasoning_content: reasoning, reasoning }),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    const choices = [{ index: 0, message, logprobs: null, finish_reason: finish }];
    const used = chatUsage(usage);
    return { status: 200, body: JSON.stringify({ ...about, choices, ...(used && { usage: used }) }) };
  };

  return { take, body };
};

/** The status that proxies use when the client has closed the request. */
const CLOSED = 499;
