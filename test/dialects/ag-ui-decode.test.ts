import { describe, expect, test } from "vitest";
import { agUi } from "../../src/dialects/ag-ui.ts";
import type { Event, EventOf } from "../../src/events.ts";
import { play } from "../running.ts";

/** Decodes events of a server that is not a Runcast, and returns the run that a runner makes of them. */
const understood = async (sent: readonly object[]): Promise<Event[]> => {
  const decode = agUi.decode();
  const events = sent.flatMap((one) => [...decode({ data: JSON.stringify(one) })]);
  const { events: written } = await play(async function* () {
    yield* events;
  });
  expect((written.at(-1) as EventOf<"run-end">).error?.code).not.toBe("invalid-event");
  return written.slice(1);
};
const typesOf = (events: readonly Event[]) => events.map(({ type }) => type);
const run = { threadId: "t", runId: "r" };
const started = { type: "RUN_STARTED", ...run };
const finished = { type: "RUN_FINISHED", ...run };

describe("events of AG-UI servers", () => {
  test("a message that only carries calls is not text, and a call ends its step when it has a result", async () => {
    const events = await understood([
      started,
      { type: "TEXT_MESSAGE_START", messageId: "m1", role: "assistant" },
      { type: "TEXT_MESSAGE_END", messageId: "m1" },
      { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "look", parentMessageId: "m1" },
      { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: '{"a":1}' },
      { type: "TOOL_CALL_END", toolCallId: "c" },
      { type: "TOOL_CALL_RESULT", messageId: "m2", toolCallId: "c", content: "seen" },
      { type: "TEXT_MESSAGE_START", messageId: "m3", role: "assistant" },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "m3", delta: "Done." },
      { type: "TEXT_MESSAGE_END", messageId: "m3" },
      finished,
    ]);
    expect(typesOf(events)).toEqual([
      "step-start",
      "tool-start",
      "tool-input-delta",
      "tool-input-end",
      "step-end",
      "tool-end",
      "step-start",
      "text-start",
      "text-delta",
      "text-end",
      "step-end",
      "run-end",
    ]);
    expect(events.find(({ type }) => type === "tool-end")).toMatchObject({
      outcome: "ok",
      content: [{ text: "seen" }],
    });
  });

  test("a result waits for what may follow it, but only until a pause", () => {
    const decode = agUi.decode();
    const send = (one: object) => decode({ data: JSON.stringify(one) }).map(({ type }) => type);
    send(started);
    send({ type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "look" });
    send({ type: "TOOL_CALL_END", toolCallId: "c" });
    expect(send({ type: "TOOL_CALL_RESULT", messageId: "m", toolCallId: "c", content: "seen" })).toEqual([]);
    expect(decode.pause!().map(({ type }) => type)).toEqual(["step-end", "tool-end"]);
    expect(decode.pause!()).toEqual([]);
  });

  test("interleaved arguments that end late, results with the call's id, and repeated user messages are handled", async () => {
    const events = await understood([
      started,
      { type: "STATE_SNAPSHOT", snapshot: {} },
      { type: "RAW", event: { event: "RunStarted" }, source: "other" },
      { type: "TEXT_MESSAGE_START", messageId: "u", role: "user" },
      { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "Let me look." },
      { type: "TOOL_CALL_START", toolCallId: "a", toolCallName: "one", parentMessageId: "m" },
      { type: "TOOL_CALL_START", toolCallId: "b", toolCallName: "two", parentMessageId: "m" },
      { type: "TOOL_CALL_ARGS", toolCallId: "b", delta: '{"of":"b"}' },
      { type: "TOOL_CALL_ARGS", toolCallId: "a", delta: '{"of":"a"}' },
      { type: "TOOL_CALL_END", toolCallId: "a" },
      { type: "TOOL_CALL_RESULT", messageId: "a", toolCallId: "a", content: '"1"' },
      { type: "TOOL_CALL_END", toolCallId: "b" },
      { type: "TOOL_CALL_RESULT", messageId: "b", toolCallId: "b", content: '"2"' },
      { type: "MESSAGES_SNAPSHOT", messages: [] },
      finished,
    ]);
    expect(events.filter(({ type }) => type === "tool-input-delta")).toMatchObject([
      { call: "b", delta: '{"of":"b"}' },
      { call: "a", delta: '{"of":"a"}' },
    ]);
    expect(events.filter(({ type }) => type === "tool-end")).toMatchObject([{ outcome: "ok" }, { outcome: "ok" }]);
    expect(events.filter(({ type }) => type === "text-start").length).toBe(1);
    expect(events.at(-1)).toMatchObject({ outcome: "done" });
  });

  test("chunks, and the thinking of older servers", async () => {
    const events = await understood([
      started,
      { type: "THINKING_START" },
      { type: "THINKING_TEXT_MESSAGE_START" },
      { type: "THINKING_TEXT_MESSAGE_CONTENT", delta: "Hm." },
      { type: "THINKING_TEXT_MESSAGE_END" },
      { type: "THINKING_END" },
      { type: "TEXT_MESSAGE_CHUNK", messageId: "m", role: "assistant", delta: "One " },
      { type: "CUSTOM", name: "tick", value: 1 },
      { type: "TEXT_MESSAGE_CHUNK", delta: "two." },
      { type: "TOOL_CALL_CHUNK", toolCallId: "c", toolCallName: "look", delta: "{" },
      { type: "TOOL_CALL_CHUNK", delta: "}" },
      { type: "TOOL_CALL_RESULT", messageId: "r", toolCallId: "c", content: "seen" },
      finished,
    ]);
    const words = (type: string) =>
      events.flatMap((event) => (event.type === type ? [(event as { delta: string }).delta] : []));
    expect(words("thinking-delta")).toEqual(["Hm."]);
    expect(words("text-delta")).toEqual(["One ", "two."]);
    expect(words("tool-input-delta")).toEqual(["{", "}"]);
    expect(events).toContainEqual({ type: "data", name: "tick", value: 1 });
    expect(events.filter(({ type }) => type === "text-start" || type === "tool-start").length).toBe(2);
  });

  test("parallel sub-agents, each with its own text and calls", async () => {
    const of = (id: string) => ({ subagentRunId: id });
    const events = await understood([
      started,
      { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "delegate" },
      { type: "TOOL_CALL_END", toolCallId: "c" },
      { type: "SUBAGENT_STARTED", ...of("a"), name: "reader", description: "read", parentToolCallId: "c" },
      { type: "SUBAGENT_STARTED", ...of("b"), name: "writer", parentSubagentRunId: "a" },
      { type: "TEXT_MESSAGE_START", messageId: "m1", ...of("a") },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "m1", delta: "I read." },
      { type: "TOOL_CALL_START", toolCallId: "d", toolCallName: "look", ...of("b") },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "m1", delta: " Still." },
      { type: "SUBAGENT_ERROR", ...of("b"), message: "out of ink", code: "ink" },
      { type: "SUBAGENT_FINISHED", ...of("a") },
      { type: "TOOL_CALL_RESULT", messageId: "r", toolCallId: "c", content: "read" },
      finished,
    ]);
    expect(events.filter(({ type }) => type === "agent-start")).toMatchObject([
      { agent: "a", name: "reader", task: "read", call: "c" },
      { agent: "b", name: "writer", parent: "a" },
    ]);
    expect(events.filter(({ type }) => type === "agent-end")).toMatchObject([
      { agent: "b", outcome: "error", error: { code: "ink", message: "out of ink" } },
      { agent: "a", outcome: "done" },
    ]);
    expect(events.filter(({ agent }) => agent === "a").filter(({ type }) => type === "text-delta").length).toBe(2);
    expect(events.at(-1)).toMatchObject({ outcome: "done" });
  });

  test("an answer that is only in a snapshot of the conversation is shown, and one that streamed is not repeated", async () => {
    const snapshot = (...messages: object[]) => ({ type: "MESSAGES_SNAPSHOT", messages });
    const question = { id: "q", role: "user", content: "And now?" };
    const textOf = (events: readonly Event[]) =>
      events.map((event) => (event.type === "text-delta" ? event.delta : "")).join("");
    const only = [started, snapshot(question, { id: "a", role: "assistant", content: "Now." }), finished];
    expect(textOf(await understood(only))).toBe("Now.");
    const streamed = { type: "TEXT_MESSAGE_CHUNK", messageId: "m", delta: "Now." };
    const both = [started, streamed, snapshot(question, { id: "a", role: "assistant", content: "Now." }), finished];
    expect(textOf(await understood(both))).toBe("Now.");
    const earlier = { id: "a", role: "assistant", content: "Before." };
    expect(textOf(await understood([started, snapshot(earlier, question), finished]))).toBe("");
  });

  test("what a run or a sub-agent returns is data", async () => {
    const events = await understood([
      started,
      { type: "SUBAGENT_STARTED", subagentRunId: "s", name: "reader" },
      { type: "SUBAGENT_FINISHED", subagentRunId: "s", result: { pages: 3 } },
      { ...finished, result: "three pages" },
    ]);
    expect(events.filter(({ type }) => type === "data")).toEqual([
      { type: "data", name: "result", value: { pages: 3 }, agent: "s" },
      { type: "data", name: "result", value: "three pages" },
    ]);
  });

  test("interrupts of every form are asks, and unanswered calls are left to the client", async () => {
    const approval = { properties: { approved: { type: "boolean" } }, required: ["approved"] };
    const interrupts = [
      { id: "i1", reason: "tool_call", message: "Send?", toolCallId: "c", responseSchema: approval },
      { id: "i2", reason: "form", message: "Who?", responseSchema: { properties: { name: { type: "string" } } } },
      { id: "i3", reason: "tool_call", toolCallId: "unknown", responseSchema: approval },
    ];
    const decode = agUi.decode();
    const sent = [
      started,
      { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "send" },
      { type: "TOOL_CALL_END", toolCallId: "c" },
      { ...finished, outcome: { type: "interrupt", interrupts } },
      { ...started, runId: "r2" },
      {
        type: "TOOL_CALL_RESULT",
        messageId: "r",
        toolCallId: "c",
        content: "sent",
        metadata: { runcast: { outcome: "ok" } },
      },
      { type: "TOOL_CALL_START", toolCallId: "d", toolCallName: "show_map" },
      { type: "TOOL_CALL_END", toolCallId: "d" },
      { ...finished, outcome: { type: "success", pendingToolCallIds: ["d"] } },
    ];
    const events = sent.flatMap((one) => [...decode({ data: JSON.stringify(one) })]);
    expect(events.filter(({ type }) => type === "ask-start")).toMatchObject([
      { ask: "i1", kind: "approval", call: "c" },
      { ask: "i2", kind: "input", schema: { properties: { name: { type: "string" } } } },
      { ask: "i3", kind: "confirmation" },
    ]);
    // Two of their runs become one of ours.
    expect(events.filter(({ type }) => type === "run-start").length).toBe(1);
    expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: "done", awaiting: ["d"] });
  });

  test("an answer that is a provider's opaque value goes back byte for byte", () => {
    const encrypted = '{"id":  "x"}';
    const request = {
      threadId: "t",
      runId: "r",
      protocolVersion: "1.0",
      messages: [
        { id: "1", role: "user", content: "hi" },
        { id: "2", role: "reasoning", content: "Hm.", encryptedValue: encrypted },
        { id: "3", role: "assistant", content: "Yes." },
        { id: "4", role: "user", content: "and?" },
      ],
    };
    const asked = { params: {}, query: new URLSearchParams(), headers: new Headers(), body: request };
    const command = agUi.read(agUi.routes[0]!, asked);
    const { body } = agUi.write(command);
    expect(JSON.parse(body!)).toMatchObject({ runId: "r" });
    expect(body).toContain(JSON.stringify(encrypted));
  });
});
