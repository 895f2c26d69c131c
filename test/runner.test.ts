import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { memory } from "../src/logs/memory.ts";
import type { EndedRun } from "../src/runner.ts";
import { Refusal, type RunContext, type Source } from "../src/source.ts";
import { createState, fold, snapshot } from "../src/state.ts";
import { verify } from "../src/verify.ts";
import { arbitraryLog } from "./generate.ts";

import { entriesOf, play, request, setUp, started, untilEnd, untilEvent, waiting } from "./running.ts";

describe("runner", () => {
  test("numbers any source's events and adds nothing to grammatical ones", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryLog(2), async (log) => {
        const inner = log.map(({ event }) => event).filter((event) => event.type !== "run-start");
        const { events } = await play(async function* () {
          yield* inner;
        });
        const end = inner.at(-1)!;
        expect(events.slice(1, -1)).toEqual(inner.slice(0, -1));
        expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: (end as { outcome: string }).outcome });
      }),
      { numRuns: 40 },
    );
  });

  test("closes everything that a source leaves open wherever it is cut, and reports it", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryLog(2), fc.nat(), fc.boolean(), async (log, choice, throws) => {
        const inner = log.map(({ event }) => event).filter((event) => !event.type.startsWith("run-"));
        const kept = inner.slice(0, 1 + (choice % inner.length));
        const { events } = await play(async function* () {
          yield* kept;
          if (throws) throw new Error("the wire was cut");
        });
        expect(events.slice(1, kept.length + 1)).toEqual(kept);
        const end = events.at(-1)!;
        if (throws)
          expect(end).toMatchObject({ outcome: "error", error: { code: "agent-failed", message: "the wire was cut" } });
        const state = createState();
        events.forEach((event, index) => fold(state, { seq: index + 1, at: 0, event }));
        for (const node of state.nodes.values()) expect(node.endedAt).toBeDefined();
        expect([state.steps.size, state.inputs.size]).toEqual([0, 0]);
        expect(state.outcome).toBeDefined();
      }),
      { numRuns: 80 },
    );
  });

  test("a source may simply stop: its last text is the answer", async () => {
    const { events } = await play(async function* () {
      yield { type: "step-start", step: "s" };
      yield { type: "text-start", part: "p" };
      yield { type: "text-delta", part: "p", delta: "hello" };
    });
    expect(events.slice(-3)).toEqual([
      { type: "text-end", part: "p" },
      { type: "step-end", step: "s", finish: "stop" },
      { type: "run-end", outcome: "done", answer: ["p"] },
    ]);
  });

  test("a source that stops in the middle of a call has failed", async () => {
    const { events } = await play(async function* () {
      yield* started;
    });
    expect(events.slice(-2)).toMatchObject([
      { type: "tool-end", outcome: "interrupted" },
      { type: "run-end", outcome: "error", error: { code: "incomplete" } },
    ]);
  });

  test("renames ids that a source repeats, and references to them", async () => {
    const { events } = await play(async function* () {
      for (let step = 0; step < 2; step++) {
        yield { type: "step-start", step: "0" };
        yield { type: "text-start", part: "0" };
        yield { type: "text-delta", part: "0", delta: `text ${step}` };
        yield { type: "text-end", part: "0" };
        yield { type: "tool-start", call: "0", name: "t" };
        yield { type: "step-end", step: "0", finish: "tools" };
        yield { type: "tool-execute", call: "0" };
        yield { type: "tool-end", call: "0", outcome: "ok" };
      }
    });
    const ids = events.flatMap((event) =>
      event.type === "step-start"
        ? event.step
        : event.type === "text-start"
          ? event.part
          : event.type === "tool-start"
            ? event.call
            : [],
    );
    expect(new Set(ids).size).toBe(6);
    expect(events.filter((event) => event.type === "text-delta")).toEqual([
      { type: "text-delta", part: ids[1], delta: "text 0" },
      { type: "text-delta", part: ids[4], delta: "text 1" },
    ]);
  });

  test("an event that breaks the grammar ends the run with an explanation", async () => {
    const { events } = await play(async function* () {
      yield { type: "step-start", step: "s" };
      yield { type: "text-delta", part: "nowhere", delta: "x" };
    });
    expect(events.at(-1)).toMatchObject({
      outcome: "error",
      error: {
        code: "invalid-event",
        message: "the agent broke the protocol: text-delta for part nowhere, which never started",
      },
    });
  });

  test("a refusal before the first event starts nothing", async () => {
    const { runner, log } = setUp();
    const source: Source = async function* () {
      throw new Refusal("no-key", "set A_KEY", { status: 401 });
    };
    await expect(runner.start({ ...request, run: "refused" }, { name: "test", source })).rejects.toMatchObject({
      code: "no-key",
      status: 401,
    });
    expect(await log.info("refused")).toBeUndefined();
    expect(runner.active).toBe(0);
  });

  test("one id starts one run, however often and concurrently it is posted", async () => {
    const { runner, log } = setUp();
    let starts = 0;
    const source: Source = async function* () {
      starts++;
      yield { type: "step-start", step: "s" };
    };
    const results = await Promise.all(
      Array.from({ length: 20 }, () => runner.start({ ...request, run: "same" }, { name: "test", source })),
    );
    await untilEnd(log, "same");
    results.push(await runner.start({ ...request, run: "same" }, { name: "test", source }));
    expect(starts).toBe(1);
    expect(results.filter((result) => result.started)).toHaveLength(1);
  });

  test("large results are stored alongside the log, and long deltas are split", async () => {
    const text = "é🙂".repeat(40_000);
    const { events, log, run } = await play(async function* () {
      yield { type: "step-start", step: "s" };
      yield { type: "text-start", part: "p" };
      yield { type: "text-delta", part: "p", delta: text };
      yield { type: "tool-start", call: "c", name: "t" };
      yield { type: "step-end", step: "s", finish: "tools" };
      yield { type: "tool-execute", call: "c" };
      yield { type: "tool-end", call: "c", outcome: "ok", content: [{ type: "text", text }] };
    });
    const deltas = events.filter((event) => event.type === "text-delta");
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.map(({ delta }) => delta).join("")).toBe(text);
    const end = events.find((event) => event.type === "tool-end")!;
    const part = end.content![0]!;
    if (part.type !== "file") throw new Error("expected a file");
    expect(text.startsWith(part.head!)).toBe(true);
    expect(text.endsWith(part.tail!)).toBe(true);
    const stored = await log.get(run, part.file);
    expect(Buffer.concat(await Array.fromAsync(stored!.bytes)).toString()).toBe(text);
  });

  test("a source that never waits does not starve others", async () => {
    const { runner, log } = setUp();
    const source: Source = async function* (_, context) {
      yield { type: "step-start", step: "s" };
      yield { type: "text-start", part: "p" };
      while (!context.signal.aborted) yield { type: "text-delta", part: "p", delta: "x" };
    };
    const { run } = await runner.start(request, { name: "test", source });
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await runner.cancel(run)).toBe("cancelled");
    expect((await untilEnd(log, run)).at(-1)).toMatchObject({ outcome: "cancelled" });
  });

  test("onEnd is called for every end, and the run does not wait for it", async () => {
    const heard: EndedRun[] = [];
    const problems: unknown[] = [];
    const { promise: forever } = Promise.withResolvers<void>();
    const { log, run } = await play(async function* () {}, { onEnd: (ended) => (heard.push(ended), forever) });
    expect(heard).toMatchObject([{ run, end: { outcome: "done" } }]);
    expect((await Array.fromAsync(heard[0]!.entries())).flat()).toEqual(await entriesOf(log, run));
    const failed = await play(async function* () {}, {
      onEnd: () => {
        throw new Error("no database");
      },
      onProblem: (problem) => problems.push(problem),
    });
    expect(failed.events.at(-1)).toMatchObject({ outcome: "done" });
    expect(problems).toMatchObject([{ message: "no database" }]);
    const ends: EndedRun[] = [];
    const onEnd = (ended: EndedRun) => void ends.push(ended);
    await play(
      async function* () {
        yield* started;
        throw new Error("broken");
      },
      { onEnd },
    );
    for (const stop of ["cancel", "close"] as const) {
      const { runner, log: other } = setUp({ onEnd });
      const { run: stopped } = await runner.start(request, { name: "test", source: waiting(started, {}) });
      await untilEvent(other, stopped, (event) => event.type === "tool-execute");
      await (stop === "cancel" ? runner.cancel(stopped) : runner.close());
      await untilEnd(other, stopped);
    }
    expect(ends.map(({ end }) => end.outcome)).toEqual(["error", "cancelled", "interrupted"]);
    // A run of a process that died ends at the next start, if its agent cannot continue it.
    const crashed = memory();
    const begun = { type: "run-start", protocol: 2, run: "crashed", name: "test" } as const;
    await crashed.append("crashed", [{ seq: 1, at: 1, event: begun }]);
    await setUp({ log: crashed, onEnd }).runner.recover();
    await expect.poll(() => ends.at(-1)).toMatchObject({ run: "crashed", end: { outcome: "interrupted" } });
    expect(ends).toHaveLength(4);
  });

  test("a run that a crash cut anywhere is closed as interrupted at the next start", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryLog(2), fc.nat(), async (log, choice) => {
        const cut = log.slice(0, 1 + (choice % (log.length - 1)));
        const store = memory();
        await store.append("run_1", cut);
        const { runner } = setUp({ log: store });
        expect(await runner.recover()).toBe(1);
        const entries = await entriesOf(store, "run_1");
        expect(entries.slice(0, cut.length)).toEqual(cut);
        expect(verify(entries)).toBeUndefined();
        expect(entries.at(-1)?.event).toMatchObject({ type: "run-end", outcome: "interrupted" });
        expect(await runner.recover()).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  test("a log that cannot be written stops the source and is reported", async () => {
    const problems: unknown[] = [];
    let now = 0;
    const store = memory({ now: () => now });
    const { runner, log } = setUp({ log: store, controlMs: 20, onProblem: (problem) => problems.push(problem) });
    const seen: { context?: RunContext } = {};
    const { run } = await runner.start(request, { name: "test", source: waiting(started, seen) });
    await untilEvent(log, run, (event) => event.type === "tool-execute");
    const last = (await entriesOf(log, run)).at(-1)!.seq;
    // Another process takes over the run.
    now += 60_000;
    const other = await store.takeOver(run, "other");
    const end = { type: "tool-end", call: "c", outcome: "interrupted" } as const;
    await store.append(run, [{ seq: last + 1, at: 0, event: end }], other);
    await expect(runner.cancel(run)).rejects.toMatchObject({ code: "not-confirmed" });
    expect(problems).toMatchObject([{ name: "LogFenced" }]);
    expect(seen.context?.signal.aborted).toBe(true);
    expect((await entriesOf(log, run)).at(-1)?.seq).toBe(last + 1);
  });

  test("the whole request is stored alongside the log, without its secrets", async () => {
    const { runner, log } = setUp();
    const messages = [...request.messages, ...request.messages];
    const { run } = await runner.start(
      {
        messages,
        secrets: { OPENAI_API_KEY: "hidden" },
        servers: [{ name: "maps", url: "https://hidden@maps.example/mcp?key=hidden&zone=hidden" }],
      },
      { name: "test", source: async function* () {} },
    );
    const events = await untilEnd(log, run);
    const start = events[0]!;
    if (start.type !== "run-start") throw new Error("expected run-start");
    const stored = await log.get(run, start.request!.file);
    const text = Buffer.concat(await Array.fromAsync(stored!.bytes)).toString();
    const servers = [{ name: "maps", url: "https://redacted@maps.example/mcp?key=redacted&zone=redacted" }];
    const withheld = ["OPENAI_API_KEY", "the key of the server maps"];
    expect(JSON.parse(text)).toEqual({ messages, servers, withheld });
    expect(text + JSON.stringify(events)).not.toContain("hidden");
  });

  test("a snapshot of the state is the same for every way of reading", async () => {
    const { log, run } = await play(async function* () {
      yield* started;
      yield { type: "tool-end", call: "c", outcome: "ok" };
    });
    const states = [1, 3, 1000].map(async (limit) => {
      const state = createState();
      for (;;) {
        const entries = await log.read(run, state.seq, limit);
        if (!entries.length) return snapshot(state);
        for (const entry of entries) fold(state, entry);
      }
    });
    const [first, ...others] = await Promise.all(states);
    for (const other of others) expect(other).toEqual(first);
  });
});
