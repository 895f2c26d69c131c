import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Event } from "../src/events.ts";
import type { Log } from "../src/log.ts";
import { demo } from "../src/models/demo.ts";
import type { Source } from "../src/source.ts";
import { agent as createAgent } from "../src/sources/agent.ts";
import { defineTool } from "../src/tool.ts";
import { asking, cluster, named, scripted } from "./cluster.ts";
import { request, untilEnd, untilEvent, waiting } from "./running.ts";
import { memory } from "../src/logs/memory.ts";
import { createStranded } from "../src/runner/stranded.ts";
import { startEntry } from "./contracts/run-entries.ts";

describe("a run that is taken over", () => {
  test("is released and taken over again if the log could not store the first takeover completely", async () => {
    const works = { takeOver: true, rest: false };
    const full = () => Promise.reject(new Error("the disk is full"));
    for (works.takeOver of [true, false]) {
      works.rest = false;
      const { join, log, expire } = cluster();
      const source: Source = Object.assign(waiting(asking), { resume: waiting([]) });
      const { run } = await join().start(request, named(source));
      await untilEvent(log, run, ({ type }) => type === "ask-start");
      expire();
      const problems: unknown[] = [];
      const limited: Log = {
        ...log,
        append: (...appended) => (works.rest ? log.append(...appended) : full()),
        release: (...released) => (works.rest ? log.release(...released) : full()),
        takeOver: async (...taken) => {
          const as = await log.takeOver(...taken);
          return works.takeOver || works.rest ? as : await full();
        },
      };
      const second = join({ log: limited, findAgent: () => named(source), onProblem: (error) => problems.push(error) });
      expect(await second.recover()).toBe(0);
      expect(problems.map(String)).toContain(`Error: run ${run} cannot be taken over: the disk is full`);
      works.rest = true;
      await untilEvent(log, run, ({ type }) => type === "run-resume");
      expect(await second.cancel(run)).toBe("cancelled");
    }
  });

  test("is taken over again if the lease was lost during the takeover", async () => {
    const { join, log, expire } = cluster();
    const source: Source = Object.assign(waiting(asking), { resume: waiting([]) });
    const { run } = await join().start(request, named(source));
    await untilEvent(log, run, ({ type }) => type === "ask-start");
    expire();
    const owners = new Set<string>();
    let isDown = false;
    const late: Log = {
      ...log,
      heartbeat: (owner, leaseMs) => {
        owners.add(owner);
        return isDown && owners.size === 1 ? Promise.reject(new Error("unreachable")) : log.heartbeat(owner, leaseMs);
      },
      takeOver: async (...taken) => {
        isDown = true;
        while (owners.size === 1) await new Promise((tick) => setTimeout(tick, 1));
        const as = await log.takeOver(...taken);
        if (taken[1] === [...owners][0]) expire();
        return as;
      },
    };
    const second = join({ log: late, leaseMs: 30, findAgent: () => named(source) });
    expect(await second.recover()).toBe(0);
    await untilEvent(log, run, ({ type }) => type === "run-resume");
    expect((await log.info(run))?.owner).toBe([...owners][1]);
    expect(await second.cancel(run)).toBe("cancelled");
  });

  test("is taken over only by an id whose lease is stored", async () => {
    const { join, log, expire } = cluster();
    const source: Source = Object.assign(waiting(asking), { resume: waiting([]) });
    const { run } = await join().start(request, named(source));
    await untilEvent(log, run, ({ type }) => type === "ask-start");
    expire();
    const [ids, stored, takers] = [new Set<string>(), new Set<string>(), [] as string[]];
    let isDown = false;
    const late: Log = {
      ...log,
      heartbeat: async (owner, leaseMs) => {
        ids.add(owner);
        if (isDown) throw new Error("unreachable");
        stored.add(owner);
        return await log.heartbeat(owner, leaseMs);
      },
      orphans: async (limit) => {
        const found = await log.orphans(limit);
        isDown = ids.size === 1;
        while (ids.size === 1) await new Promise((tick) => setTimeout(tick, 1));
        return found;
      },
      takeOver: (taken, owner) => {
        takers.push(owner);
        return log.takeOver(taken, owner);
      },
    };
    const second = join({ log: late, leaseMs: 30, findAgent: () => named(source) });
    expect(await second.recover()).toBe(0);
    isDown = false;
    await untilEvent(log, run, ({ type }) => type === "run-resume");
    expect(takers.filter((owner) => !stored.has(owner))).toEqual([]);
    expect(await second.cancel(run)).toBe("cancelled");
  });

  test("is released if its start was stored, but the response was lost", async () => {
    const { join, log } = cluster();
    let isLost = true;
    const lossy: Log = {
      ...log,
      append: async (...appended) => {
        await log.append(...appended);
        if (isLost) throw new Error("the response is lost");
      },
    };
    const runner = join({ log: lossy });
    await runner.recover();
    await expect(runner.start({ ...request, run: "r" }, named(waiting(asking)))).rejects.toThrow("is lost");
    isLost = false;
    expect((await untilEnd(log, "r")).at(-1)).toMatchObject({ outcome: "interrupted" });
  });

  test("does not reach its source if it is cancelled while its files are read", async () => {
    const { join, log, expire } = cluster();
    const reading = Promise.withResolvers<void>();
    const read = Promise.withResolvers<void>();
    let resumed = 0;
    const source: Source = Object.assign(waiting(asking), {
      resume: async function* () {
        resumed++;
      },
    });
    const file = { type: "file" as const, mediaType: "text/plain", data: "aGk=" };
    const { run } = await join().start({ messages: [{ role: "user", content: [file] }] }, named(source));
    await untilEvent(log, run, ({ type }) => type === "ask-start");
    expire();
    const slow: Log = {
      ...log,
      get: async (...asked) => {
        reading.resolve();
        await read.promise;
        return await log.get(...asked);
      },
    };
    const second = join({ log: slow, findAgent: () => named(source) });
    expect(await second.recover()).toBe(1);
    await reading.promise;
    const cancelled = second.cancel(run);
    read.resolve();
    expect(await cancelled).toBe("cancelled");
    expect((await untilEnd(log, run)).at(-1)).toMatchObject({ outcome: "cancelled" });
    expect(resumed).toBe(0);
  });

  test("reports its new owner and position, its approval stays open, the answer counts, and its expiry applies", async () => {
    for (const isAnswered of [true, false]) {
      const { join, log } = cluster();
      const outcomes: string[] = [];
      const source: Source = Object.assign(waiting([]), {
        resume: async function* (...[, context]: Parameters<NonNullable<Source["resume"]>>) {
          outcomes.push((await context.answerTo("a")).outcome);
          yield { type: "tool-end", call: "c", outcome: "denied" } as const;
        },
      });
      const run = "r";
      const expires = isAnswered ? Date.now() + 600_000 : 1;
      // Written here, because a process would apply the expiry itself.
      const before: readonly Event[] = [
        { type: "run-start", protocol: 2, run, name: "test", agentKey: "test", message: request.messages[0]! },
        ...asking.map((event) => (event.type === "ask-start" ? { ...event, expires } : event)),
      ];
      const entries = before.map((event, index) => ({ seq: index + 1, at: 0, event }));
      await log.append(run, entries, { owner: "first", epoch: 1 });
      const second = join({ findAgent: (name) => (name === "test" ? named(source) : undefined) });
      expect(await second.recover()).toBe(1);
      if (isAnswered) expect(await second.answer(run, "a", { allow: false })).toBe("accepted");
      const events = await untilEnd(log, run);
      expect(events[6]).toEqual({ type: "run-resume", owner: expect.any(String), reason: "expired", after: 6 });
      expect(outcomes).toEqual([isAnswered ? "answered" : "expired"]);
      expect(events.at(-1)).toMatchObject({ outcome: "done" });
    }
  });

  test("has a past that ends with its run-resume, regardless of what a later owner writes", async () => {
    const { join, log, expire } = cluster();
    const read: string[][] = [];
    const later = Promise.withResolvers<void>();
    const source: Source = Object.assign(waiting(asking), {
      resume: async function* (...[, context, past]: Parameters<NonNullable<Source["resume"]>>) {
        if (read.length === 0) await later.promise;
        const pages = await Array.fromAsync(past.entries());
        read.push(pages.flat().map(({ event }) => event.type));
        await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
      },
    });
    const { run } = await join().start(request, named(source));
    await untilEvent(log, run, ({ type }) => type === "ask-start");
    expire();
    await join({ findAgent: () => named(source) }).recover();
    expire();
    const as = await log.takeOver(run, "later");
    await log.append(run, [{ seq: as!.seq + 1, at: Date.now(), event: { type: "tool-execute", call: "c" } }], as);
    later.resolve();
    while (read.length === 0) await new Promise((tick) => setTimeout(tick, 1));
    expect(read[0]!.at(-1)).toBe("run-resume");
  });

  test("ends as interrupted with a hint if it used secrets of its request", async () => {
    const { join, log, expire } = cluster();
    const source: Source = Object.assign(waiting(asking), { resume: waiting([]) });
    const { run } = await join().start({ ...request, secrets: { API_KEY: "hidden" } }, named(source));
    await untilEvent(log, run, ({ type }) => type === "ask-start");
    expire();
    await join({ findAgent: () => named(source) }).recover();
    const events = await untilEnd(log, run);
    expect(events.at(-1)).toMatchObject({
      outcome: "interrupted",
      error: { code: "interrupted", hint: "start it again with API_KEY" },
    });
    expect(JSON.stringify(events)).not.toContain("hidden");
  });

  test("does not repeat a completed call together with an interrupted one", async () => {
    const { join, log, expire } = cluster();
    const runs: string[] = [];
    const isCut = Promise.withResolvers<void>();
    const tool = defineTool({
      name: "act",
      description: "",
      input: z.object({ name: z.string() }),
      repeatable: true,
      run: async ({ name }) => {
        runs.push(name);
        if (name !== "slow" || runs.filter((each) => each === "slow").length > 1) return name;
        isCut.resolve();
        return await new Promise(() => {});
      },
    });
    const story = {
      name: "acts",
      message: "hi",
      description: "",
      matches: () => true,
      steps: [() => ["quick", "slow"].map((name) => ({ call: "act", input: { name } })), () => [{ say: "Done." }]],
    };
    const source = createAgent({ name: "test", model: demo({ speed: Infinity, stories: [story] }), tools: [tool] });
    const { run } = await join().start(request, named(source));
    await isCut.promise;
    await untilEvent(log, run, ({ type }) => type === "tool-end");
    expire();
    await join({ findAgent: () => named(source) }).recover();
    await untilEnd(log, run);
    expect(runs).toEqual(["quick", "slow", "slow"]);
  });

  test.each([true, false])("repeats an interrupted call only if its tool is repeatable (%s)", async (repeatable) => {
    const { join, log, expire } = cluster();
    let runs = 0;
    const begun = Promise.withResolvers<void>();
    const source = scripted(async () => {
      runs += 1;
      begun.resolve();
      if (runs === 1) await new Promise(() => {});
    }, repeatable);
    const { run } = await join().start(request, named(source));
    await begun.promise;
    expire();
    await join({ findAgent: () => named(source) }).recover();
    const events = await untilEnd(log, run);
    expect(runs).toBe(repeatable ? 2 : 1);
    const calls = events.flatMap((event) => (event.type === "tool-start" ? [event] : []));
    expect(calls.map(({ repeats }) => repeats)).toEqual(repeatable ? [undefined, calls[0]!.call] : [undefined]);
    expect(events.at(-1)).toMatchObject({ outcome: "done" });
  });
});

