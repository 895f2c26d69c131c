import { describe, expect, test } from "vitest";
import { dialects } from "../src/config/dialects.ts";
import type { Event } from "../src/events.ts";
import type { Log } from "../src/log.ts";
import { memory } from "../src/logs/memory.ts";
import { createRunQueue } from "../src/server/run-queue.ts";
import { limitsOf } from "../src/server/limits.ts";
import type { Source } from "../src/source.ts";
import { entriesOf, setUp, untilEnd, untilEvent } from "./running.ts";
import { post, refusal, serve, start } from "./serving.ts";

/** Runs until it is stopped or released, by the text of its message. */
const held = () => {
  const going = new Map<string, () => void>();
  const source: Source = async function* ({ messages }, { signal }) {
    const [part] = messages.at(-1)!.content;
    const name = part?.type === "text" ? part.text : "";
    yield { type: "step-start", step: "s" };
    await new Promise<void>((resolve) => {
      going.set(name, resolve);
      signal.addEventListener("abort", () => resolve());
    });
    going.delete(name);
  };
  const isGoing = async (name: string) => {
    while (!going.has(name)) await new Promise((tick) => setTimeout(tick, 1));
  };
  return { source, isGoing, names: () => [...going.keys()], letGo: (name: string) => going.get(name)!() };
};

const isStatus = (text: string) => (event: Event) => event.type === "status" && event.text === text;
const inLine = (position: string, most: number) =>
  `Waiting for a free slot: ${position} in line. This server runs ${most} at a time.`;

