import { expect, test } from "vitest";
import { drivers } from "../../src/torture.ts";
import { openLine } from "../../src/torture/line.ts";
import { startScriptedServer, streams } from "../scripted-server.ts";
import { onStop } from "../serving.ts";

const frames = (...events: readonly object[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const IDS = { threadId: "thread-1", runId: "run-1" };
const WAITING = frames(
  { type: "RUN_STARTED", ...IDS, input: { ...IDS, messages: [{ id: "1", role: "user", content: "Send it." }] } },
  { type: "TOOL_CALL_START", toolCallId: "call-1", toolCallName: "send" },
  { type: "TOOL_CALL_ARGS", toolCallId: "call-1", delta: "{}" },
  { type: "TOOL_CALL_END", toolCallId: "call-1" },
  {
    type: "RUN_FINISHED",
    ...IDS,
    outcome: { type: "interrupt", interrupts: [{ id: "ask-1", reason: "tool_call", toolCallId: "call-1" }] },
  },
);

test("a page that joins a thread sends the user's message with its answer, as AG-UI's client does", async () => {
  const server = await startScriptedServer(streams(WAITING), streams(frames({ type: "RUN_STARTED", ...IDS })));
  onStop(server.close);
  const page = drivers["copilotkit"]!({ url: server.url, agent: "default" }).converse({ id: "thread-1" });
  const viewer = page.follow!(openLine({}, []));
  await viewer.over;
  const [ask] = viewer.screen.asks;
  await (
    await page.answer!(viewer, ask!.id, true, openLine({}, []))
  ).over;
  const { messages } = JSON.parse(server.requests[1]!.body) as { messages: { role: string; content: string }[] };
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  expect(messages[0]!.content).toBe("Send it.");
});
