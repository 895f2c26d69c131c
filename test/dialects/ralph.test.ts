import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Frame } from "../../src/dialect.ts";
import { ralph } from "../../src/dialects/ralph.ts";
import type { Event } from "../../src/events.ts";
import { arbitraryLog } from "../generate.ts";
import { decoded, encoded, expectGolden, goldenRuns, link, numbered, played } from "./dialect-frames.ts";
import { jsonOf, withCall } from "./dialect-frames.ts";

const STREAM = [
  `{"type": "status", "content": "Thinking..."}`,
  `{"type": "message", "content": "Let me check your "}`,
  `{"type": "message", "content": "student profile."}`,
  `{"type": "tool_call_start", "tool_call_id": "call_abc", "tool_name": "list_memory_blocks", "tool_args": {}}`,
  `{"type": "tool_call_complete", "tool_call_id": "call_abc", "tool_name": "list_memory_blocks", "tool_args": {}, "result": "[{\\"label\\": \\"student\\", \\"title\\": \\"Student Profile\\"}]"}`,
  `{"type": "tool_call_start", "tool_call_id": "call_def", "tool_name": "read_memory_block", "tool_args": {"label": "student"}}`,
  `{"type": "tool_call_complete", "tool_call_id": "call_def", "tool_name": "read_memory_block", "tool_args": {"label": "student"}, "result": "## About Me\\n\\nI'm studying CS..."}`,
  `{"type": "message", "content": "Your student profile "}`,
  `{"type": "message", "content": "shows that you're studying CS..."}`,
  `{"type": "done"}`,
];

const THINKING = `{"type": "status", "content": "Thinking..."}`;
/**
 * The same, with what the family's client needs to show it: a block starts on its own line, or it is not rendered, and
 * no status outlives its cause.
 */
const SPELLED = [
  ...STREAM.slice(0, 3),
  `{"type": "message", "content": "\\n\\n"}`,
  ...[...STREAM.slice(3, 5), THINKING],
  ...[...STREAM.slice(5, 7), THINKING],
  ...STREAM.slice(7),
];

const LOG = numbered([
  { type: "run-start", protocol: 1, run: "r", name: "tutor" },
  { type: "step-start", step: "s1" },
  { type: "text-start", part: "p1" },
  { type: "text-delta", part: "p1", delta: "Let me check your " },
  { type: "text-delta", part: "p1", delta: "student profile." },
  { type: "text-end", part: "p1" },
  { type: "tool-start", call: "call_abc", name: "list_memory_blocks" },
  { type: "tool-input-end", call: "call_abc", input: {} },
  { type: "step-end", step: "s1", finish: "tools" },
  { type: "tool-execute", call: "call_abc" },
  {
    type: "tool-end",
    call: "call_abc",
    outcome: "ok",
    content: [{ type: "text", text: '[{"label": "student", "title": "Student Profile"}]' }],
  },
  { type: "step-start", step: "s2" },
  { type: "tool-start", call: "call_def", name: "read_memory_block" },
  { type: "tool-input-delta", call: "call_def", delta: '{"label":' },
  { type: "tool-input-delta", call: "call_def", delta: '"student"}' },
  { type: "tool-input-end", call: "call_def" },
  { type: "step-end", step: "s2", finish: "tools" },
  { type: "tool-execute", call: "call_def" },
  {
    type: "tool-end",
    call: "call_def",
    outcome: "ok",
    content: [{ type: "text", text: "## About Me\n\nI'm studying CS..." }],
  },
  { type: "step-start", step: "s3" },
  { type: "text-start", part: "p2" },
  { type: "text-delta", part: "p2", delta: "Your student profile " },
  { type: "text-delta", part: "p2", delta: "shows that you're studying CS..." },
  { type: "text-end", part: "p2" },
  { type: "step-end", step: "s3", finish: "stop" },
  { type: "run-end", outcome: "done", answer: ["p2"] },
]);

const frames = (...values: object[]): Frame[] =>
  values.map((value) => ({ event: "message", data: JSON.stringify(value) }));
const golden = STREAM.map((data): Frame => ({ event: "message", data }));
const without = (events: readonly Event[], ...types: Event["type"][]) =>
  events.filter(({ type }) => !types.includes(type));

