import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Frame } from "../../src/dialect.ts";
import { deepAgent } from "../../src/dialects/deep-agent.ts";
import type { Entry, Event } from "../../src/events.ts";
import { arbitraryLog } from "../generate.ts";
import { decoded, encoded, expectGolden, goldenRuns, link, numbered, played, read, refused } from "./dialect-frames.ts";
import { jsonOf, withCall } from "./dialect-frames.ts";
import { endingOf } from "./ending.ts";

const STREAM = [
  `{"type": "status", "data": {"description": "Starting research...", "agent_depth": 0}}`,
  `{"type": "tool_start", "data": {"tool_id": "abc", "name": "web_search", "agent_depth": 0}}`,
  `{"type": "token", "data": {"content": "Let me ", "agent_depth": 0}}`,
  `{"type": "token", "data": {"content": "search...", "agent_depth": 0}}`,
  `{"type": "tool_end", "data": {"tool_id": "abc", "name": "web_search", "result": "Found 3 articles...", "agent_depth": 0}}`,
  `{"type": "agent_start", "data": {"agent_id": "xyz", "name": "task", "depth": 1}}`,
  `{"type": "token", "data": {"content": "Analyzing ", "agent_depth": 1}}`,
  `{"type": "agent_end", "data": {"agent_id": "xyz", "depth": 1}}`,
  `{"type": "token", "data": {"content": "Based on my research...", "agent_depth": 0}}`,
  `{"type": "done"}`,
];

const LOG = numbered([
  { type: "run-start", protocol: 1, run: "r", name: "research" },
  { type: "step-start", step: "s1" },
  { type: "tool-start", call: "abc", name: "web_search" },
  { type: "tool-input-end", call: "abc", input: { query: "x" } },
  { type: "step-end", step: "s1", finish: "tools" },
  { type: "tool-execute", call: "abc" },
  { type: "text-start", part: "p1", call: "abc" },
  { type: "text-delta", part: "p1", delta: "Let me " },
  { type: "text-delta", part: "p1", delta: "search..." },
  { type: "text-end", part: "p1" },
  { type: "tool-end", call: "abc", outcome: "ok", content: [{ type: "text", text: "Found 3 articles..." }] },
  { type: "agent-start", agent: "xyz", name: "task" },
  { type: "step-start", agent: "xyz", step: "s2" },
  { type: "text-start", agent: "xyz", part: "p2" },
  { type: "text-delta", agent: "xyz", part: "p2", delta: "Analyzing " },
  { type: "text-end", agent: "xyz", part: "p2" },
  { type: "step-end", agent: "xyz", step: "s2", finish: "stop" },
  { type: "agent-end", agent: "xyz", outcome: "done" },
  { type: "step-start", step: "s3" },
  { type: "text-start", part: "p3" },
  { type: "text-delta", part: "p3", delta: "Based on my research..." },
  { type: "text-end", part: "p3" },
  { type: "step-end", step: "s3", finish: "stop" },
  { type: "run-end", outcome: "done", answer: ["p3"] },
]);

const frame = (type: string, data?: object): Frame => ({ data: JSON.stringify({ type, data }) });
const golden = STREAM.map((data): Frame => ({ data }));
const words = (events: readonly Event[], agent?: string) =>
  events.map((event) => (event.type === "text-delta" && event.agent === agent ? event.delta : "")).join("");
const ends = (events: readonly Event[]) => events.filter((event) => event.type === "tool-end");

describe("the family's golden stream", () => {
  test("equals the encoded run, frame by frame", () => {
    expectGolden(encoded(deepAgent, LOG), STREAM);
    for (const { event, id } of encoded(deepAgent, LOG)) expect([event, id]).toEqual([undefined, undefined]);
  });

  test("decodes to the run", async () => {
    const events = await played(deepAgent, golden);
    expect(ends(events)).toEqual([LOG[10]!.event]);
    expect(words(events, "xyz")).toBe("Analyzing ");
    expect(events).toContainEqual({ type: "agent-end", agent: "xyz", outcome: "done" });
    const last = events.at(-1);
    const answer = last?.type === "run-end" ? last.answer : undefined;
    expect(events.filter((event) => event.type === "text-delta" && answer?.includes(event.part))).toMatchObject([
      { delta: "Based on my research..." },
    ]);
  });
});

