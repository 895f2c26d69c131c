import { describe, expect, test } from "vitest";
import type { RunContext, Source } from "../src/source.ts";
import { entriesOf, play, request, setUp, started, untilEnd, untilEvent, waiting } from "./running.ts";

describe("steering a run", () => {
  test("cancels a run, signals its source, and is idempotent", async () => {
    const { runner, log } = setUp();
    const seen: { context?: RunContext } = {};
    const { run } = await runner.start(request, { name: "test", source: waiting(started, seen) });
    await untilEvent(log, run, (event) => event.type === "tool-execute");
    expect(await runner.cancel(run, { by: "Ann" })).toBe("cancelled");
    expect(seen.context?.signal.aborted).toBe(true);
    expect((await untilEnd(log, run)).slice(-2)).toEqual([
      { type: "tool-end", call: "c", outcome: "cancelled" },
      {
        type: "run-end",
        outcome: "cancelled",
        error: { code: "cancelled", message: "The run was stopped by Ann.", retryable: false },
      },
    ]);
    expect(await runner.cancel(run)).toBe("ended");
    expect(await runner.cancel("nobody")).toBe("unknown");
  });

  test("ends a run whose source does not stop, and drops its later events", async () => {
    const { runner, log } = setUp({ graceMs: 20 });
    const { promise: later, resolve: sayLater } = Promise.withResolvers<void>();
    const { promise: written, resolve: hasWritten } = Promise.withResolvers<void>();
    const source: Source = async function* () {
      yield* started;
      await later;
      hasWritten();
      yield { type: "tool-end", call: "c", outcome: "ok" };
    };
    const { run } = await runner.start(request, { name: "test", source });
    await untilEvent(log, run, (event) => event.type === "tool-execute");
    expect(await runner.cancel(run)).toBe("cancelled");
    const before = await entriesOf(log, run);
    sayLater();
    await written;
    await new Promise((tick) => setImmediate(tick));
    expect(await entriesOf(log, run)).toEqual(before);
  });

  test("cancels one call, and drops its later events", async () => {
    const { runner, log } = setUp({ graceMs: 20 });
    const { promise: cancelled, resolve } = Promise.withResolvers<void>();
    const source: Source = async function* () {
      yield { type: "step-start", step: "s" };
      yield { type: "tool-start", call: "a", name: "t" };
      yield { type: "tool-start", call: "b", name: "t" };
      yield { type: "step-end", step: "s", finish: "tools" };
      yield { type: "tool-execute", call: "a" };
      yield { type: "tool-execute", call: "b" };
      await cancelled;
      yield { type: "tool-output-delta", call: "a", stream: "stdout", delta: "late" };
      yield { type: "tool-end", call: "a", outcome: "ok" };
      yield { type: "tool-end", call: "b", outcome: "ok" };
    };
    const { run } = await runner.start(request, { name: "test", source });
    await untilEvent(log, run, (event) => event.type === "tool-execute" && event.call === "b");
    expect(await runner.cancel(run, { call: "a" })).toBe("cancelled");
    resolve();
    const ends = (await untilEnd(log, run)).filter((event) => event.type === "tool-end");
    expect(ends).toMatchObject([
      { call: "a", outcome: "cancelled" },
      { call: "b", outcome: "ok" },
    ]);
  });

  test("drops what a source begins inside a forcibly ended call, and cancels its asks", async () => {
    const { runner, log } = setUp({ graceMs: 20 });
    const { promise: cancelled, resolve } = Promise.withResolvers<void>();
    const outcomes: string[] = [];
    const source: Source = async function* (_, context) {
      yield* started;
      await cancelled;
      yield { type: "text-start", part: "p", call: "c" };
      yield { type: "text-delta", part: "p", delta: "late" };
      yield { type: "text-end", part: "p" };
      yield { type: "agent-start", agent: "x", call: "c", name: "n" };
      yield { type: "step-start", agent: "x", step: "s2" };
      yield { type: "agent-start", agent: "y", parent: "x", name: "n" };
      yield { type: "agent-end", agent: "y", outcome: "done" };
      yield { type: "step-end", agent: "x", step: "s2", finish: "stop" };
      yield { type: "agent-end", agent: "x", outcome: "done" };
      yield { type: "ask-start", ask: "q", kind: "confirmation", call: "c" };
      outcomes.push((await context.answerTo("q")).outcome);
      yield { type: "ask-end", ask: "q", outcome: "cancelled" };
      yield { type: "tool-end", call: "c", outcome: "ok" };
      yield { type: "step-start", step: "s3" };
      yield { type: "text-start", part: "p" };
      yield { type: "text-delta", part: "p", delta: "in time" };
      yield { type: "text-end", part: "p" };
      yield { type: "step-end", step: "s3", finish: "stop" };
      yield { type: "ask-start", ask: "q", kind: "confirmation" };
      outcomes.push((await context.answerTo("q")).outcome);
    };
    const { run } = await runner.start(request, { name: "test", source });
    await untilEvent(log, run, (event) => event.type === "tool-execute");
    expect(await runner.cancel(run, { call: "c" })).toBe("cancelled");
    resolve();
    await untilEvent(log, run, (event) => event.type === "ask-start");
    expect(await runner.answer(run, "q", { allow: true })).toBe("accepted");
    expect((await untilEnd(log, run)).slice(6)).toMatchObject([
      { type: "tool-end", call: "c", outcome: "cancelled" },
      { type: "step-start", step: "s3" },
      { type: "text-start", part: "p" },
      { type: "text-delta", delta: "in time" },
      { type: "text-end", part: "p" },
      { type: "step-end", step: "s3" },
      { type: "ask-start", ask: "q" },
      { type: "ask-end", ask: "q", outcome: "answered" },
      { type: "run-end", outcome: "done", answer: ["p"] },
    ]);
    expect(outcomes).toEqual(["cancelled", "answered"]);
  });

  test("cancels one sub-agent with everything open inside it", async () => {
    const { runner, log } = setUp();
    const source: Source = async function* (_, context) {
      yield { type: "agent-start", agent: "one", name: "one" };
      yield { type: "agent-start", agent: "two", name: "two" };
      yield { type: "step-start", agent: "one", step: "s" };
      yield { type: "text-start", agent: "one", part: "p" };
      await new Promise((resolve) => context.signalOf("agent", "one").addEventListener("abort", resolve));
      yield { type: "agent-end", agent: "one", outcome: "cancelled" };
      yield { type: "agent-end", agent: "two", outcome: "done" };
    };
    const { run } = await runner.start(request, { name: "test", source });
    await untilEvent(log, run, (event) => event.type === "text-start");
    expect(await runner.cancel(run, { agent: "one" })).toBe("cancelled");
    expect((await untilEnd(log, run)).slice(5)).toMatchObject([
      { type: "text-end", part: "p", cut: true },
      { type: "step-end", agent: "one" },
      { type: "agent-end", agent: "one", outcome: "cancelled" },
      { type: "agent-end", agent: "two", outcome: "done" },
      { type: "run-end", outcome: "done" },
    ]);
  });

  test("ends one sub-agent that does not stop, and drops its later events", async () => {
    const { runner, log } = setUp({ graceMs: 20 });
    const { promise: cancelled, resolve } = Promise.withResolvers<void>();
    const source: Source = async function* () {
      yield { type: "agent-start", agent: "one", name: "one" };
      yield { type: "agent-start", agent: "two", name: "two" };
      yield { type: "step-start", agent: "one", step: "s" };
      yield { type: "text-start", agent: "one", part: "p" };
      await cancelled;
      yield { type: "text-delta", agent: "one", part: "p", delta: "late" };
      yield { type: "text-end", agent: "one", part: "p" };
      yield { type: "step-end", agent: "one", step: "s", finish: "stop" };
      yield { type: "agent-end", agent: "one", outcome: "done" };
      yield { type: "agent-end", agent: "two", outcome: "done" };
    };
    const { run } = await runner.start(request, { name: "test", source });
    await untilEvent(log, run, (event) => event.type === "text-start");
    expect(await runner.cancel(run, { agent: "one" })).toBe("cancelled");
    resolve();
    expect((await untilEnd(log, run)).slice(5)).toMatchObject([
      { type: "text-end", part: "p", cut: true },
      { type: "step-end", agent: "one" },
      { type: "agent-end", agent: "one", outcome: "cancelled" },
      { type: "agent-end", agent: "two", outcome: "done" },
      { type: "run-end", outcome: "done" },
    ]);
  });

  const asking = (expires?: number): Source =>
    async function* (_, context) {
      yield* started.slice(0, 4);
      yield { type: "ask-start", ask: "q", kind: "approval", call: "c", ...(expires !== undefined && { expires }) };
      const { outcome, answer } = await context.answerTo("q");
      yield outcome === "answered" && answer?.allow
        ? { type: "tool-execute", call: "c" }
        : { type: "tool-end", call: "c", outcome: "denied" };
      if (outcome === "answered" && answer?.allow) yield { type: "tool-end", call: "c", outcome: "ok" };
    };

  test("a choice is answered with the value of one of its options, or declined", async () => {
    const choosing: Source = async function* (_, context) {
      for (const ask of ["one", "two"]) {
        yield { type: "ask-start", ask, kind: "choice", options: [{ value: "s" }, { value: { size: 2 } }] };
        await context.answerTo(ask);
      }
    };
    const { runner, log } = setUp();
    const { run } = await runner.start(request, { name: "test", source: choosing });
    await untilEvent(log, run, (event) => event.type === "ask-start");
    const wrong = { code: "bad-answer", hint: 'one of "s", {"size":2}' };
    await expect(runner.answer(run, "one", { value: "m" })).rejects.toMatchObject(wrong);
    expect(await runner.answer(run, "one", { value: { size: 2 } })).toBe("accepted");
    await untilEvent(log, run, (event) => event.type === "ask-start" && event.ask === "two");
    expect(await runner.answer(run, "two", { value: null })).toBe("accepted");
    await untilEnd(log, run);
  });

  test("an answer with an edit or an always that was not offered is rejected", async () => {
    const { runner, log } = setUp();
    const source: Source = async function* (_, context) {
      yield { type: "ask-start", ask: "q", kind: "confirmation", allows: ["reason"] };
      await context.answerTo("q");
    };
    const { run } = await runner.start(request, { name: "test", source });
    await untilEvent(log, run, (event) => event.type === "ask-start");
    for (const more of [{ input: {} }, { always: true }])
      await expect(runner.answer(run, "q", { allow: true, ...more })).rejects.toMatchObject({ code: "bad-answer" });
    expect(await runner.answer(run, "q", { allow: true, reason: "why not" })).toBe("accepted");
    await untilEnd(log, run);
  });

  test("the first answer wins, the same answer again is accepted, and another is a conflict", async () => {
    const { runner, log } = setUp();
    const { run } = await runner.start(request, { name: "test", source: asking() });
    await untilEvent(log, run, (event) => event.type === "ask-start");
    expect(runner.waiting(run)?.waiting).toBe("you");
    expect(await runner.answer(run, "nothing", { allow: true })).toBe("unknown");
    await expect(runner.answer(run, "q", { value: 1 })).rejects.toMatchObject({ code: "bad-answer" });
    expect(await runner.answer(run, "q", { allow: true }, "Ann")).toBe("accepted");
    const events = await untilEnd(log, run);
    expect(events).toContainEqual({
      type: "ask-end",
      ask: "q",
      outcome: "answered",
      answer: { allow: true },
      by: "Ann",
    });
    expect(await runner.answer(run, "q", { allow: true })).toBe("same");
    expect(await runner.answer(run, "q", { allow: false })).toBe("conflict");
  });

  test("an ask expires, and is then closed", async () => {
    const { runner, log } = setUp();
    const { run } = await runner.start(request, { name: "test", source: asking(Date.now()) });
    const events = await untilEnd(log, run);
    expect(events).toContainEqual({ type: "ask-end", ask: "q", outcome: "expired" });
    expect(events.at(-2)).toMatchObject({ type: "tool-end", outcome: "denied" });
    expect(await runner.answer(run, "q", { allow: true })).toBe("closed");
  });

  test("a run that takes too long or grows too large ends with an error that names the limit", async () => {
    const slow = await play(waiting(started), { timeoutMs: 10 });
    expect(slow.events.at(-1)).toMatchObject({
      outcome: "error",
      error: { code: "timeout", message: "the run took longer than 10 ms", retryable: true },
    });
    const large = await play(
      async function* () {
        yield { type: "step-start", step: "s" };
        yield { type: "text-start", part: "p" };
        for (;;) yield { type: "text-delta", part: "p", delta: "x".repeat(1000) };
      },
      { maxBytes: 100_000 },
    );
    expect(large.events.at(-1)).toMatchObject({
      outcome: "error",
      error: { code: "too-large", message: "the run exceeded its limit of 100000 bytes" },
    });
    expect(large.events.length).toBeLessThan(120);
  });
});