describe("the family's golden stream", () => {
  test("in the strict style, the run is exactly its 10 frames", () => {
    const encode = ralph.encode({ link, style: "strict" });
    const frames = LOG.flatMap((entry) => encode(entry));
    expect(frames).toHaveLength(10);
    expectGolden(frames, STREAM);
  });

  test("equals the encoded run, frame by frame", () => {
    expectGolden(encoded(ralph, LOG), SPELLED);
    for (const { event, id } of encoded(ralph, LOG)) expect([event, id]).toEqual(["message", undefined]);
  });

  test("decodes to the run", async () => {
    const events = await played(ralph, golden);
    const calls = events.filter((event) => event.type === "tool-end");
    expect(calls).toEqual([LOG[10]!.event, LOG[18]!.event]);
    expect(events.flatMap((event) => (event.type === "tool-input-end" ? [event.input] : []))).toEqual([
      {},
      { label: "student" },
    ]);
    const answer = events.at(-1);
    expect(answer).toMatchObject({ type: "run-end", outcome: "done" });
    const parts = answer?.type === "run-end" ? answer.answer : [];
    const text = events.map((event) => (event.type === "text-delta" && parts?.includes(event.part) ? event.delta : ""));
    expect(text.join("")).toBe("Your student profile shows that you're studying CS...");
  });
});

describe("encoding", () => {
  const result = (text: string) =>
    jsonOf(encoded(ralph, withCall({ outcome: "ok", content: [{ type: "text", text }] })));

  test("a result over 2000 characters is truncated, counted in characters", () => {
    expect(result("x".repeat(2000))).toContainEqual(expect.objectContaining({ result: "x".repeat(2000) }));
    expect(result("x".repeat(2001))).toContainEqual(expect.objectContaining({ result: `${"x".repeat(2000)}...` }));
    expect(result("🙂".repeat(2000))).toContainEqual(expect.objectContaining({ result: "🙂".repeat(2000) }));
    expect(result("🙂".repeat(2001))).toContainEqual(expect.objectContaining({ result: `${"🙂".repeat(2000)}...` }));
  });

  test("a result is a string: JSON as its text, no result as an empty one", () => {
    const json = encoded(ralph, withCall({ outcome: "ok", content: [{ type: "json", value: { a: [1] } }] }));
    expect(jsonOf(json)).toContainEqual(expect.objectContaining({ type: "tool_call_complete", result: '{"a":[1]}' }));
    expect(jsonOf(encoded(ralph, withCall({ outcome: "ok" })))).toContainEqual(expect.objectContaining({ result: "" }));
  });

  test("a file's bytes are sent as their beginning and a link", () => {
    const file = { type: "file", file: "f1", mediaType: "text/plain", bytes: 99_999, head: "y".repeat(4096) } as const;
    expect(jsonOf(encoded(ralph, withCall({ outcome: "ok", content: [file] })))).toContainEqual(
      expect.objectContaining({ result: `${"y".repeat(2000)}...`, result_url: link(file) }),
    );
  });

  test.each([
    ["error", "it broke", { error: { code: "x", message: "it broke" } }],
    ["error", "no such file", { content: [{ type: "text" as const, text: "no such file" }] }],
    ["error", "Unknown error", {}],
    ["timeout", "It timed out.", {}],
    ["denied", "It was not allowed.", {}],
  ] as const)("a call that ends as %s is one tool_call_error: %s", (outcome, error, rest) => {
    const sent = jsonOf(encoded(ralph, withCall({ outcome, ...rest } as never)));
    expect(sent.filter((one) => /complete|error/.test((one as { type: string }).type))).toEqual([
      { type: "tool_call_error", tool_call_id: "c", tool_name: "look", error, tool_args: { path: "a.txt" } },
    ]);
  });

  test("a call without a name is unknown, and invalid arguments are shown unchanged", () => {
    const log = withCall({ outcome: "ok" }, "").filter(({ event }) => event.type !== "tool-input-end");
    const broken = log.map((entry) =>
      entry.event.type === "tool-input-delta" ? { ...entry, event: { ...entry.event, delta: "{" } } : entry,
    );
    expect(jsonOf(encoded(ralph, broken))).toContainEqual(
      expect.objectContaining({ type: "tool_call_start", tool_name: "unknown", tool_args: "{{" }),
    );
  });

  test("a status lives as long as its cause", () => {
    const log: Event[] = [
      { type: "run-start", protocol: 1, run: "r", name: "test" },
      { type: "step-start", step: "s" },
      { type: "tool-start", call: "c", name: "compile" },
      { type: "step-end", step: "s", finish: "tools" },
      { type: "tool-execute", call: "c" },
      { type: "status", call: "c", text: "Compiling notes…" },
      { type: "tool-progress", call: "c", note: "page 3", fraction: 0.5 },
      { type: "agent-start", agent: "a", name: "researcher", call: "c", task: "look" },
      { type: "step-start", agent: "a", step: "s2" },
      { type: "text-start", agent: "a", part: "p" },
      { type: "text-delta", agent: "a", part: "p", delta: "never in the answer" },
      { type: "text-end", agent: "a", part: "p" },
      { type: "step-end", agent: "a", step: "s2", finish: "stop" },
      { type: "agent-end", agent: "a", outcome: "done" },
      { type: "ask-start", ask: "q", kind: "input", call: "c", title: "Which?" },
      { type: "ask-end", ask: "q", outcome: "expired" },
      { type: "tool-end", call: "c", outcome: "ok" },
      { type: "run-end", outcome: "done" },
    ];
    const sent = jsonOf(encoded(ralph, numbered(log))) as { type: string; content?: string }[];
    expect(sent.flatMap(({ type, content }) => (type === "status" ? [content] : []))).toEqual([
      "Thinking...",
      "Compiling notes…",
      "page 3, 50%",
      "researcher: look",
      "page 3, 50%",
      "Which? (waiting for your answer at /?run=r)",
      "page 3, 50%",
      "Thinking...",
    ]);
    expect(JSON.stringify(sent)).not.toContain("never in the answer");
  });

  test("the status names one of the calls that are still running", () => {
    const call = (id: string): Event[] => [
      { type: "tool-start", call: id, name: `tool_${id}` },
      { type: "tool-input-end", call: id, input: {} },
    ];
    const log: Event[] = [
      { type: "run-start", protocol: 1, run: "r", name: "test" },
      { type: "step-start", step: "s" },
      ...[...call("a"), ...call("b")],
      { type: "step-end", step: "s", finish: "tools" },
      ...[{ type: "tool-execute", call: "a" } as const, { type: "tool-execute", call: "b" } as const],
      { type: "tool-end", call: "b", outcome: "ok" },
      { type: "tool-end", call: "a", outcome: "ok" },
      { type: "run-end", outcome: "done" },
    ];
    const sent = jsonOf(encoded(ralph, numbered(log))) as { type: string; content?: string; tool_name?: string }[];
    expect(sent.map(({ type, content, tool_name: name }) => [type, content ?? name])).toEqual([
      ["status", "Thinking..."],
      ["tool_call_start", "tool_a"],
      ["tool_call_start", "tool_b"],
      ["tool_call_complete", "tool_b"],
      ["status", "Running tool_a..."],
      ["tool_call_complete", "tool_a"],
      ["status", "Thinking..."],
      ["done", undefined],
    ]);
  });

  test("the link for answering works from anywhere", () => {
    const asked = numbered([
      { type: "run-start", protocol: 1, run: "r", name: "test" },
      { type: "ask-start", ask: "q", kind: "input", title: "Which?" },
    ]);
    const encode = ralph.encode({ link, page: (access) => `https://example.org/?run=r&for=${access}` });
    expect(jsonOf(asked.flatMap((entry) => encode(entry))).at(-1)).toEqual({
      type: "status",
      content: "Which? (waiting for your answer at https://example.org/?run=r&for=answer)",
    });
  });

  test("a failed run ends with one error, which is decoded completely", () => {
    const error = { code: "model-gone", message: "The model is gone.", retryable: true, hint: "Try again." };
    const failed = numbered([
      { type: "run-start", protocol: 1, run: "r", name: "test" },
      { type: "run-end", outcome: "interrupted", error },
    ]);
    const sent = encoded(ralph, failed);
    expect(jsonOf(sent).slice(-2)).toMatchObject([
      { type: "error", message: "The model is gone. Try again." },
      { type: "done" },
    ]);
    expect(decoded(ralph, sent).at(-1)).toEqual(failed.at(-1)!.event);
  });
});

