import type { ToolUse } from "./tools.ts";

/** A request to a model: the turns of the conversation, and the available tools. */
export interface ModelRequest {
  readonly turns: readonly { readonly role: "user" | "assistant" | "tool"; readonly text: string }[];
  readonly tools: readonly string[];
  readonly isStream: boolean;
}

/** The model's output, to be streamed in pieces. */
export interface Words {
  readonly id: number;
  readonly thinking: string;
  readonly text: string;
  readonly calls: readonly ToolUse[];
}

/** The API format of one provider. */
export interface Format {
  readonly path: RegExp;
  read(body: any, path: string): ModelRequest;
  /** The frames of a stream as SSE data, some with an event name. */
  write(words: Words): readonly { readonly event?: string; readonly data: unknown }[];
  failure(message: string): unknown;
}

const pieces = (text: string): readonly string[] => text.match(/\S+\s*/g) ?? [];
const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : Array.isArray(content)
      ? content.map((part: any) => part.text ?? part.content ?? "").join("\n")
      : "";
const roleOf = (role: string): "user" | "assistant" | "tool" =>
  role === "assistant" || role === "model" ? "assistant" : role === "tool" ? "tool" : "user";

const chat: Format = {
  path: /\/chat\/completions$/,
  read: (body) => ({
    turns: (body.messages ?? [])
      .filter(({ role }: any) => role !== "system" && role !== "developer")
      .map(({ role, content }: any) => ({ role: roleOf(role), text: textOf(content) })),
    tools: (body.tools ?? []).map((tool: any) => tool.function?.name),
    isStream: body.stream === true,
  }),
  write: ({ id, thinking, text, calls }) => {
    const chunk = (delta: unknown, finish: string | null = null) => ({
      data: {
        id: `chat-${id}`,
        object: "chat.completion.chunk",
        created: 1,
        model: "scripted",
        choices: [{ index: 0, delta, finish_reason: finish }],
      },
    });
    const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
    return [
      chunk({ role: "assistant", content: "" }),
      ...pieces(thinking).map((piece) => chunk({ reasoning_content: piece })),
      ...pieces(text).map((piece) => chunk({ content: piece })),
      ...calls.flatMap(({ name, input, id: own }, index) => [
        chunk({
          tool_calls: [
            { index, id: own ?? `call_${id}_${index}`, type: "function", function: { name, arguments: "" } },
          ],
        }),
        ...(JSON.stringify(input).match(/[^]{1,24}/g) ?? []).map((piece) =>
          chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
        ),
      ]),
      chunk({}, calls.length > 0 ? "tool_calls" : "stop"),
      {
        data: { id: `chat-${id}`, object: "chat.completion.chunk", created: 1, model: "scripted", choices: [], usage },
      },
      { data: "[DONE]" },
    ];
  },
  failure: (message) => ({ error: { message, type: "invalid_request_error" } }),
};

const gemini: Format = {
  path: /[gG]enerateContent$/,
  read: (body, path) => ({
    turns: (body.contents ?? []).map(({ role, parts }: any) => ({
      role: parts.some((part: any) => part.functionResponse) ? "tool" : roleOf(role),
      text: textOf(parts),
    })),
    tools: (body.tools ?? []).flatMap((tool: any) => (tool.functionDeclarations ?? []).map(({ name }: any) => name)),
    isStream: /stream/i.test(path),
  }),
  write: ({ id, thinking, text, calls }) => {
    const chunk = (parts: readonly unknown[], isLast = false) => ({
      data: {
        candidates: [{ index: 0, content: { role: "model", parts }, ...(isLast && { finishReason: "STOP" }) }],
        usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
        modelVersion: "scripted",
      },
    });
    return [
      ...(thinking ? [chunk([{ text: `**Thinking** ${thinking}`, thought: true }])] : []),
      ...pieces(text).map((piece) => chunk([{ text: piece }])),
      ...calls.map(({ name, input }, index) =>
        chunk([{ functionCall: { id: `call_${id}_${index}`, name, args: input } }]),
      ),
      chunk([{ text: "" }], true),
    ];
  },
  failure: (message) => ({ error: { message, code: 400, status: "INVALID_ARGUMENT" } }),
};

