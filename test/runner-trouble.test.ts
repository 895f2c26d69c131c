import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Event } from "../src/events.ts";
import { memory } from "../src/logs/memory.ts";
import { after } from "../src/runner/timer.ts";
import { createFlusher } from "../src/runner/flusher.ts";
import { Writer } from "../src/runner/writer.ts";
import type { Source } from "../src/source.ts";
import { entriesOf, play, request, setUp, started, untilEnd, untilEvent } from "./running.ts";

const full = () => Promise.reject(new Error("the disk is full"));
const never = new Promise<never>(() => {});

describe("a log that fails", () => {
  test("a log that fails before run-start is stored refuses the start", async () => {
    const { runner } = setUp({ log: { ...memory(), append: full } });
    const start = runner.start(request, {
      name: "test",
      source: async function* () {
        yield { type: "step-start", step: "s" };
      },
    });
    await expect(start).rejects.toThrow("the disk is full");
    expect(runner.active).toBe(0);
  });

  test("a log that throws does not affect other runs written in the same turn", async () => {
    const log = memory();
    const append: typeof log.append = (run, entries) => {
      if (run === "broken" && entries[0]!.seq > 1) throw new Error("not a rejection");
      return log.append(run, entries);
    };
    const { runner } = setUp({ log: { ...log, append }, graceMs: 1 });
    const go = Promise.withResolvers<void>();
    const source: Source = async function* () {
      yield { type: "step-start", step: "s" };
      await go.promise;
      yield { type: "step-end", step: "s", finish: "stop" };
    };
    for (const run of ["broken", "whole"]) await runner.start({ ...request, run }, { name: "test", source });
    go.resolve();
    expect((await untilEnd(log, "whole")).at(-1)).toMatchObject({ type: "run-end", outcome: "done" });
    await runner.close();
  });

  test("a log that cannot store the request leaves no source running", async () => {
    const problems: unknown[] = [];
    const { runner } = setUp({ log: { ...memory(), put: full }, onProblem: (error) => problems.push(error) });
    const left = Promise.withResolvers<boolean>();
    const source: Source = async function* (_, { signal }) {
      try {
        yield { type: "step-start", step: "s" };
      } finally {
        left.resolve(signal.aborted);
      }
    };
    const long = { messages: [...request.messages, ...request.messages] };
    await expect(runner.start(long, { name: "test", source })).rejects.toThrow("the file could not be stored");
    expect(problems.map(String)).toEqual(["Error: the disk is full"]);
    expect(await left.promise).toBe(true);
  });
});
describe("closing", () => {
  test("a run without events is interrupted like any other", async () => {
    const { runner, log } = setUp({ graceMs: 1 });
    const begun = Promise.withResolvers<void>();
    const source: Source = async function* () {
      begun.resolve();
      await never;
    };
    const start = runner.start({ ...request, run: "r" }, { name: "test", source });
    await begun.promise;
    await runner.close();
    expect(await start).toEqual({ run: "r", started: true });
    expect(await untilEnd(log, "r")).toMatchObject([
      { type: "run-start" },
      { type: "run-end", outcome: "interrupted", error: { code: "interrupted" } },
    ]);
  });

  test("a start that is still pending when the runner closes starts nothing", async () => {
    const known = Promise.withResolvers<undefined>();
    const { runner } = setUp({ log: { ...memory(), info: () => known.promise } });
    const source: Source = async function* () {
      yield { type: "step-start", step: "s" };
      await never;
    };
    const start = runner.start({ ...request, run: "r" }, { name: "test", source });
    const closed = runner.close();
    known.resolve(undefined);
    await expect(start).rejects.toMatchObject({ code: "stopping", status: 503 });
    await closed;
    expect(runner.active).toBe(0);
  });
});
describe("ids that a source repeats", () => {
  test("an ask is not answered by the answer to an earlier ask with the same id", async () => {
    const { runner, log } = setUp();
    const answers: unknown[] = [];
    const source: Source = async function* (_, context) {
      for (let time = 0; time < 2; time++) {
        yield { type: "ask-start", ask: "a", kind: "confirmation" };
        answers.push((await context.answerTo("a")).answer);
      }
    };
    const { run } = await runner.start(request, { name: "test", source });
    for (const [ask, allow] of [
      ["a", true],
      ["a~2", false],
    ] as const) {
      await untilEvent(log, run, (event) => event.type === "ask-start" && event.ask === ask);
      expect(await runner.answer(run, ask, { allow })).toBe("accepted");
    }
    await untilEnd(log, run);
    expect(answers).toEqual([{ allow: true }, { allow: false }]);
  });

  test("a call is not cancelled by the cancel of an earlier call with the same id", async () => {
    const { runner, log } = setUp();
    const aborted: boolean[] = [];
    const source: Source = async function* (_, context) {
      yield* started;
      const first = context.signalOf("call", "c");
      await new Promise((resolve) => first.addEventListener("abort", resolve));
      yield { type: "tool-end", call: "c", outcome: "cancelled" };
      yield* started;
      aborted.push(first.aborted, context.signalOf("call", "c").aborted);
      yield { type: "tool-end", call: "c", outcome: "ok" };
    };
    const { run } = await runner.start(request, { name: "test", source });
    await untilEvent(log, run, (event) => event.type === "tool-execute");
    expect(await runner.cancel(run, { call: "c" })).toBe("cancelled");
    await untilEnd(log, run);
    expect(aborted).toEqual([true, false]);
  });
});
test("an event that is not JSON ends the run and is not in its log", async () => {
  for (const bad of [
    { type: "data", name: "n", value: 1n },
    { type: "tool-progress", call: "c", value: 1n },
    { type: "agent-start", agent: "a", name: "n", meta: 1n },
  ] as unknown as Event[]) {
    const { events } = await play(async function* () {
      yield* started;
      yield bad;
    });
    expect(events).not.toContainEqual(bad);
    expect(events.at(-1)).toMatchObject({ outcome: "error", error: { message: expect.stringContaining("BigInt") } });
    expect(() => JSON.stringify(events)).not.toThrow();
  }
});

