import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Event } from "../src/events.ts";
import type { Log } from "../src/log.ts";
import { memory } from "../src/logs/memory.ts";
import { demo } from "../src/models/demo.ts";
import type { RunnableAgent, RunnerOptions } from "../src/runner.ts";
import { isHandedOver, type RunContext, type Source } from "../src/source.ts";
import { agent as createAgent } from "../src/sources/agent.ts";
import { defineTool } from "../src/tool.ts";
import { entriesOf, request, setUp, started, untilEnd, untilEvent, waiting } from "./running.ts";

const named = (source: Source): RunnableAgent => ({ name: "test", source });
const isExecuting = ({ type }: Event) => type === "tool-execute";
const LONG_MS = 60_000;

/** Two processes on one log. The second takes over when the test calls it. */
const pair = (source: Source, options: Partial<RunnerOptions> = {}) => {
  const log = memory();
  const join = () => setUp({ ...options, log, findAgent: () => named(source) }).runner;
  return { log, first: join(), second: join() };
};

/** Calls a tool that takes as long as the test wants, then a second one. */
const twoCalls = () => {
  const begun = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const calls: string[] = [];
  const story = {
    name: "two calls",
    message: "hi",
    description: "",
    matches: () => true,
    steps: [
      () => [{ call: "act", input: { name: "first" } }],
      () => [{ call: "act", input: { name: "second" } }],
      () => [{ say: "Done." }],
    ],
  };
  const act = defineTool({
    name: "act",
    description: "",
    input: z.object({ name: z.string() }),
    async run({ name }, { signal }) {
      calls.push(name);
      begun.resolve();
      await Promise.race([go.promise, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
      return name;
    },
  });
  const model = demo({ speed: Infinity, stories: [story] });
  return { source: createAgent({ name: "test", model, tools: [act] }), begun: begun.promise, go: go.resolve, calls };
};

describe("a process that closes with a time to hand over", () => {
  test("leaves a run after its call and before the next step, and nothing is interrupted or repeated", async () => {
    const { source, begun, go, calls } = twoCalls();
    const { log, first, second } = pair(source);
    const { run } = await first.start(request, named(source));
    await begun;
    const closed = first.close({ handOverMs: LONG_MS });
    expect((await log.info(run))?.owner).toBeDefined();
    go();
    await closed;
    expect(await log.info(run)).toMatchObject({ owner: undefined, endedAt: undefined });
    expect(await second.recover()).toBe(1);
    const events = await untilEnd(log, run);
    expect(calls).toEqual(["first", "second"]);
    expect(events).toContainEqual(expect.objectContaining({ type: "run-resume", reason: "released" }));
    expect(events.some((event) => "outcome" in event && event.outcome === "interrupted")).toBe(false);
    expect(events.filter(({ type }) => type === "step-start")).toHaveLength(3);
    expect(events.at(-1)).toMatchObject({ outcome: "done" });
  });

  test("leaves a run in the middle of a call when the time is up, as after a crash", async () => {
    const { source, begun, go, calls } = twoCalls();
    const { log, first, second } = pair(source);
    const { run } = await first.start(request, named(source));
    await begun;
    await first.close({ handOverMs: 1 });
    expect((await entriesOf(log, run)).some(({ event }) => event.type === "tool-end")).toBe(false);
    await second.recover();
    go();
    const events = await untilEnd(log, run);
    expect(events.find(({ type }) => type === "tool-end")).toMatchObject({ outcome: "interrupted" });
    expect(calls).toEqual(["first", "second"]);
  });

  test("immediately leaves a run that waits for the user, and the answer counts", async () => {
    const asking: readonly Event[] = [
      ...started.slice(0, -1),
      { type: "ask-start", ask: "a", kind: "approval", call: "c" },
    ];
    const source: Source = Object.assign(waiting(asking), {
      resume: async function* (...[, context]: Parameters<NonNullable<Source["resume"]>>) {
        const { outcome } = await context.answerTo("a");
        yield { type: "tool-end", call: "c", outcome: outcome === "answered" ? "denied" : "cancelled" } as const;
      },
    });
    const { log, first, second } = pair(source, { controlMs: 5000 });
    const { run } = await first.start(request, named(source));
    await untilEvent(log, run, ({ type }) => type === "ask-start");
    await first.close({ handOverMs: LONG_MS });
    const answered = first.answer(run, "a", { allow: false });
    await second.recover();
    expect(await answered).toBe("accepted");
    const events = await untilEnd(log, run);
    expect(events).toContainEqual(expect.objectContaining({ type: "tool-end", outcome: "denied" }));
  });

  test("lets a run finish that no other process can continue, and interrupts it when the time is up", async () => {
    const go = Promise.withResolvers<void>();
    const source: Source = async function* () {
      yield* started;
      await go.promise;
      yield { type: "tool-end", call: "c", outcome: "ok" };
    };
    const { log, first, second } = pair(source);
    const { run } = await first.start(request, named(source));
    const withSecrets = { ...request, secrets: { API_KEY: "hidden" } };
    const resumable: Source = Object.assign(waiting(started), { resume: waiting([]) });
    const other = await second.start(withSecrets, named(resumable));
    await untilEvent(log, run, isExecuting);
    const closed = first.close({ handOverMs: LONG_MS });
    go.resolve();
    await closed;
    expect((await untilEnd(log, run)).at(-1)).toMatchObject({ outcome: "done" });
    await second.close({ handOverMs: 1 });
    expect((await untilEnd(log, other.run)).at(-1)).toMatchObject({ outcome: "interrupted" });
  });

  test("informs a source if another process continues, but not if the run ends here", async () => {
    const seen: { context?: RunContext } = {};
    const source: Source = Object.assign(waiting(started, seen), { resume: waiting([]) });
    const { log, first, second } = pair(source, { controlMs: 500 });
    const { run } = await first.start(request, named(source));
    await untilEvent(log, run, isExecuting);
    const left = seen.context!.signal;
    await first.close({ handOverMs: 1 });
    expect(isHandedOver(left)).toBe(true);

    const other = await second.start(request, named(source));
    await untilEvent(log, other.run, isExecuting);
    const { signal } = seen.context!;
    const { owner, epoch } = (await log.info(other.run))!;
    await log.release(other.run, { owner: owner!, epoch });
    const unheard = expect(second.cancel(other.run, { call: "c" })).rejects.toMatchObject({ code: "not-confirmed" });
    await expect.poll(() => signal.aborted).toBe(true);
    expect(isHandedOver(signal)).toBe(true);
    await unheard;

    const { runner } = setUp();
    const last = await runner.start(request, named(source));
    const stopped = seen.context!.signal;
    await runner.cancel(last.run);
    expect([stopped.aborted, isHandedOver(stopped)]).toEqual([true, false]);
  });

  test("leaves a run that it is about to take over to others", async () => {
    const source: Source = Object.assign(waiting(started), { resume: waiting([]) });
    const { log, first } = pair(source);
    const { run } = await first.start(request, named(source));
    await untilEvent(log, run, isExecuting);
    await first.close({ handOverMs: 1 });
    const [asked, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const read: Log["read"] = async (...range) => {
      asked.resolve();
      await go.promise;
      return await log.read(...range);
    };
    const { runner } = setUp({ log: { ...log, read }, findAgent: () => named(source) });
    const recovered = runner.recover();
    await asked.promise;
    const closed = runner.close({ handOverMs: LONG_MS });
    go.resolve();
    await closed;
    expect(await recovered).toBe(0);
    const { owner, endedAt } = (await log.info(run))!;
    expect([owner, endedAt]).toEqual([undefined, undefined]);
  });

  test("accepts no new run, and none of another process", async () => {
    const source: Source = Object.assign(waiting(started), { resume: waiting([]) });
    const { log, first, second } = pair(source);
    const { run } = await second.start(request, named(source));
    await untilEvent(log, run, isExecuting);
    await first.close({ handOverMs: LONG_MS });
    await second.close({ handOverMs: 1 });
    await expect(first.start(request, named(source))).rejects.toMatchObject({ code: "stopping", status: 503 });
    expect((await log.info(run))?.owner).toBeUndefined();
  });
});
