import { createUIMessageStreamResponse, parseJsonEventStream, readUIMessageStream, uiMessageChunkSchema } from "ai";
import type { UIMessage, UIMessageChunk } from "ai";
import type { Client } from "../client.ts";
import { aiSdkRun } from "./ai-sdk.ts";

export const client: Client = {
  stream: function* (plan) {
    const { opening, events } = aiSdkRun(plan);
    for (const chunk of [...opening, ...events]) yield `data: ${JSON.stringify(chunk)}\n\n`;
    yield "data: [DONE]\n\n";
  },
  read: async (chunks) => {
    const parsed = parseJsonEventStream({ stream: streamOf(chunks), schema: uiMessageChunkSchema });
    const values = parsed.pipeThrough(
      new TransformStream<{ success: boolean; value?: UIMessageChunk; error?: unknown }, UIMessageChunk>({
        transform: (result, controller) => {
          if (!result.success) throw result.error;
          controller.enqueue(result.value!);
        },
      }),
    );
    const message = await lastOf(values);
    return message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  },
  encode: (plan) => {
    const { opening, events } = aiSdkRun(plan);
    const all = [...opening, ...events];
    return async () => {
      const { body } = createUIMessageStreamResponse({ stream: streamOf(all) });
      let length = 0;
      for await (const bytes of body!) length += bytes.length;
      return length;
    };
  },
  grow: async (deltas) => {
    const call = { toolCallId: "call-1", toolName: "write" };
    const chunks: UIMessageChunk[] = [
      { type: "start", messageId: "message-1" },
      { type: "tool-input-start", ...call },
      ...deltas.map((delta): UIMessageChunk => ({
        type: "tool-input-delta",
        toolCallId: "call-1",
        inputTextDelta: delta,
      })),
      { type: "tool-input-available", ...call, input: JSON.parse(deltas.join("")) },
      { type: "finish" },
    ];
    const message = await lastOf(streamOf(chunks));
    const part = message.parts.find((part) => part.type === "tool-write");
    return part && "input" in part ? part.input : undefined;
  },
};

const streamOf = <Item>(items: readonly Item[]): ReadableStream<Item> => {
  let next = 0;
  return new ReadableStream({
    pull: (controller) => {
      if (next < items.length) controller.enqueue(items[next++]!);
      else controller.close();
    },
  });
};

const lastOf = async (stream: ReadableStream<UIMessageChunk>): Promise<UIMessage> => {
  let last: UIMessage | undefined;
  let failure: unknown;
  for await (const message of readUIMessageStream({ stream, onError: (error) => (failure = error) })) last = message;
  if (failure || !last) throw failure ?? new Error("no message came");
  return last;
};