describe("encoding", () => {
  const ended = (entries: readonly Entry[]) =>
    jsonOf(encoded(deepAgent, entries)).find((one) => (one as { type: string }).type === "tool_end");

  test("a result is sent completely, and an empty one as the family's text", () => {
    const text = "x".repeat(100_000);
    expect(ended(withCall({ outcome: "ok", content: [{ type: "text", text }] }))).toEqual({
      type: "tool_end",
      data: { tool_id: "c", name: "look", result: text, agent_depth: 0 },
    });
    expect(ended(withCall({ outcome: "ok" }))).toMatchObject({ data: { result: "✓ completed" } });
    const json = withCall({ outcome: "ok", content: [{ type: "json", value: { a: 1 } }] });
    expect(ended(json)).toMatchObject({ data: { result: '{"a":1}' } });
  });

  test("a framework's command object is not a result and becomes the family's text", () => {
    const frame = (type: string, data: object): Frame => ({ data: JSON.stringify({ type, data }) });
    const read = (result: string) =>
      decoded(deepAgent, [
        frame("tool_start", { tool_id: "c", name: "write_todos" }),
        frame("tool_end", { tool_id: "c", name: "write_todos", result }),
        frame("done", {}),
      ]);
    expect(ends(read("Command(update={'todos': [],\n 'messages': []})"))).toEqual([
      { type: "tool-end", call: "c", outcome: "ok" },
    ]);
    expect(ends(read("Command(s) were run"))).toMatchObject([{ content: [{ text: "Command(s) were run" }] }]);
  });

  test("a result that is too large even for this is sent as its beginning and a link", () => {
    const file = { type: "file", file: "f", mediaType: "text/plain", bytes: 20_000_000, head: "abc" } as const;
    const result = `abc…\n\ntext/plain, 20000000 bytes: ${link(file)}`;
    expect(ended(withCall({ outcome: "ok", content: [file] }))).toMatchObject({ data: { result } });
  });

  test("a failed tool ends, and its result shows the failure", () => {
    const log = withCall({ outcome: "error", error: { code: "x", message: "no such file" } });
    expect(ended(log)).toMatchObject({ data: { result: "Error: no such file" } });
    expect(ends(decoded(deepAgent, encoded(deepAgent, log)))).toMatchObject([
      { outcome: "error", error: { message: "no such file" } },
    ]);
  });

  test("parallel sub-agents share a depth and are distinguished by their ids, at any depth", async () => {
    const agent = (id: string, parent?: string): Event[] => [
      { type: "agent-start", agent: id, ...(parent && { parent }), name: `${id}'s name` },
      { type: "step-start", agent: id, step: `s-${id}` },
      { type: "text-start", agent: id, part: `p-${id}` },
    ];
    const tell = (id: string, delta: string): Event => ({ type: "text-delta", agent: id, part: `p-${id}`, delta });
    const end = (id: string): Event[] => [
      { type: "text-end", agent: id, part: `p-${id}` },
      { type: "step-end", agent: id, step: `s-${id}`, finish: "stop" },
      { type: "agent-end", agent: id, outcome: "done" },
    ];
    const log = numbered([
      { type: "run-start", protocol: 1, run: "r", name: "test" },
      ...[...agent("a"), ...agent("b"), ...agent("a1", "a"), ...agent("b1", "b")],
      ...[tell("b1", "3"), tell("a", "1"), tell("b", "2"), tell("a1", "4"), tell("b1", "5")],
      ...[...end("b1"), ...end("a1"), ...end("b"), ...end("a")],
      { type: "run-end", outcome: "done" },
    ]);
    const sent = encoded(deepAgent, log);
    expect(jsonOf(sent)).toContainEqual({
      type: "agent_start",
      data: { agent_id: "a1", name: "a1's name", depth: 2, parent_id: "a" },
    });
    expect(jsonOf(sent)).toContainEqual({
      type: "token",
      data: { content: "3", agent_depth: 2, agent_id: "b1" },
    });
    const events = await played(deepAgent, sent);
    expect(["a", "b", "a1", "b1"].map((id) => words(events, id))).toEqual(["1", "2", "4", "35"]);
    expect(events).toContainEqual({ type: "agent-start", agent: "b1", parent: "b", name: "b1's name" });
  });

  test("a failure is sent as text, a status and an end, and is decoded as the same failure", () => {
    const error = { code: "model-gone", message: "The model is gone.", retryable: true };
    const failed = [
      ...LOG.slice(0, -1),
      { seq: 24, at: 0, event: { type: "run-end", outcome: "error", error } as Event },
    ];
    const sent = encoded(deepAgent, failed);
    expect(jsonOf(sent).slice(-3)).toMatchObject([
      { type: "token", data: { content: "\n\nError: The model is gone.", agent_depth: 0 } },
      { type: "status", data: { description: "Error: The model is gone.", agent_depth: 0 } },
      { type: "done" },
    ]);
    const events = decoded(deepAgent, sent);
    expect(events.at(-1)).toEqual({ type: "run-end", outcome: "error", error });
    expect(words(events)).toBe("Let me search...Based on my research...");
  });

  test("a sub-agent that fails is not shown as completed", () => {
    const log = numbered([
      { type: "run-start", protocol: 1, run: "r", name: "test" },
      { type: "agent-start", agent: "a", name: "reader" },
      { type: "agent-end", agent: "a", outcome: "error", error: { code: "x", message: "no" } },
    ]);
    expect(jsonOf(encoded(deepAgent, log)).at(-1)).toMatchObject({
      type: "status",
      data: { description: "reader failed: no" },
    });
  });
});

