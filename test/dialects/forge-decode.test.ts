import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Frame } from "../../src/dialect.ts";
import { forge } from "../../src/dialects/forge.ts";
import type { Entry, Event, EventOf } from "../../src/events.ts";
import { memory } from "../../src/logs/memory.ts";
import { createRunner } from "../../src/runner.ts";
import type { Source } from "../../src/source.ts";
import { verify } from "../../src/verify.ts";
import { arbitraryLog } from "../generate.ts";

const link = ({ file }: { file: string }) => file;
const frame = (event: string, data: unknown): Frame => ({
  event,
  data: typeof data === "string" ? data : JSON.stringify(data),
});
const decoded = (...frames: Frame[]): Event[] => {
  const decode = forge.decode();
  return frames.flatMap((one) => decode(one));
};
const framesOf = (entries: readonly Entry[]): Frame[] => {
  const encode = forge.encode({ link });
  return entries.flatMap((entry) => encode(entry));
};

/** The log of a run whose source emits the events of these frames. */
const runOf = async (frames: readonly Frame[]): Promise<readonly Entry[]> => {
  const log = memory();
  const source: Source = async function* () {
    const decode = forge.decode();
    for (const one of frames) yield* decode(one);
  };
  const { promise, resolve } = Promise.withResolvers<void>();
  const runner = createRunner({ log, onEnd: () => resolve() });
  const request = { run: "r", messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "hi" }] }] };
  await runner.start(request, { name: "remote", source });
  await promise;
  return log.read("r", 0, 100_000);
};
const ofType = <Type extends Event["type"]>(entries: readonly Entry[], type: Type) =>
  entries.map(({ event }) => event).filter((event): event is EventOf<Type> => event.type === type);
describe("our own frames", () => {
  test("decode to a grammatical run with the same calls and the same text", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryLog(), async (log) => {
        const entries = await runOf(framesOf(log));
        expect(verify(entries)).toBeUndefined();
        const names = ofType(log, "tool-start").map(({ name }) => name);
        const asks = ofType(log, "ask-start").length;
        expect(ofType(entries, "tool-start").length).toBe(names.length + asks);
        const end = ofType(entries, "run-end")[0]!;
        expect(end.outcome === "done").toBe(ofType(log, "run-end")[0]!.outcome === "done");
      }),
      { numRuns: 40 },
    );
  });

  const runs = path.join(import.meta.dirname, "../../golden/runs");
  test.each(readdirSync(runs))(
    "%s: calls end with the same outcome and result, and the text is the same",
    async (file) => {
      const log = readFileSync(path.join(runs, file), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Entry);
      const entries = await runOf(framesOf(log));
      expect(verify(entries)).toBeUndefined();
      for (const { call, outcome, content, value, ms } of ofType(log, "tool-end")) {
        const end = ofType(entries, "tool-end").find((one) => one.call === call)!;
        expect(end.outcome, call).toBe(outcome === "ok" ? "ok" : "error");
        if (outcome === "ok") expect(end.content).toEqual(value ? [{ type: "json", value }] : content);
        if (ms !== undefined) expect(end.ms).toBe(ms);
      }
      const words = (some: readonly Entry[]) =>
        ofType(some, "text-delta")
          .filter(({ agent }) => agent === undefined)
          .map(({ delta }) => delta)
          .join("");
      expect(words(entries)).toBe(words(log));
      const [end] = ofType(entries, "run-end");
      expect(end!.outcome).toBe(ofType(log, "run-end")[0]!.outcome);
      expect(ofType(entries, "text-start").length).toBe(
        ofType(log, "text-start").filter(({ agent }) => agent === undefined).length,
      );
    },
  );

  test.each(["cut-at-limit", "filtered"])(
    "the answer of %s appears once and ends with the same outcome",
    async (name) => {
      const text = readFileSync(path.join(import.meta.dirname, `../../golden/runs/${name}.jsonl`), "utf8");
      const entries = text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Entry);
      const textOf = (events: readonly Event[]) =>
        events.map((event) => ("delta" in event ? event.delta : "")).join("");
      const finishOf = (events: readonly Event[]) => events.findLast(({ type }) => type === "step-end");
      const recorded = entries.map(({ event }) => event);
      const read = decoded(...framesOf(entries));
      expect(textOf(read)).toBe(textOf(recorded));
      expect(read.filter((event) => event.type === "text-start")).toHaveLength(1);
      expect(finishOf(read)).toMatchObject({ finish: (finishOf(recorded) as EventOf<"step-end">).finish });
      // A server of the family may also send the whole answer in one frame.
      expect(textOf(decoded(framesOf(entries).at(-1)!))).toBe(textOf(recorded));
    },
  );

  test("parallel calls are pending, executing and over independently", async () => {
    const log = readFileSync(path.join(runs, "tools-in-parallel.jsonl"), "utf8").trim().split("\n");
    const order = (some: readonly Entry[]) =>
      some.flatMap(({ event }) =>
        event.type === "tool-start" || event.type === "tool-execute" || event.type === "tool-end"
          ? [`${event.type} ${event.call}`]
          : [],
      );
    const entries = log.map((line) => JSON.parse(line) as Entry);
    expect(order(await runOf(framesOf(entries)))).toEqual(order(entries));
  });
});