test("a refused start leaves no files behind", async () => {
  const { runner, log } = setUp();
  const files: string[] = [];
  const source: Source = async function* (_, { put }) {
    files.push((await put("x", { mediaType: "text/plain" })).file);
    if (files.length < 2) throw new Error("not now");
    yield { type: "step-start", step: "s" };
  };
  const again = { ...request, run: "r" };
  await expect(runner.start(again, { name: "test", source })).rejects.toThrow("not now");
  expect(await log.get("r", files[0]!)).toBeUndefined();
  await runner.start(again, { name: "test", source });
  expect(await log.get("r", files[1]!)).toBeDefined();
});

test("an answer is stored before the agent gets it, however long that takes", async () => {
  const inner = memory();
  const slow: PromiseWithResolvers<void>[] = [];
  const { runner, log } = setUp({
    log: {
      ...inner,
      append: async (run, entries) => {
        if (entries.some(({ event }) => event.type === "ask-end")) {
          slow.push(Promise.withResolvers<void>());
          await slow[0]!.promise;
        }
        await inner.append(run, entries);
      },
    },
  });
  const heard: boolean[] = [];
  const source: Source = async function* (_, { run, answerTo }) {
    yield { type: "ask-start", ask: "q", kind: "confirmation" };
    await answerTo("q");
    heard.push((await entriesOf(log, run)).some(({ event }) => event.type === "ask-end"));
  };
  const { run } = await runner.start(request, { name: "test", source });
  await untilEvent(log, run, (event) => event.type === "ask-start");
  const answering = runner.answer(run, "q", { allow: true });
  await vi.waitUntil(() => slow.length > 0);
  expect(heard).toEqual([]);
  slow[0]!.resolve();
  expect(await answering).toBe("accepted");
  await untilEnd(log, run);
  expect(heard).toEqual([true]);
});

test("a run-end that is not JSON ends the run, whatever is open", async () => {
  const error: { code: string; message: string; self?: unknown } = { code: "x", message: "y" };
  error.self = error;
  const { events } = await play(async function* () {
    yield { type: "agent-start", agent: "a", name: "sub" };
    yield { type: "run-end", outcome: "error", error };
  });
  expect(events.map(({ type }) => type)).toEqual(["run-start", "agent-start", "agent-end", "run-end"]);
  expect(events.at(-1)).toMatchObject({ outcome: "error", error: { code: "agent-failed" } });
});