/** A run that this process owns, although its start failed. */
const strandedRun = async () => {
  const log = memory();
  await log.append("r", [startEntry("r")], { owner: "me", epoch: 1 });
  const active = new Set<string>();
  let asked = 0;
  const info = (run: string) => {
    asked++;
    return log.info(run);
  };
  const stranded = createStranded(
    { ...log, info },
    () => "me",
    (run) => active.has(run),
    (error) => expect.unreachable(String(error)),
  );
  return { stranded, active, owner: async () => (await log.info("r"))?.owner, asked: () => asked };
};

test("a run whose start failed is released", async () => {
  const { stranded, owner } = await strandedRun();
  await stranded.add("r");
  expect(await owner()).toBeUndefined();
});

test("a run whose start failed is released later if a client repeats its start at this moment, which finds the run and leaves it alone", async () => {
  const { stranded, active, owner } = await strandedRun();
  active.add("r");
  await stranded.add("r");
  expect(await owner()).toBe("me");
  active.delete("r");
  await stranded.retry();
  expect(await owner()).toBeUndefined();
});

test("a run whose start failed costs no request once it is released, nor while it is active", async () => {
  const { stranded, active, asked } = await strandedRun();
  active.add("r");
  await stranded.add("r");
  await stranded.retry();
  active.delete("r");
  await stranded.retry();
  const before = asked();
  await stranded.retry();
  expect([before, asked()]).toEqual([1, 1]);
});
