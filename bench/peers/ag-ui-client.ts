import { HttpAgent } from "@ag-ui/client";
import { EventType } from "@ag-ui/core";
import { EventEncoder } from "@ag-ui/encoder";
import type { Client } from "../client.ts";
import { agUiRun } from "./ag-ui.ts";

export const client: Client = {
  stream: function* (plan) {
    const encoder = new EventEncoder();
    const { opening, events } = agUiRun(plan);
    for (const event of [...opening, ...events]) yield encoder.encodeSSE(event);
  },
  read: async (chunks) => {
    const messages = await run(chunks);
    return messages.map((message) => (message.id === "text-1" ? message.content : "")).join("");
  },
  encode: (plan) => {
    const { opening, events } = agUiRun(plan);
    const all = [...opening, ...events];
    return () => {
      const encoder = new EventEncoder();
      let length = 0;
      for (const event of all) length += encoder.encodeSSE(event).length;
      return length;
    };
  },
  grow: async (deltas) => {
    const encoder = new EventEncoder();
    const ids = { threadId: "thread-1", runId: "run-1" };
    const toolCallId = "call-1";
    const events = [
      { type: EventType.RUN_STARTED, ...ids },
      { type: EventType.TOOL_CALL_START, toolCallId, toolCallName: "write" },
      ...deltas.map((delta) => ({ type: EventType.TOOL_CALL_ARGS, toolCallId, delta })),
      { type: EventType.TOOL_CALL_END, toolCallId },
      { type: EventType.RUN_FINISHED, ...ids },
    ];
    const messages = await run([Buffer.from(events.map((event) => encoder.encodeSSE(event)).join(""))]);
    for (const message of messages) {
      if ("toolCalls" in message && message.toolCalls?.[0]) return JSON.parse(message.toolCalls[0].function.arguments);
    }
  },
};

const run = async (chunks: readonly Uint8Array[]) => {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const agent = new HttpAgent({
    url: "http://127.0.0.1/",
    threadId: "thread-1",
    fetch: async () => new Response(body, { headers: { "content-type": "text/event-stream" } }),
  });
  await agent.runAgent({ runId: "run-1" });
  return agent.messages;
};