test("a time limit longer than any timer does not expire immediately, and applies", async () => {
  const long = 2 ** 31 + 1000;
  const { events } = await play(
    async function* () {
      yield { type: "step-start", step: "s" };
      // A timer whose delay is too long fires after one millisecond.
      await new Promise((resolve) => setTimeout(resolve, 50));
    },
    { timeoutMs: long },
  );
  expect(events.at(-1)).toMatchObject({ outcome: "done" });

  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const act = vi.fn();
  after(long, act);
  const prevented = vi.fn();
  const prevent = after(long, prevented);
  vi.advanceTimersByTime(long - 1);
  expect(act).not.toHaveBeenCalled();
  prevent();
  vi.advanceTimersByTime(1);
  expect([act.mock.calls.length, prevented.mock.calls.length]).toEqual([1, 0]);
});

test("any long field of an event counts toward the limit of a run", async () => {
  const text = "x".repeat(5000);
  const { events } = await play(
    async function* () {
      for (let number = 0; ; number++) yield { type: "citation", citation: `${number}`, text };
    },
    { maxBytes: 50_000 },
  );
  expect(events.at(-1)).toMatchObject({ outcome: "error", error: { code: "too-large" } });
  expect(events.length).toBeLessThan(15);
});
test("waiting for written entries does not wait for later ones", async () => {
  const appends: PromiseWithResolvers<void>[] = [];
  const append = () => {
    appends.push(Promise.withResolvers<void>());
    return appends.at(-1)!.promise;
  };
  const writer = new Writer({
    log: { ...memory(), append },
    run: "r",
    flusher: createFlusher(() => {}),
    as: undefined,
    onFailure: () => {},
  });
  const event: Event = { type: "notice", level: "info", text: "" };
  writer.write(event, 1);
  const first = writer.flushed();
  writer.write(event, 1);
  const second = writer.flushed();
  expect(appends.length).toBe(1);
  appends[0]!.resolve();
  await first;
  expect(appends.length).toBe(2);
  appends[1]!.resolve();
  await second;
});

test("the end of an interrupted run is not dated before its last entry, whatever the clock", async () => {
  const { runner, log } = setUp();
  const at = Date.now() + 1_000_000;
  await log.append("r", [{ seq: 1, at, event: { type: "run-start", protocol: 1, run: "r", name: "n" } }]);
  expect(await runner.recover()).toBe(1);
  expect((await log.info("r"))?.endedAt).toBe(at);
});

describe("a source that yields something other than an event", () => {
  const misfits: readonly [what: unknown, message: string][] = [
    [null, "null is not an event"],
    ["hello", "a string is not an event"],
    [{ content: "all of it" }, "an object without a type is not an event"],
    [{ type: "MemoryUpdateStarted" }, 'there is no event type "MemoryUpdateStarted"'],
    [{ type: "text-delta", part: "p", delta: 5 }, "text-delta delta: "],
    [{ type: "text-delta", part: "p", delta: "x", agent: null }, "text-delta agent: "],
    [{ type: "tool-start", call: "", name: "search" }, "tool-start call: "],
    [{ type: "tool-end", call: "c", outcome: "fine" }, "tool-end outcome: "],
  ];

  test.each(misfits)(
    "%j ends the run with an error that names it, and nothing of it is stored",
    async (misfit, message) => {
      const emitted: Event[] = [
        { type: "step-start", step: "s" },
        { type: "text-start", part: "p" },
      ];
      const { events } = await play(async function* () {
        yield* emitted;
        yield misfit as Event;
        yield { type: "text-delta", part: "p", delta: "never said" };
      });
      expect(events.map(({ type }) => type)).toEqual([
        "run-start",
        "step-start",
        "text-start",
        "text-end",
        "step-end",
        "run-end",
      ]);
      const problem = { code: "invalid-event", message: expect.stringContaining(message) };
      expect(events.at(-1)).toMatchObject({ outcome: "error", error: problem });
    },
  );

  test.each(misfits)("%j as the first event, too", async (misfit, message) => {
    const { events } = await play(async function* () {
      yield misfit as Event;
    });
    const problem = { code: "invalid-event", message: expect.stringContaining(message) };
    expect(events).toMatchObject([{ type: "run-start" }, { type: "run-end", outcome: "error", error: problem }]);
  });
});
