import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Dialect, Frame } from "../../src/dialect.ts";
import { native } from "../../src/dialects/native.ts";
import type { Entry, Event } from "../../src/events.ts";
import type { Log } from "../../src/log.ts";
import { memory } from "../../src/logs/memory.ts";
import type { Source } from "../../src/source.ts";
import { createFrameReader, lineSafe } from "../../src/sse.ts";
import { generateLog } from "../generate.ts";
import { randomFrom } from "../random.ts";
import { entriesOf } from "../running.ts";
import { framesOf, textSource, serve, start, until } from "../serving.ts";

const WINDOW_MS = 30;

/** Two frames per entry, the second of which depends on everything before it, so that a mistake in merging, skipping or feeding shows. */
const encode = (): ((entry: Entry) => readonly Frame[]) => {
  let before = 0;
  let textLength = 0;
  return ({ seq, event }) => {
    const frames = [
      { id: `${before}.1`, data: JSON.stringify(event) },
      { id: `${seq}`, data: `${(textLength += "delta" in event ? event.delta.length : 0)}` },
    ];
    before = seq;
    return frames;
  };
};

const { encodeText: _, stateless: __, snapshot: ___, ...rest } = native;
const spans: Dialect = { ...rest, name: "spans", routes: [], windowMs: WINDOW_MS, encode };

/** The contract of `windowMs`, in the simplest form. */
const merged = (entries: readonly Entry[]): Entry[] => {
  const list: Entry[] = [];
  for (const { seq, at, event } of entries) {
    const last = list.at(-1);
    const isOne =
      last &&
      "delta" in event &&
      sameThing(last.event, event) &&
      Math.floor(last.at / WINDOW_MS) === Math.floor(at / WINDOW_MS);
    if (isOne)
      list.splice(-1, 1, { seq, at, event: { ...event, delta: (last.event as typeof event).delta + event.delta } });
    else list.push({ seq, at, event });
  }
  return list;
};
const sameThing = (one: Event, other: Event): boolean =>
  JSON.stringify({ ...one, delta: "" }) === JSON.stringify({ ...other, delta: "" });

/** As on the wire, where unusual line separators are escaped. */
const plain = (frames: readonly Frame[]) => frames.map(({ id, data }) => [id, lineSafe(data)]);
const replayOf = (entries: readonly Entry[]) => plain(merged(entries).flatMap(encode()));

/** Plays a generated log with pauses. The runner timestamps and stores it like any run. */
const playing = (seed: number): Source =>
  async function* () {
    const random = randomFrom(seed);
    for (const { event } of generateLog(seed)) {
      if (random() < 0.3) await sleep(random() * 12);
      yield event;
    }
  };

/** Follows a run to its end over several connections. Each is closed after the number of frames that `cuts` returns. */
const follow = async (url: string, run: string, cuts: () => number, from = ""): Promise<Frame[]> => {
  const frames: Frame[] = [];
  for (let last = from; ; last = frames.at(-1)?.id ?? from) {
    const stop = new AbortController();
    const response = await fetch(`${url}/runs/${run}/events?dialect=spans`, {
      headers: last ? { "last-event-id": last } : {},
      signal: stop.signal,
    });
    if (response.status === 204) return frames;
    let left = cuts();
    const reader = createFrameReader((frame) => {
      if (left-- > 0) frames.push(frame);
    });
    try {
      for await (const bytes of response.body ?? []) {
        reader.push(bytes);
        if (left <= 0) stop.abort();
      }
      if (left >= 0) return frames;
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    }
  }
};

/** A log that responds asynchronously, like one on another machine. */
const distant = (): Log => {
  const log = memory();
  const later = () => new Promise((resolve) => setImmediate(resolve));
  return {
    ...log,
    read: async (run, after, limit) => {
      await later();
      const entries = await log.read(run, after, limit);
      await later();
      return entries;
    },
  };
};

const never = () => Infinity;