describe("decoding frames of servers", () => {
  test("servers that send only a depth: a task that ends after its agent, a tool that never ends", async () => {
    const events = await played(deepAgent, [
      frame("status", { description: "Starting..." }),
      frame("agent_start", { agent_id: "t1", name: "task", depth: 1 }),
      frame("tool_start", { tool_id: "w", name: "web_search", agent_depth: 1 }),
      frame("token", { content: "in the sub-agent", agent_depth: 1 }),
      frame("agent_end", { agent_id: "t1", depth: 1 }),
      frame("tool_end", { tool_id: "t1", name: "task", result: "found", agent_depth: 0 }),
      frame("token", { content: "answer", agent_depth: 0 }),
      frame("done"),
    ]);
    expect(words(events, "t1")).toBe("in the sub-agent");
    expect(words(events)).toBe("answer");
    expect(ends(events)).toMatchObject([
      { agent: "t1", call: "w", outcome: "interrupted" },
      { outcome: "ok", content: [{ text: "found" }] },
    ]);
    expect(events.at(-1)).toMatchObject({ outcome: "done" });
  });

  test("a depth without a known agent starts one, so that its text does not become the answer", async () => {
    const events = await played(deepAgent, [
      frame("token", { content: "lost", agent_depth: 3 }),
      frame("agent_start", { name: "task", depth: 4 }),
      frame("token", { content: "deeper", agent_depth: 4 }),
      frame("agent_end", { depth: 4 }),
      frame("token", { content: "answer" }),
      frame("done"),
    ]);
    expect(words(events)).toBe("answer");
    expect(events.flatMap((event) => (event.type === "agent-start" ? [event.name] : []))).toEqual(["unknown", "task"]);
  });

  test("malformed and unknown frames, and frames after the end, are skipped", () => {
    const broken = [
      "{",
      "null",
      "7",
      "[]",
      '{"type":"token"}',
      '{"type":"token","data":{"content":7}}',
      '{"type":"x"}',
    ];
    const events = decoded(deepAgent, [
      ...broken.map((data): Frame => ({ data })),
      frame("agent_end", { agent_id: "nobody", depth: 7 }),
      frame("done"),
      frame("token", { content: "late", agent_depth: 0 }),
    ]);
    expect(events).toEqual([{ type: "run-end", outcome: "done" }]);
  });

  test("a flood of items that never end stays bounded and grammatical", async () => {
    const flood = Array.from({ length: 3000 }, (_, index) => [
      frame("agent_start", { agent_id: `a${index}`, name: "x", depth: index + 1 }),
      frame("tool_start", { tool_id: `c${index}`, name: "x", agent_depth: index }),
    ]).flat();
    const events = await played(deepAgent, [...flood, frame("done")]);
    expect(events.at(-1)).toMatchObject({ outcome: "done" });
  });
});

