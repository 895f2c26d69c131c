import { expect, test } from "vitest";
import { createEventQueue, type EventQueue, FEED, type QueueIterator } from "../src/event-queue.ts";
import type { Event } from "../src/events.ts";
import { memory } from "../src/logs/memory.ts";
import type { Source } from "../src/source.ts";
import { entriesOf, play, request, setUp, untilEnd, untilEvent } from "./running.ts";

const text = (delta: string): Event => ({ type: "text-delta", part: "p", delta });
const opening: readonly Event[] = [
  { type: "step-start", step: "s" },
  { type: "text-start", part: "p" },
];
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A source that pushes to a queue, once its run is in the log and the runner waits for more. */
const pushing =
  (work: (queue: EventQueue) => Promise<void>): Source =>
  () => {
    const queue = createEventQueue(() => {
      for (const event of opening) queue.push(event);
      void work(queue);
    });
    return queue;
  };

test("a waiting reader is fed directly, and gets in order what it does not take", async () => {
  const queue = createEventQueue();
  const iterator = queue[Symbol.asyncIterator]() as QueueIterator;
  const taken: string[] = [];
  iterator[FEED]((event) => {
    if (event.type === "text-delta") taken.push(event.delta);
    return event.type === "text-delta";
  });
  queue.push(text("1"));
  expect(taken).toEqual([]);
  expect(await iterator.next()).toEqual({ value: text("1"), done: false });
  const next = iterator.next();
  queue.push(text("2"));
  queue.push(text("3"));
  expect(taken).toEqual(["2", "3"]);
  await queue.taken();
  queue.push({ type: "text-end", part: "p" });
  queue.push(text("4"));
  expect(await next).toEqual({ value: { type: "text-end", part: "p" }, done: false });
  expect(await iterator.next()).toEqual({ value: text("4"), done: false });
  expect(taken).toEqual(["2", "3"]);
});

test("events of a queue are stored in order, whether or not the runner waits for them", async () => {
  const words = Array.from({ length: 3000 }, (_, index) => `${index} `);
  const { events } = await play(
    pushing(async (queue) => {
      await turn();
      for (const [index, word] of words.entries()) {
        queue.push(text(word));
        if (index % 700 === 0) queue.push({ type: "status", text: word });
        if (index % 97 === 0) await turn();
      }
      queue.close();
    }),
  );
  const pushed = words.flatMap((word, index) => [word, ...(index % 700 === 0 ? [word] : [])]);
  const stored = events.flatMap((event) =>
    event.type === "text-delta" ? [event.delta] : event.type === "status" ? [event.text] : [],
  );
  expect(stored).toEqual(pushed);
});

test("the runner asks for no delta that arrives while it waits", async () => {
  const inner = pushing(async (queue) => {
    await queue.taken();
    for (let index = 0; index < 100; index++) queue.push(text("x"));
    queue.close();
  });
  let asked = 0;
  const counting: Source = (...given) => {
    const iterator = inner(...given)[Symbol.asyncIterator]();
    const next = () => {
      asked++;
      return iterator.next();
    };
    return { [Symbol.asyncIterator]: () => ({ ...iterator, next }) };
  };
  const { events } = await play(counting);
  expect(events.filter(({ type }) => type === "text-delta")).toHaveLength(100);
  // The two opening events and the end.
  expect(asked).toBe(opening.length + 1);
});

test.each([
  { name: "invalid", event: { type: "text-delta", part: "p", delta: 1 } as unknown as Event, code: "invalid-event" },
  { name: "against the grammar", event: { ...text("x"), part: "other" } as Event, code: "invalid-event" },
])("a fed delta that is $name ends the run with an error", async ({ event, code }) => {
  const { events } = await play(
    pushing(async (queue) => {
      await turn();
      queue.push(text("good"));
      queue.push(event);
      queue.push(text("late"));
    }),
  );
  expect(events.filter(({ type }) => type === "text-delta")).toEqual([text("good")]);
  expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: "error", error: { code } });
});

test("fed deltas count toward the size limit of the run, and are stored once", async () => {
  const { events } = await play(
    pushing(async (queue) => {
      await turn();
      for (let index = 0; index < 100; index++) queue.push(text("x".repeat(1000)));
    }),
    { maxBytes: 20_000 },
  );
  expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: "error", error: { code: "too-large" } });
  expect(events.filter(({ type }) => type === "text-delta").length).toBeLessThan(25);
});

test("a queue does not fill the memory while the log is slow", async () => {
  const log = memory();
  const gate = Promise.withResolvers<void>();
  let isSlow = false;
  const append: typeof log.append = (run, entries, as) =>
    isSlow ? gate.promise.then(() => log.append(run, entries, as)) : log.append(run, entries, as);
  const { runner } = setUp({ log: { ...log, append } });
  const full = Promise.withResolvers<void>();
  const source = pushing(async (queue) => {
    await turn();
    isSlow = true;
    for (let index = 0; index < 5000; index++) {
      queue.push(text("x"));
      if (index % 100 === 0) await turn();
      const room = queue.room();
      if (room) full.resolve();
      await room;
    }
    queue.close();
  });
  const { run } = await runner.start(request, { name: "test", source });
  await full.promise;
  gate.resolve();
  const events = await untilEnd(log, run);
  expect(events.filter(({ type }) => type === "text-delta")).toHaveLength(5000);
});

test("a cancelled run takes nothing more from its queue", async () => {
  const { runner, log } = setUp();
  let queue: EventQueue | undefined;
  const source = pushing(async (created) => {
    queue = created;
    await turn();
    created.push(text("before"));
  });
  const { run } = await runner.start(request, { name: "test", source });
  await untilEvent(log, run, ({ type }) => type === "text-delta");
  const cancelled = runner.cancel(run);
  await untilEvent(log, run, ({ type }) => type === "run-end");
  queue!.push(text("after"));
  expect(await cancelled).toBe("cancelled");
  const deltas = (await entriesOf(log, run)).filter(({ event }) => event.type === "text-delta");
  expect(deltas.map(({ event }) => event)).toEqual([text("before")]);
});