describe("merging by time", () => {
  test.each([
    ["that is synchronous", memory],
    ["that is asynchronous", distant],
  ])("viewers that join, resume or stall anywhere get the frames of a replay (a log %s)", async (_name, createLog) => {
    await fc.assert(
      fc.asyncProperty(fc.noShrink(fc.nat()), async (seed) => {
        const log = createLog();
        const { url } = await serve(playing(seed), { log, dialects: [native, spans] });
        const run = await start(url);
        const random = randomFrom(seed + 1);
        const cuts = () => 1 + Math.floor(random() * 20);
        const viewers = await Promise.all([
          follow(url, run, never),
          follow(url, run, cuts),
          ...Array.from({ length: 4 }, async (_item, index) => {
            await sleep(random() * 300);
            return await follow(url, run, index % 2 ? cuts : never);
          }),
        ]);
        const expected = replayOf(await entriesOf(log, run));
        for (const frames of viewers) expect(plain(frames)).toEqual(expected);
        expect(plain(await follow(url, run, never))).toEqual(expected);
      }),
      { numRuns: 6 },
    );
  });

  test("a reader that stalls for megabytes gets the frames of a replay", async () => {
    const log = memory();
    const word = "x".repeat(1000);
    const source = textSource(
      Array.from({ length: 12_000 }, () => word),
      (index) => index % 50 === 0 && sleep(1),
    );
    const { url } = await serve(source, { log, dialects: [native, spans] });
    const run = await start(url);
    const stalled = await fetch(`${url}/runs/${run}/events?dialect=spans`);
    const live = await follow(url, run, never);
    expect(plain(await framesOf(stalled))).toEqual(plain(live));
    expect(plain(await follow(url, run, never))).toEqual(plain(live));
    expect(live.length).toBeLessThan(12_000);
    expect(Math.max(...live.map(({ data }) => data.length))).toBeLessThan(34 * 1024);
  });

  test("from any cursor, even within a span, nothing is lost and nothing appears twice", async () => {
    const log = memory();
    const { url } = await serve(playing(7), { log, dialects: [native, spans] });
    const run = await start(url);
    await follow(url, run, never);
    const entries = await entriesOf(log, run);
    expect(merged(entries).length).toBeLessThan(entries.length);
    for (let after = 0; after < entries.length; after++) {
      const frames = await follow(url, run, never, `${after}`);
      const events = frames.filter((_frame, index) => index % 2 === 0).map(({ data }) => JSON.parse(data) as Event);
      expect(events).toEqual(merged(entries.slice(after)).map(({ event }) => event));
    }
  });

  test("a held entry is sent when its span is over, without another entry", async () => {
    const hold = Promise.withResolvers<void>();
    const { url } = await serve(
      textSource(["a", "b"], (index) => index === 1 && hold.promise),
      { dialects: [native, spans] },
    );
    const run = await start(url);
    const seen: Event[] = [];
    const response = await fetch(`${url}/runs/${run}/events?dialect=spans`);
    const reader = createFrameReader(({ data }) => void (data.startsWith("{") && seen.push(JSON.parse(data) as Event)));
    for await (const bytes of response.body ?? []) {
      reader.push(bytes);
      if (seen.some((event) => event.type === "text-delta")) hold.resolve();
    }
    expect(seen.flatMap((event) => (event.type === "text-delta" ? [event.delta] : []))).toEqual(["a", "b"]);
  });

  test("an entry that is stored too late divides its span only for viewers that were connected", async () => {
    const log = memory();
    const { url } = await serve(textSource([]), { log, dialects: [native, spans] });
    const at = Date.now();
    const say = (seq: number, event: Event) => log.append("late", [{ seq, at, event }]);
    await say(1, { type: "run-start", protocol: 1, run: "late", name: "test" });
    await say(2, { type: "step-start", step: "s" });
    await say(3, { type: "text-start", part: "p" });
    await say(4, { type: "text-delta", part: "p", delta: "a" });
    const seen: Frame[] = [];
    const response = await fetch(`${url}/runs/late/events?dialect=spans`);
    const reader = createFrameReader((frame) => seen.push(frame));
    const watching = (async () => {
      for await (const bytes of response.body ?? []) reader.push(bytes);
    })();
    await until(() => seen.at(-1)?.id === "4");
    // Resumes in the middle while the live viewer has everything. Both continue together.
    const resumed = follow(url, "late", never, "4");
    await say(5, { type: "text-delta", part: "p", delta: "b" });
    await say(6, { type: "text-end", part: "p" });
    await say(7, { type: "step-end", step: "s", finish: "stop" });
    await say(8, { type: "run-end", outcome: "done" });
    await watching;
    const deltas = (frames: readonly Frame[]) =>
      frames.flatMap(({ data }) =>
        data.startsWith('{"type":"text-delta"') ? [(JSON.parse(data) as { delta: string }).delta] : [],
      );
    expect(deltas(seen)).toEqual(["a", "b"]);
    expect(deltas(await resumed)).toEqual(["b"]);
    expect(deltas(await follow(url, "late", never))).toEqual(["ab"]);
  });

  test("a viewer that resumes within a span that live viewers still wait for continues with them", async () => {
    const log = memory();
    const { url } = await serve(textSource([]), { log, dialects: [native, spans] });
    // A window that does not end during this test.
    const at = Date.now() + 3_600_000;
    const say = (seq: number, event: Event) => log.append("ahead", [{ seq, at, event }]);
    await say(1, { type: "run-start", protocol: 1, run: "ahead", name: "test" });
    await say(2, { type: "step-start", step: "s" });
    await say(3, { type: "text-start", part: "p" });
    await say(4, { type: "text-delta", part: "p", delta: "a" });
    await say(5, { type: "text-delta", part: "p", delta: "b" });
    const live = follow(url, "ahead", never);
    const resumed = follow(url, "ahead", never, "4");
    const leaving = follow(url, "ahead", () => 6);
    await say(6, { type: "text-delta", part: "p", delta: "c" });
    await say(7, { type: "text-end", part: "p" });
    await say(8, { type: "step-end", step: "s", finish: "stop" });
    await say(9, { type: "run-end", outcome: "done" });
    const texts = (frames: readonly Frame[]) =>
      frames.map(({ data }) => (data.startsWith("{") && (JSON.parse(data) as { delta?: string }).delta) || "").join("");
    expect(texts(await live)).toBe("abc");
    expect(texts(await resumed)).toBe("bc");
    expect(texts(await leaving)).toBe("abc");
  });

  test.each([true, false])(
    "a cut between two frames of an entry that is still held (others watch: %s)",
    async (watched) => {
      const log = memory();
      const { url } = await serve(textSource([]), { log, dialects: [native, spans] });
      const at = Date.now();
      const say = (seq: number, event: Event) => log.append("within", [{ seq, at, event }]);
      await say(1, { type: "run-start", protocol: 1, run: "within", name: "test" });
      await say(2, { type: "step-start", step: "s" });
      await say(3, { type: "text-start", part: "p" });
      await say(4, { type: "text-delta", part: "p", delta: "a" });
      const others = watched ? follow(url, "within", never) : undefined;
      const seen: Frame[] = [];
      const response = await fetch(`${url}/runs/within/events?dialect=spans`, { headers: { "last-event-id": "3.1" } });
      const reader = createFrameReader((frame) => seen.push(frame));
      const watching = (async () => {
        for await (const bytes of response.body ?? []) reader.push(bytes);
      })();
      await until(() => seen.length > 0);
      await say(5, { type: "text-end", part: "p" });
      await say(6, { type: "step-end", step: "s", finish: "stop" });
      await say(7, { type: "run-end", outcome: "done" });
      await watching;
      const expected = replayOf(await entriesOf(log, "within"));
      expect(plain(seen)).toEqual(expected.slice(7));
      if (others) expect(plain(await others)).toEqual(expected);
    },
  );

  test("the cost of an entry does not depend on the entries before it, for live viewers and those that catch up", async () => {
    const readsOf = async (words: number): Promise<number> => {
      let entriesRead = 0;
      const kept = memory();
      const log: Log = {
        ...kept,
        read: (run, after, limit) => {
          const entries = kept.read(run, after, limit) as readonly Entry[];
          entriesRead += entries.length;
          return entries;
        },
      };
      const { url } = await serve(
        textSource(
          Array.from({ length: words }, () => "word "),
          (index) => index % 100 === 0 && sleep(1),
        ),
        { log, dialects: [native, spans] },
      );
      const run = await start(url);
      await follow(url, run, never);
      await follow(url, run, never);
      return entriesRead / words;
    };
    const few = await readsOf(1000);
    const many = await readsOf(16_000);
    expect(few).toBeLessThan(6);
    expect(many).toBeLessThan(6);
  });
});
