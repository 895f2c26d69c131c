import { describe, expect, test } from "vitest";
import type { Event } from "../src/events.ts";
import { LogReset } from "../src/log.ts";
import { memory } from "../src/logs/memory.ts";
import type { Source } from "../src/source.ts";
import { asking, cluster, isExecuting, named, scripted } from "./cluster.ts";
import { entriesOf, request, setUp, started, untilEnd, untilEvent, waiting } from "./running.ts";

describe("a run has one owner", () => {
  test("the same id posted to two processes starts one run", async () => {
    const { join, log } = cluster();
    const ready = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    // Both call their source before either stores anything.
    const meeting = (place: number): Source =>
      async function* () {
        ready[place]!.resolve();
        await Promise.all(ready.map(({ promise }) => promise));
        yield { type: "step-start", step: `s${place}` };
      };
    const results = await Promise.all(
      [0, 1].map((place) => join().start({ ...request, run: "r" }, named(meeting(place)))),
    );
    expect(results.map((result) => result.started).toSorted()).toEqual([false, true]);
    const events = await untilEnd(log, "r");
    expect(events.filter(({ type }) => type === "step-start")).toHaveLength(1);
  });

  test("no process takes over a run whose owner is alive", async () => {
    const { join, log } = cluster();
    const { run } = await join().start(request, named(waiting(started)));
    await untilEvent(log, run, isExecuting);
    expect(await join().recover()).toBe(0);
    expect((await log.info(run))?.endedAt).toBeUndefined();
  });

  test("a replaced owner stops its source, writes nothing, and disconnects no viewer", async () => {
    const { join, log, expire } = cluster();
    const cut: string[] = [];
    const first = join({ onCut: (run) => cut.push(run) });
    const go = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    const source: Source = async function* (_, { signal }) {
      signal.addEventListener("abort", () => aborted.resolve());
      yield* started;
      await go.promise;
      yield { type: "tool-progress", call: "c", note: "late" };
      await aborted.promise;
    };
    const { run } = await first.start(request, named(source));
    await untilEvent(log, run, isExecuting);
    expire();
    expect(await join().recover()).toBe(1);
    go.resolve();
    await aborted.promise;
    const events = await untilEnd(log, run);
    expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: "interrupted" });
    expect(events.some(({ type }) => type === "tool-progress")).toBe(false);
    expect(cut).toEqual([]);
  });

  test("a process whose heartbeats fail for a lease considers its runs lost, and they continue elsewhere", async () => {
    const { join, log, expire } = cluster();
    const network: { down?: Error } = {};
    const heartbeat: typeof log.heartbeat = (owner, leaseMs) =>
      network.down ? Promise.reject(network.down) : log.heartbeat(owner, leaseMs);
    const append: typeof log.append = (run, entries, as) =>
      network.down ? Promise.reject(network.down) : log.append(run, entries, as);
    const asked: string[] = [];
    const info: typeof log.info = (run) => (asked.push(run), log.info(run));
    const first = join({ log: { ...log, heartbeat, append, info }, leaseMs: 30 });
    const stopped = Promise.withResolvers<void>();
    const source: Source = async function* (_, { signal }) {
      yield* started;
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      stopped.resolve();
    };
    const { run } = await first.start(request, named(source));
    await untilEvent(log, run, isExecuting);
    const { length } = await entriesOf(log, run);
    network.down = new Error("unreachable");
    await stopped.promise;
    while (first.active > 0) await new Promise((tick) => setTimeout(tick, 1));
    // Asking for each of them would only add to the trouble.
    expect(asked).toEqual([]);
    delete network.down;
    expect(await entriesOf(log, run)).toHaveLength(length);
    expire();
    expect(await join().recover()).toBe(1);
    expect((await untilEnd(log, run)).at(-1)).toMatchObject({ outcome: "interrupted" });
  });

  test("an engine that lost entries is reported, and the run continues from what is left", async () => {
    const { join, log } = cluster();
    const problems: unknown[] = [];
    const append: typeof log.append = (run, entries, as) =>
      entries.some(({ event }) => event.type === "tool-progress")
        ? Promise.reject(new LogReset(run, 9, 6))
        : log.append(run, entries, as);
    const first = join({ log: { ...log, append }, onProblem: (problem) => problems.push(problem) });
    const go = Promise.withResolvers<void>();
    const ending: Source = async function* () {
      yield { type: "step-start", step: "again" };
    };
    const source: Source = Object.assign(
      async function* (): AsyncGenerator<Event> {
        yield* started;
        await go.promise;
        yield { type: "tool-progress", call: "c", note: "lost" };
      },
      { resume: ending },
    );
    const { run } = await first.start(request, named(source));
    await untilEvent(log, run, isExecuting);
    go.resolve();
    while ((await log.info(run))?.owner !== undefined) await new Promise((tick) => setTimeout(tick, 1));
    expect(problems).toEqual([expect.any(LogReset)]);
    expect(await join({ findAgent: () => named(source) }).recover()).toBe(1);
    expect((await untilEnd(log, run)).at(-1)).toMatchObject({ outcome: "done" });
  });

  test("a tool does not run before its tool-execute is stored", async () => {
    const log = memory();
    const held = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const append: typeof log.append = (run, entries, as) => {
      if (!entries.some(({ event }) => isExecuting(event))) return log.append(run, entries, as);
      asked.resolve();
      return held.promise.then(() => log.append(run, entries, as));
    };
    const { runner } = setUp({ log: { ...log, append } });
    const executed: boolean[] = [];
    const source = scripted(async (run) => {
      executed.push((await entriesOf(log, run)).some(({ event }) => isExecuting(event)));
    });
    const { run } = await runner.start(request, named(source));
    await asked.promise;
    for (let turn = 0; turn < 10; turn++) await new Promise((tick) => setImmediate(tick));
    const before = [...executed];
    held.resolve();
    await untilEnd(log, run);
    expect(before).toEqual([]);
    expect(executed).toEqual([true]);
  });
});