describe("decoding frames of servers", () => {
  const start = { type: "tool_call_start", tool_call_id: "c", tool_name: "look", tool_args: {} };
  const complete = { ...start, type: "tool_call_complete", result: "boom" };
  const failed = { type: "tool_call_error", tool_call_id: "c", tool_name: "look", error: "boom" };
  const ends = (events: readonly Event[]) => events.filter((event) => event.type === "tool-end");

  test("a tool reported as complete and then as failed is one failed call", async () => {
    const events = await played(ralph, frames(start, complete, failed, { type: "done" }));
    expect(ends(events)).toEqual([
      { type: "tool-end", call: "c", outcome: "error", error: { code: "tool-failed", message: "boom" } },
    ]);
    expect(events.at(-1)).toMatchObject({ outcome: "done" });
  });

  test("a completion that is marked as an error is one, even if another frame repeats it", async () => {
    const broken = { ...complete, is_error: true };
    for (const sequence of [
      [start, broken, { type: "done" }],
      [start, broken, failed, { type: "done" }],
    ])
      expect(ends(await played(ralph, frames(...sequence)))).toEqual([
        { type: "tool-end", call: "c", outcome: "error", error: { code: "tool-failed", message: "boom" } },
      ]);
  });

  test("a completion is emitted with the next frame, whatever that contains", () => {
    const decode = ralph.decode();
    const [first, second, third] = frames(start, complete, { type: "message", content: "so" });
    expect(ends(decode(first!))).toEqual([]);
    expect(decode(second!)).toEqual([]);
    expect(decode({ event: "heartbeat", data: '{"type":"heartbeat"}' })).toEqual([]);
    expect(ends(decode(third!))).toMatchObject([{ outcome: "ok", content: [{ text: "boom" }] }]);
  });

  test("a completion that is marked as no error is emitted immediately, with all that the log contains", () => {
    const decode = ralph.decode();
    const log = withCall({ outcome: "ok", content: [{ type: "text", text: "found" }] });
    const sent = encoded(ralph, log);
    const at = sent.findIndex(({ data }) => data.includes("tool_call_complete"));
    expect(sent.slice(0, at + 1).flatMap((one) => decode(one))).toContainEqual(log.at(-2)!.event);
    const slots = encoded(ralph, log, true).filter(({ event }) => event === "runcast");
    expect(slots.map(({ data }) => data).join()).not.toContain("found");
  });

  test("parallel calls each end with their own result", async () => {
    const one = (type: string, tool_call_id: string, result?: string) => ({ ...start, type, tool_call_id, result });
    const events = await played(
      ralph,
      frames(
        ...[one("tool_call_start", "a"), one("tool_call_start", "b")],
        ...[one("tool_call_complete", "b", "B"), one("tool_call_complete", "a", "A"), { type: "done" }],
      ),
    );
    expect(ends(events)).toMatchObject([
      { call: "b", content: [{ text: "B" }] },
      { call: "a", content: [{ text: "A" }] },
    ]);
  });

  test("missing ids and names are created, and an end without an id finds its start", async () => {
    const events = await played(
      ralph,
      frames(
        { type: "tool_call_start", tool_call_id: "", tool_name: "look", tool_args: '{"a":1}' },
        { type: "tool_call_start" },
        { type: "tool_call_complete", tool_name: "look", result: { b: 2 } },
        { type: "message", content: "and" },
        { type: "tool_call_error" },
        { type: "done" },
      ),
    );
    expect(events.filter((event) => event.type === "tool-start").map(({ name }) => name)).toEqual(["look", "unknown"]);
    expect(events.find((event) => event.type === "tool-input-end")).toMatchObject({ input: { a: 1 } });
    expect(ends(events)).toMatchObject([
      { outcome: "ok", content: [{ type: "json", value: { b: 2 } }] },
      { outcome: "error", error: { message: "Unknown error" } },
    ]);
  });

  test("an error of an unknown call still shows a call", async () => {
    const events = await played(ralph, frames(failed, { type: "done" }));
    expect(without(events, "run-start", "step-start", "step-end").map(({ type }) => type)).toEqual([
      "tool-start",
      "tool-input-end",
      "tool-end",
      "run-end",
    ]);
  });

  test("malformed and unknown frames, and frames after the end, are skipped", () => {
    const broken = ["{", "null", "[]", "7", '{"type":"message","content":7}', '{"type":"new","content":"x"}'];
    const events = decoded(ralph, [
      ...broken.map((data): Frame => ({ event: "message", data })),
      ...frames({ type: "message", content: "hi" }, { type: "done" }),
      ...frames({ type: "status", content: "Saving..." }, { type: "status", content: "Saved" }, { type: "done" }),
    ]);
    expect(without(events, "step-start", "step-end")).toEqual([
      { type: "text-start", part: "text-2" },
      { type: "text-delta", part: "text-2", delta: "hi" },
      { type: "text-end", part: "text-2" },
      { type: "run-end", outcome: "done" },
    ]);
  });

  test("an error ends the run", async () => {
    const events = await played(ralph, frames({ type: "message", content: "I am" }, { type: "error", message: "no" }));
    expect(events.at(-1)).toMatchObject({ outcome: "error", error: { code: "server-error", message: "no" } });
  });
});

describe("both directions", () => {
  test("with extensions, decoding returns the encoded run", () => {
    for (const [name, entries] of goldenRuns)
      expect(decoded(ralph, encoded(ralph, entries, true)), name).toEqual(entries.map(({ event }) => event));
    fc.assert(
      fc.property(arbitraryLog(), (entries) => {
        expect(decoded(ralph, encoded(ralph, entries, true))).toEqual(entries.map(({ event }) => event));
      }),
      { numRuns: 60 },
    );
  });

  test("extensions add frames and change none", () => {
    for (const [, entries] of goldenRuns)
      expect(encoded(ralph, entries, true).filter(({ event }) => event !== "runcast")).toEqual(encoded(ralph, entries));
  });

  test("without extensions, decoding returns a grammatical run", async () => {
    for (const [, entries] of goldenRuns) await played(ralph, encoded(ralph, entries));
    await fc.assert(
      fc.asyncProperty(arbitraryLog(), async (entries) => void (await played(ralph, encoded(ralph, entries)))),
      { numRuns: 30 },
    );
  });
});