describe("runs over the limit", () => {
  test("wait in line, show their changing position, and start in order of arrival", async () => {
    const { source, isGoing, names, letGo } = held();
    const log = memory();
    const { url } = await serve(source, { log, limits: { concurrentRuns: 1 } });
    const runs: string[] = [];
    for (const message of ["a", "b", "c", "d"]) {
      const response = await post(`${url}/runs`, { message }, { accept: "application/json" });
      const { run, position } = (await response.json()) as { run: string; position?: number };
      expect(position ?? 0).toBe(runs.length);
      expect(response.headers.get("runcast-queue")).toBe(runs.length > 0 ? `${runs.length}` : null);
      runs.push(run);
    }
    await isGoing("a");
    await untilEvent(log, runs[3]!, isStatus(inLine("third", 1)));
    expect(names()).toEqual(["a"]);
    letGo("a");
    await isGoing("b");
    await untilEvent(log, runs[3]!, isStatus(inLine("second", 1)));
    // A run that is stopped while it waits leaves the queue and never begins.
    expect((await post(`${url}/runs/${runs[2]}/cancel`, {})).status).toBe(200);
    const types = (await untilEnd(log, runs[2]!)).map(({ type }) => type);
    expect(types.filter((type) => type !== "status")).toEqual(["run-start", "run-end"]);
    await untilEvent(log, runs[3]!, isStatus(inLine("first", 1)));
    letGo("b");
    await isGoing("d");
    letGo("d");
    const events = await untilEnd(log, runs[3]!);
    const texts = events.flatMap((event) => (event.type === "status" ? [event.text] : []));
    expect(texts).toEqual([inLine("third", 1), inLine("second", 1), inLine("first", 1), ""]);
    expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: "done" });
  });

  test("a user's runs wait only for that user's own, and let others pass", async () => {
    const { source, isGoing, names, letGo } = held();
    const log = memory();
    const keys = ["ann", "bob"].map((name) => ({ name, key: `the-key-of-${name}` }));
    const { url } = await serve(source, { log, keys, limits: { userConcurrentRuns: 1, userQueuedRuns: 1 } });
    const begin = (who: string, message: string) =>
      post(`${url}/runs`, { message }, { accept: "application/json", authorization: `Bearer the-key-of-${who}` });
    await begin("ann", "ann 1");
    const { run } = (await (await begin("ann", "ann 2")).json()) as { run: string };
    expect(await refusal(await begin("ann", "ann 3"))).toMatchObject({
      status: 429,
      code: "too-many-runs",
      message: "you have reached your limit of active runs (1) and queued runs (1)",
      hint: expect.stringContaining("limits.userConcurrentRuns"),
    });
    await begin("bob", "bob 1");
    await isGoing("bob 1");
    expect(names().toSorted()).toEqual(["ann 1", "bob 1"]);
    await untilEvent(
      log,
      run,
      isStatus("Waiting for your other runs: first in line. You can have 1 active at a time."),
    );
    letGo("ann 1");
    await isGoing("ann 2");
  });

  test("are refused if the queue is full, with the limits", async () => {
    const { source } = held();
    const { url } = await serve(source, { limits: { concurrentRuns: 1, queuedRuns: 1 } });
    await start(url);
    await start(url);
    const response = await post(`${url}/runs`, { message: "c" });
    expect(response.headers.get("retry-after")).toBe("2");
    expect(await refusal(response)).toMatchObject({
      status: 429,
      message: "this server has reached its limit of active runs (1) and queued runs (1)",
      hint: expect.stringContaining("limits.queuedRuns"),
    });
  });

  test("get their position in a response header, in every dialect", async () => {
    for (const dialect of dialects) {
      const { source } = held();
      const { url } = await serve(source, { dialects, limits: { concurrentRuns: 1 } });
      await start(url);
      const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "b" }] }];
      const { method, path, ...rest } = dialect.write({ do: "start", request: { messages, agent: "test" } });
      const response = await fetch(url + path, { method, ...rest });
      expect([dialect.name, response.status, response.headers.get("runcast-queue")]).toEqual([dialect.name, 200, "1"]);
      await response.body?.cancel();
    }
  });

  test("do not fill their logs while a long queue moves", async () => {
    const queue = createRunQueue({ ...limitsOf({ concurrentRuns: 1 }) });
    const { runner, log } = setUp();
    const { source, isGoing, letGo } = held();
    const agent = queue.queued({ name: "test", source });
    const runs: string[] = [];
    for (let count = 0; count < 200; count++) {
      const content = [{ type: "text" as const, text: `${count}` }];
      runs.push((await runner.start({ messages: [{ role: "user", content }] }, agent)).run);
    }
    expect(queue.position(runs[199]!)).toBe(199);
    for (let count = 0; count < 200; count++) {
      await isGoing(`${count}`);
      letGo(`${count}`);
    }
    const events = await untilEnd(log, runs[199]!);
    const statuses = events.filter(({ type }) => type === "status");
    expect(statuses.length).toBeLessThan(50);
    expect(queue.waiting).toBe(0);
  });

  test("wait again in the next process if theirs dies, and work in progress there continues immediately", async () => {
    let now = 0;
    const log = memory({ now: () => now });
    const { source, isGoing } = held();
    const resumable: Source = Object.assign(source.bind(undefined), { resume: source });
    const process = () => {
      const queue = createRunQueue(limitsOf({ concurrentRuns: 1 }));
      const findAgent = (name: string) => queue.queued({ name, source: resumable });
      return { queue, findAgent, runner: setUp({ log, findAgent }).runner };
    };
    const first = process();
    const at = (text: string) => ({
      messages: [{ role: "user" as const, content: [{ type: "text" as const, text }] }],
    });
    const { run: working } = await first.runner.start(at("working"), first.findAgent("test"));
    await isGoing("working");
    const { run: waiting } = await first.runner.start(at("waiting"), first.findAgent("test"));
    await untilEvent(log, waiting, isStatus(inLine("first", 1)));
    now += 10_001;
    const second = process();
    expect(await second.runner.recover()).toBe(2);
    await untilEvent(log, working, ({ type }) => type === "run-resume");
    await second.runner.cancel(working);
    await isGoing("waiting");
    expect((await entriesOf(log, waiting)).map(({ event }) => event.type)).toContain("run-resume");
  });

  test("start after a run that was stopped while its files were read", async () => {
    const log = memory();
    const reading = Promise.withResolvers<void>();
    const read = Promise.withResolvers<void>();
    const slow: Log = {
      ...log,
      put: async (...given) => {
        reading.resolve();
        await read.promise;
        return await log.put(...given);
      },
    };
    const queue = createRunQueue(limitsOf({ concurrentRuns: 1 }));
    const { source, isGoing } = held();
    const agent = queue.queued({ name: "test", source });
    const { runner } = setUp({ log: slow });
    const file = { type: "file" as const, mediaType: "text/plain", data: "aGk=" };
    const first = runner.start({ run: "first", messages: [{ role: "user", content: [file] }] }, agent);
    await reading.promise;
    const cancelled = runner.cancel("first");
    read.resolve();
    await first;
    expect(await cancelled).toBe("cancelled");
    await runner.start({ messages: [{ role: "user", content: [{ type: "text", text: "second" }] }] }, agent);
    await isGoing("second");
  });

  test("start after a run on another server that was stopped before this process could follow it", async () => {
    const log = memory();
    const reading = Promise.withResolvers<void>();
    const read = Promise.withResolvers<void>();
    const slow: Log = {
      ...log,
      get: async (...asked) => {
        reading.resolve();
        await read.promise;
        return await log.get(...asked);
      },
    };
    const queue = createRunQueue(limitsOf({ concurrentRuns: 1 }));
    const { source, isGoing } = held();
    const stopped: boolean[] = [];
    const resume: Source["resume"] = async function* (_, { signal }) {
      stopped.push(signal.aborted);
    };
    const agent = queue.queued({ name: "test", source: Object.assign(source, { follows: true, resume } as const) });
    const first = setUp({ log }).runner;
    const file = { type: "file" as const, mediaType: "text/plain", data: "aGk=" };
    const text = (name: string) => ({ type: "text" as const, text: name });
    const { run } = await first.start({ messages: [{ role: "user", content: [text("first"), file] }] }, agent);
    await isGoing("first");
    await first.close({ handOverMs: 60_000 });
    const second = setUp({ log: slow, findAgent: () => agent }).runner;
    expect(await second.recover()).toBe(1);
    await reading.promise;
    const cancelled = second.cancel(run);
    read.resolve();
    expect(await cancelled).toBe("cancelled");
    expect(stopped).toEqual([true]);
    await second.start({ messages: [{ role: "user", content: [text("second")] }] }, agent);
    await isGoing("second");
  });
});