describe("both directions", () => {
  test("with extensions, decoding returns the encoded run", () => {
    for (const [name, entries] of goldenRuns)
      expect(decoded(deepAgent, encoded(deepAgent, entries, true)), name).toEqual(entries.map(({ event }) => event));
    fc.assert(
      fc.property(arbitraryLog(), (entries) => {
        expect(decoded(deepAgent, encoded(deepAgent, entries, true))).toEqual(entries.map(({ event }) => event));
      }),
      { numRuns: 60 },
    );
  });

  test("extensions add frames and change none", () => {
    for (const [, entries] of goldenRuns)
      expect(encoded(deepAgent, entries, true).filter(({ data }) => !data.startsWith('{"type":"runcast"'))).toEqual(
        encoded(deepAgent, entries),
      );
  });

  test("without extensions, decoding returns a grammatical run", async () => {
    for (const [, entries] of goldenRuns) await played(deepAgent, encoded(deepAgent, entries));
    await fc.assert(
      fc.asyncProperty(arbitraryLog(), async (entries) => void (await played(deepAgent, encoded(deepAgent, entries)))),
      { numRuns: 30 },
    );
  });
});

describe("requests", () => {
  const messages = [
    { role: "system", content: "Be kind." },
    { role: "user", content: "Hello" },
    { role: "assistant", content: "" },
  ];

  test.each([
    ["/deep-agent/chat/stream", true, undefined],
    ["/deep-agent/my%20agent/chat/stream", true, "my agent"],
    ["/deep-agent/chat", false, undefined],
    ["/deep-agent/chat/chat", false, "chat"],
  ])("a client's request to %s is a start, and writing it again returns the same request", (path, stream, agent) => {
    const command = read(deepAgent, { path, headers: { "runcast-extensions": "1" }, body: { messages, stream } });
    expect(command).toMatchObject({ do: "start", extensions: true, ...(!stream && { whole: "end" }) });
    expect(command.do === "start" && command.request.agent).toBe(agent);
    const written = deepAgent.write(command);
    expect([written.path, JSON.parse(written.body!)]).toEqual([path, { messages, stream }]);
    expect(read(deepAgent, written)).toEqual(command);
  });

  test.each([
    { messages: [{ role: "tool", content: "x" }] },
    { messages: [{ role: "user", content: [{ type: "text", text: "x" }] }] },
    { messages: [] },
    undefined,
  ])("%j is refused in the family's format", (body) => {
    const refusal = refused(() => read(deepAgent, { path: "/deep-agent/chat/stream", body }));
    expect(refusal.status).toBe(422);
    const { body: text } = deepAgent.refuse({ code: refusal.code, message: refusal.message, status: 422 });
    expect(JSON.parse(text)).toEqual({ detail: refusal.message });
  });
});

describe("a single response instead of a stream", () => {
  const answered = (entries: readonly Entry[]) => {
    const answer = deepAgent.answer!({ link });
    for (const entry of entries) answer.take(entry);
    const { status, body } = answer.body();
    return [status, JSON.parse(body)] as const;
  };

  test("contains only the run's answer", () => {
    expect(answered(LOG)).toEqual([200, { message: { role: "assistant", content: "Based on my research..." } }]);
    const last = { type: "run-end", outcome: "done" } as const;
    expect(answered([...LOG.slice(0, -1), { seq: 24, at: 0, event: last }])).toEqual([
      200,
      { message: { role: "assistant", content: "Based on my research..." } },
    ]);
  });

  test("has an error status if the run failed", () => {
    const error = { code: "x", message: "The model is gone.", retryable: true };
    const failed = { type: "run-end", outcome: "error", error } as const;
    expect(answered([...LOG.slice(0, -1), { seq: 24, at: 0, event: failed }])).toEqual([
      500,
      { detail: error.message },
    ]);
  });

  test.each(goldenRuns)("%s", (_, entries) => {
    const { event } = entries.at(-1)!;
    const end = event.type === "run-end" ? event : undefined;
    // A run that stops for its client has no answer yet. Then the last text is the answer.
    const last = entries.findLast(({ event: one }) => one.type === "text-start" && one.agent === undefined);
    const parts = end?.answer ?? (last?.event.type === "text-start" ? [last.event.part] : []);
    const texts = entries.map(({ event: one }) =>
      one.type === "text-delta" && parts.includes(one.part) ? one.delta : "",
    );
    const [status, body] = answered(entries);
    const content = [texts.join(""), endingOf(entries).note].filter(Boolean).join("\n\n");
    if (end?.outcome === "done") expect([status, body]).toEqual([200, { message: { role: "assistant", content } }]);
    else expect(status).toBe(500);
  });
});