describe("frames of Forge's own server", () => {
  const real: Frame[] = [
    frame("error", { code: "ARMORY_UNAVAILABLE", message: "Tools unavailable", retryable: true }),
    frame("thinking", { content: "Hm.", cumulative: "Hm." }),
    frame("tool_call", { id: "tc_1", tool_name: "weather__get", arguments: { city: "Rome" }, status: "complete" }),
    frame("tool_call", { id: "tc_2", tool_name: "clock__now", arguments: {}, status: "complete" }),
    frame("tool_result", { tool_call_id: "tc_1", result: { degrees: 18 }, is_error: false, latency_ms: 245 }),
    frame("tool_result", { tool_call_id: "unknown", result: "no clock", is_error: true, latency_ms: 0 }),
    frame("token", { token: "Sunny", cumulative: "Sunny" }),
    frame("token", { token: " today.", cumulative: "Sunny today." }),
    frame("complete", { response: "Sunny\n\n  today.", usage: { prompt_tokens: 7, completion_tokens: 3 } }),
  ];

  test("calls that are reported only when they are over, an error that is not one, and an answer that lost its white space", async () => {
    const entries = await runOf(real);
    expect(verify(entries)).toBeUndefined();
    expect(ofType(entries, "notice")).toMatchObject([{ level: "warning", text: "Tools unavailable" }]);
    expect(ofType(entries, "tool-end")).toMatchObject([
      { call: "tc_1", outcome: "ok", content: [{ type: "json", value: { degrees: 18 } }], ms: 245 },
      { call: "tc_2", outcome: "error", error: { message: "no clock" } },
    ]);
    expect(ofType(entries, "tool-input-end")).toMatchObject([{ input: { city: "Rome" } }, { input: {} }]);
    const [end] = ofType(entries, "run-end");
    expect(end).toMatchObject({ outcome: "done", usage: { input: 7, output: 3 } });
    const [answer] = end!.answer!;
    expect(ofType(entries, "text-start").at(-1)).toMatchObject({ part: answer, replaces: "text-1" });
    expect(
      ofType(entries, "text-delta")
        .filter(({ part }) => part === answer)
        .map(({ delta }) => delta),
    ).toEqual(["Sunny\n\n  today."]);
  });

  test("an error ends the run, with its message", () => {
    const end = (data: object) => decoded(frame("error", data)).at(-1);
    expect(end({ code: "MODEL_ERROR", message: "no", retryable: true })).toEqual({
      type: "run-end",
      outcome: "error",
      error: { code: "MODEL_ERROR", message: "no", retryable: true },
    });
    expect(end({ code: "CANCELLED", message: "stopped", retryable: false })).toMatchObject({ outcome: "cancelled" });
    expect(end({})).toMatchObject({ outcome: "error", error: { code: "STREAM_ERROR", retryable: false } });
  });

  test("missed tokens arrive with the next one", () => {
    const events = decoded(
      frame("token", { token: "a", cumulative: "a" }),
      frame("token", { token: "d", cumulative: "abcd" }),
      frame("token", { cumulative: "abcde" }),
    );
    expect(events.flatMap((event) => (event.type === "text-delta" ? [event.delta] : []))).toEqual(["a", "bcd", "e"]);
  });

  test("an answer without tokens appears as a whole", () => {
    expect(decoded(frame("complete", { response: "Hi.", usage: null }))).toMatchObject([
      { type: "step-start" },
      { type: "text-start" },
      { type: "text-delta", delta: "Hi." },
      { type: "run-end", outcome: "done" },
    ]);
  });

  test("calls without ids and names, and repeated ids", async () => {
    const entries = await runOf([
      frame("tool_call", { tool_name: "look", arguments: { a: 1 }, status: "pending" }),
      frame("tool_call", { tool_name: "look", arguments: { a: 1 }, status: "executing" }),
      frame("tool_call", { tool_name: "look", arguments: { a: 1 }, status: "complete" }),
      frame("tool_result", { result: "one" }),
      frame("tool_call", { id: "call_0", arguments: {}, status: "complete" }),
      frame("tool_result", { tool_call_id: "call_0", result: "two" }),
      frame("tool_result", { tool_call_id: "call_0", result: "two again" }),
      frame("tool_call", { id: "call_0", status: "complete" }),
      frame("tool_call", { id: "call_0", tool_name: "again", status: "pending" }),
      frame("tool_result", { tool_call_id: "call_0", result: "three" }),
      frame("complete", { response: "", usage: null }),
    ]);
    expect(verify(entries)).toBeUndefined();
    expect(ofType(entries, "tool-start").map(({ name }) => name)).toEqual(["look", "tool", "again"]);
    expect(ofType(entries, "tool-end").map(({ content }) => content?.[0])).toMatchObject([
      { text: "one" },
      { text: "two" },
      { text: "three" },
    ]);
    expect(ofType(entries, "run-end")).toMatchObject([{ outcome: "done" }]);
  });

  test("an unanswered call is not an error of the run", async () => {
    const entries = await runOf([
      frame("tool_call", { id: "c", tool_name: "a", arguments: {}, status: "executing" }),
      frame("tool_call", { id: "d", tool_name: "b", arguments: {}, status: "complete" }),
      frame("complete", { response: "ok", usage: null }),
    ]);
    expect(ofType(entries, "tool-end").map(({ outcome }) => outcome)).toEqual(["interrupted", "ok"]);
    expect(ofType(entries, "run-end")[0]?.outcome).toBe("done");
  });
});

