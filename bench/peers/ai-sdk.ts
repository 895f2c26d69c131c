import { createUIMessageStream, pipeUIMessageStreamToResponse } from "ai";
import type { UIMessageChunk } from "ai";
import { createServer } from "node:http";
import { listen } from "../listen.ts";
import type { Serve } from "../server.ts";
import { eachToken, eachTool, MARK } from "../workload.ts";
import type { Plan, RunScript } from "../workload.ts";

export const serve: Serve = async (stage) => ({
  port: await listen(
    createServer((_request, response) => {
      const stream = createUIMessageStream({
        execute: ({ writer }) =>
          new Promise<void>((end) => {
            stage.push(stage.script(aiSdkRun), (chunk) => writer.write(chunk), end);
          }),
      });
      void pipeUIMessageStreamToResponse({ response, stream });
    }),
  ),
});

export const aiSdkRun = (plan: Plan): RunScript<UIMessageChunk> => ({
  opening: [{ type: "start", messageId: "message-1" }, { type: "start-step" }, { type: "text-start", id: "text-1" }],
  events: [
    ...eachToken(plan, (delta): UIMessageChunk => ({ type: "text-delta", id: "text-1", delta })),
    { type: "text-end", id: "text-1" },
    ...eachTool<UIMessageChunk>(plan, (toolCallId) => [
      { type: "tool-input-start", toolCallId, toolName: `search${MARK}` },
      { type: "tool-input-available", toolCallId, toolName: "search", input: { query: `weather ${MARK}` } },
      { type: "tool-output-available", toolCallId, output: `It rains ${MARK}` },
    ]),
    { type: "finish-step" },
    { type: "finish" },
  ],
});
