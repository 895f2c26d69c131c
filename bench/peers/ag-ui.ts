import { EventType } from "@ag-ui/core";
import type { BaseEvent } from "@ag-ui/core";
import { EventEncoder } from "@ag-ui/encoder";
import { createServer } from "node:http";
import { listen } from "../listen.ts";
import type { Serve } from "../server.ts";
import { eachToken, eachTool, MARK } from "../workload.ts";
import type { Plan, RunScript } from "../workload.ts";

export const serve: Serve = async (stage) => ({
  port: await listen(
    createServer((request, response) => {
      const encoder = new EventEncoder({ accept: request.headers.accept ?? "" });
      response.writeHead(200, { "content-type": encoder.getContentType(), "cache-control": "no-cache" });
      stage.push(
        stage.script(agUiRun),
        (event) => response.write(encoder.encode(event)),
        () => response.end(),
      );
    }),
  ),
});

export const agUiRun = (plan: Plan): RunScript<BaseEvent> => ({
  opening: [
    { type: EventType.RUN_STARTED, threadId: "thread-1", runId: "run-1" },
    { type: EventType.TEXT_MESSAGE_START, messageId: "text-1", role: "assistant" },
  ],
  events: [
    ...eachToken(plan, (delta) => ({ type: EventType.TEXT_MESSAGE_CONTENT, messageId: "text-1", delta })),
    { type: EventType.TEXT_MESSAGE_END, messageId: "text-1" },
    ...eachTool<BaseEvent>(plan, (toolCallId) => [
      { type: EventType.TOOL_CALL_START, toolCallId, toolCallName: `search ${MARK}` },
      { type: EventType.TOOL_CALL_ARGS, toolCallId, delta: `{"query":"weather ${MARK}"}` },
      { type: EventType.TOOL_CALL_END, toolCallId },
      {
        type: EventType.TOOL_CALL_RESULT,
        messageId: `result-${toolCallId}`,
        toolCallId,
        content: `It rains ${MARK}`,
        role: "tool",
      },
    ]),
    { type: EventType.RUN_FINISHED, threadId: "thread-1", runId: "run-1" },
  ],
});