describe("controls for a run that is active in another process", () => {
  test("a cancel of a call or the run is stored there before it is acknowledged", async () => {
    const { join, log } = cluster();
    const other = join();
    const { run } = await join().start(request, named(waiting(started)));
    await untilEvent(log, run, isExecuting);
    expect(await other.cancel(run, { call: "nothing" })).toBe("unknown");
    expect(await other.cancel(run, { by: "Ada" })).toBe("cancelled");
    expect((await entriesOf(log, run)).at(-1)?.event).toMatchObject({ type: "run-end", outcome: "cancelled" });
    expect(await other.cancel(run)).toBe("ended");
    expect(await other.cancel("unknown")).toBe("unknown");
  });

  test("an answer gets the same replies as in the owner's process", async () => {
    const { join, log } = cluster();
    const other = join();
    const source: Source = async function* (_, context) {
      yield* asking;
      const { answer } = await context.answerTo("a");
      yield { type: "data", name: "answer", value: answer!.allow! };
      await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
    };
    const { run } = await join().start(request, named(source));
    await untilEvent(log, run, ({ type }) => type === "ask-start");
    expect(await other.answer(run, "b", { allow: true })).toBe("unknown");
    await expect(other.answer(run, "a", { value: 1 })).rejects.toMatchObject({ code: "bad-answer" });
    expect(await other.answer(run, "a", { allow: true }, "Ada")).toBe("accepted");
    expect(await other.answer(run, "a", { allow: true })).toBe("same");
    expect(await other.answer(run, "a", { allow: false })).toBe("conflict");
    await untilEvent(log, run, ({ type }) => type === "data");
    expect((await entriesOf(log, run)).map(({ event }) => event)).toContainEqual(
      expect.objectContaining({ type: "ask-end", outcome: "answered", by: "Ada" }),
    );
  });

  test("a revocation that comes too late is answered when the run ends", async () => {
    const { join, log } = cluster();
    const source: Source = async function* (_, context) {
      yield* asking;
      await context.answerTo("a");
      yield { type: "data", name: "allowed", id: "a", value: true };
      await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
    };
    const sent = Promise.withResolvers<void>();
    // The run ends before its owner reads the revocation.
    const owner = join({ log: { ...log, watchControls: () => () => {} } });
    const other = join({
      log: { ...log, send: (...sending) => Promise.resolve(log.send(...sending)).finally(sent.resolve) },
    });
    const { run } = await owner.start(request, named(source));
    await untilEvent(log, run, ({ type }) => type === "ask-start");
    await owner.answer(run, "a", { allow: true, always: true });
    await untilEvent(log, run, ({ type }) => type === "data");
    const revoked = other.answer(run, "a", { revoke: true });
    await sent.promise;
    await owner.cancel(run);
    expect(await revoked).toBe("closed");
  });

  test("an answer is acknowledged only when it is stored", async () => {
    const log = memory();
    const held = Promise.withResolvers<void>();
    const append: typeof log.append = (run, entries, as) =>
      entries.some(({ event }) => event.type === "ask-end")
        ? held.promise.then(() => log.append(run, entries, as))
        : log.append(run, entries, as);
    const { runner } = setUp({ log: { ...log, append } });
    const { run } = await runner.start(request, named(waiting(asking)));
    await untilEvent(log, run, ({ type }) => type === "ask-start");
    const acknowledged: string[] = [];
    // A retry must not be told that its answer has arrived, either.
    const answering = [true, true, false].map((allow) =>
      runner.answer(run, "a", { allow }).then((result) => acknowledged.push(result)),
    );
    for (let turn = 0; turn < 10; turn++) await new Promise((tick) => setImmediate(tick));
    const before = [...acknowledged];
    held.resolve();
    await Promise.all(answering);
    expect(before).toEqual([]);
    expect(acknowledged).toEqual(["accepted", "same", "conflict"]);
  });

  test("a cancel of a run whose process is gone is executed by the next owner", async () => {
    const { join, log, expire } = cluster();
    const other = join({ findAgent: () => named(resumable) });
    const resumable: Source = Object.assign(waiting(asking), { resume: waiting([]) });
    const gone = join({ log: { ...log, watchControls: () => () => {} } });
    const { run } = await gone.start(request, named(resumable));
    await untilEvent(log, run, ({ type }) => type === "ask-start");
    expire();
    const cancelled = other.cancel(run);
    expect(await other.recover()).toBe(1);
    expect(await cancelled).toBe("cancelled");
    await untilEnd(log, run);
  });
});