describe("invalid frames", () => {
  const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  test.each([
    frame("token", "{"),
    frame("token", "null"),
    frame("token", "[1]"),
    frame("token", { token: 5 }),
    frame("token", {}),
    frame("tool_result", { tool_call_id: "nobody", result: 1 }),
    frame("tool_call", `{"id":"c","tool_name":"t","status":"executing","arguments":${deep}}`),
    frame("ping", { timestamp: 1 }),
    frame("later", { new: true }),
    { data: `{"token":"a","cumulative":"a"}` },
  ])("are skipped: %o", (one) => {
    expect(decoded(one)).toEqual([]);
  });

  test("nothing follows the end", () => {
    const end = frame("complete", { response: "", usage: null });
    expect(decoded(end, end, frame("token", { token: "a", cumulative: "a" })).length).toBe(1);
  });

  test("any frames decode to a grammatical run", async () => {
    const word = fc.constantFrom("a", "", "b\n\n", "call_0", "unknown");
    const data = fc.record(
      {
        token: word,
        content: word,
        cumulative: fc.oneof(word, fc.string()),
        id: fc.oneof(word, fc.nat(3)),
        tool_call_id: word,
        tool_name: word,
        status: fc.constantFrom("pending", "executing", "complete", "error", "else"),
        arguments: fc.jsonValue(),
        result: fc.jsonValue(),
        is_error: fc.boolean(),
        latency_ms: fc.oneof(fc.double(), fc.constant("1")),
        response: word,
        code: word,
      },
      { requiredKeys: [] },
    );
    const names = [
      "token",
      "thinking",
      "tool_call",
      "tool_call",
      "tool_result",
      "tool_result",
      "complete",
      "error",
      "x",
    ];
    const frames = fc.array(fc.tuple(fc.constantFrom(...names), data), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(frames, async (some) => {
        const entries = await runOf(some.map(([name, value]) => frame(name, value)));
        expect(verify(entries)).toBeUndefined();
        const [end] = ofType(entries, "run-end");
        expect(end?.error?.code).not.toBe("invalid-event");
        expect(end?.error?.code).not.toBe("agent-failed");
      }),
      { numRuns: 150 },
    );
  });
});