const anthropic: Format = {
  path: /\/messages$/,
  read: (body) => ({
    turns: (body.messages ?? []).map(({ role, content }: any) => {
      const isResult = Array.isArray(content) && content.some((part: any) => part.type === "tool_result");
      return { role: isResult ? "tool" : roleOf(role), text: textOf(content) };
    }),
    tools: (body.tools ?? []).map(({ name }: any) => name),
    isStream: body.stream === true,
  }),
  write: ({ id, thinking, text, calls }) => {
    const blocks = [
      ...(thinking
        ? [
            {
              start: { type: "thinking", thinking: "", signature: "" },
              deltas: pieces(thinking).map((piece) => ({ type: "thinking_delta", thinking: piece })),
            },
          ]
        : []),
      ...(text
        ? [
            {
              start: { type: "text", text: "" },
              deltas: pieces(text).map((piece) => ({ type: "text_delta", text: piece })),
            },
          ]
        : []),
      ...calls.map(({ name, input, id: own }, index) => ({
        start: { type: "tool_use", id: own ?? `toolu_${id}_${index}`, name, input: {} },
        deltas: [{ type: "input_json_delta", partial_json: JSON.stringify(input) }],
      })),
    ];
    const usage = { input_tokens: 100, output_tokens: 1 };
    const frame = (event: string, data: object) => ({ event, data: { type: event, ...data } });
    return [
      frame("message_start", {
        message: {
          id: `msg_${id}`,
          type: "message",
          role: "assistant",
          model: "scripted",
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage,
        },
      }),
      ...blocks.flatMap(({ start, deltas }, index) => [
        frame("content_block_start", { index, content_block: start }),
        ...deltas.map((delta) => frame("content_block_delta", { index, delta })),
        frame("content_block_stop", { index }),
      ]),
      frame("message_delta", {
        delta: { stop_reason: calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null },
        usage: { output_tokens: 20 },
      }),
      frame("message_stop", {}),
    ];
  },
  failure: (message) => ({ type: "error", error: { type: "invalid_request_error", message } }),
};

const responses: Format = {
  path: /\/responses$/,
  read: (body) => ({
    turns: (Array.isArray(body.input) ? body.input : []).flatMap((item: any) => {
      if (String(item.type).endsWith("call_output")) return [{ role: "tool" as const, text: "" }];
      return item.role && item.role !== "developer" ? [{ role: roleOf(item.role), text: textOf(item.content) }] : [];
    }),
    tools: (body.tools ?? []).map(({ name, type }: any) => name ?? type),
    isStream: body.stream === true,
  }),
  write: ({ id, thinking, text, calls }) => {
    const items: any[] = [
      ...(thinking ? [{ type: "reasoning", id: `rs_${id}`, summary: [{ type: "summary_text", text: thinking }] }] : []),
      ...(text
        ? [
            {
              type: "message",
              id: `msg_${id}`,
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text, annotations: [] }],
            },
          ]
        : []),
      ...calls.map(({ name, input }, index) => ({
        type: "function_call",
        id: `fc_${id}_${index}`,
        call_id: `call_${id}_${index}`,
        name,
        arguments: JSON.stringify(input),
        status: "completed",
      })),
    ];
    const response = {
      id: `resp_${id}`,
      object: "response",
      created_at: 1,
      model: "scripted",
      status: "in_progress",
      output: [],
    };
    const usage = {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 120,
    };
    const frame = (event: string, data: object) => ({ event, data: { type: event, ...data } });
    return [
      frame("response.created", { response }),
      ...items.flatMap((item, index) => [
        frame("response.output_item.added", {
          output_index: index,
          item: { ...item, status: "in_progress", ...(item.content && { content: [] }) },
        }),
        ...(item.content
          ? pieces(text).map((delta) =>
              frame("response.output_text.delta", { item_id: item.id, output_index: index, content_index: 0, delta }),
            )
          : []),
        ...(item.summary
          ? pieces(thinking).map((delta) =>
              frame("response.reasoning_summary_text.delta", {
                item_id: item.id,
                output_index: index,
                summary_index: 0,
                delta,
              }),
            )
          : []),
        frame("response.output_item.done", { output_index: index, item }),
      ]),
      frame("response.completed", { response: { ...response, status: "completed", output: items, usage } }),
    ];
  },
  failure: (message) => ({ error: { message, type: "invalid_request_error" } }),
};

export const formats: readonly Format[] = [chat, gemini, anthropic, responses];
