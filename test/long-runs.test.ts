import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { native } from "../src/dialects/native.ts";
import { openaiChat } from "../src/dialects/openai-chat.ts";
import { openaiResponses } from "../src/dialects/openai-responses.ts";
import type { Entry, Event } from "../src/events.ts";
import type { Log } from "../src/log.ts";
import { memory } from "../src/logs/memory.ts";
import { jsonPieces } from "../src/server/json-pieces.ts";
import { createState, fold, snapshot } from "../src/state.ts";
import { post, refusal, textSource, serve } from "./serving.ts";

const CALLS = 4000;
const DELTAS = 10_000;

/** All kinds of content of a long run: text, calls with results, and an end. */
function* events(): Generator<Event> {
  yield { type: "run-start", protocol: 2, run: "long", name: "test", message: { role: "user", content: [] } };
  yield { type: "step-start", step: "s" };
  yield { type: "text-start", part: "p" };
  for (let index = 0; index < DELTAS; index += 1) yield { type: "text-delta", part: "p", delta: `word ${index} ` };
  yield { type: "text-end", part: "p" };
  for (let index = 0; index < CALLS; index += 1) {
    const call = `c${index}`;
    yield { type: "tool-start", call, name: "look" };
    yield { type: "tool-input-end", call, input: { index } };
    yield { type: "tool-execute", call };
    yield { type: "tool-end", call, outcome: "ok", content: [{ type: "text", text: "x".repeat(200) }] };
  }
  yield { type: "step-end", step: "s", finish: "stop" };
  yield { type: "run-end", outcome: "done" };
}
const entries: Entry[] = [...events()].map((event, index) => ({ seq: index + 1, at: 1000 + index, event }));

/** A log that measures the most entries read in one turn of the event loop, which is how long everything else waits. */
const measured = () => {
  const inner = memory();
  let inTurn = 0;
  let most = 0;
  let isMeasuring = false;
  const tick = () => {
    inTurn = 0;
    if (isMeasuring) setImmediate(tick);
  };
  const log: Log = {
    ...inner,
    read: (run, after, limit) => {
      const read = inner.read(run, after, limit) as readonly Entry[];
      inTurn += read.length;
      most = Math.max(most, inTurn);
      return read;
    },
  };
  const during = async <Value>(work: () => Promise<Value>): Promise<{ value: Value; most: number }> => {
    most = 0;
    isMeasuring = true;
    tick();
    const value = await work();
    isMeasuring = false;
    return { value, most };
  };
  return { log, during };
};

describe("a run of 26,000 entries", () => {
  const { log, during } = measured();
  const expected = createState();
  beforeAll(async () => {
    for (let at = 0; at < entries.length; at += 5000) await log.append("long", entries.slice(at, at + 5000));
    for (const entry of entries) fold(expected, entry);
  });
  const options = { log, dialects: [native, openaiChat, openaiResponses] };

  test("its state is sent without blocking other requests", async () => {
    const { url } = await serve(textSource([]), options);
    const { value, most } = await during(async () => (await fetch(`${url}/runs/long`)).json());
    expect(value).toEqual({ run: "long", seq: entries.length, state: snapshot(expected) });
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(1024);
  });

  test.each([
    ["its log", "/runs/long/export.jsonl"],
    ["its events", "/runs/long/events"],
    ["its events from a snapshot, which is too large", "/runs/long/events?from=snapshot"],
  ])("%s too", async (_, path) => {
    const { url } = await serve(textSource([]), options);
    const { value, most } = await during(async () => (await fetch(url + path)).text());
    expect(value.split("\n").length).toBeGreaterThanOrEqual(entries.length);
    expect(value).not.toContain("event: snapshot");
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(2048);
  });

  test("so is a run that continues from it", async () => {
    const { url } = await serve(textSource(["ok"]), options);
    const body = { model: "test", input: "more", previous_response_id: "resp_long" };
    const { value, most } = await during(async () => await post(`${url}/v1/responses`, body));
    expect(value.status).toBe(200);
    await value.text();
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(1024);
  });
});

test("many concurrent requests are served a few at a time", async () => {
  const { log, during } = measured();
  for (let at = 0; at < entries.length; at += 5000) await log.append("long", entries.slice(at, at + 5000));
  const { url } = await serve(textSource([]), { log });
  const { value, most } = await during(() =>
    Promise.all(Array.from({ length: 6 }, async () => (await fetch(`${url}/runs/long`)).text())),
  );
  expect(new Set(value.map(({ length }) => length)).size).toBe(1);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(1024);
}, 60_000);

test("a whole answer that is too long to build in one go is refused", async () => {
  const words = Array.from({ length: 300 }, () => "x".repeat(32 * 1024));
  const { url } = await serve(textSource(words), { dialects: [native, openaiChat] });
  const body = { model: "test", messages: [{ role: "user", content: "hi" }] };
  expect((await post(`${url}/v1/chat/completions`, body)).status).toBe(413);
  expect((await refusal(await fetch(`${url}/runs/none`))).status).toBe(404);
});

describe("JSON in pieces", () => {
  test("equals the output of JSON.stringify", () => {
    const value = fc.anything({ withNullPrototype: false, withDate: false, withBigInt: false, maxDepth: 6 });
    fc.assert(
      fc.property(value, (some) => {
        const plain = typeof some === "function" || typeof some === "symbol" || some === undefined ? null : some;
        expect([...jsonPieces(plain)].join("")).toBe(JSON.stringify(plain));
      }),
    );
  });

  test("consists of small pieces, even for a long text or list", () => {
    const value = { text: "🙂\n".repeat(100_000), list: Array.from({ length: 50_000 }, (_, index) => ({ index })) };
    const pieces = [...jsonPieces(value)];
    expect(JSON.parse(pieces.join(""))).toEqual(value);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(256 * 1024);
    expect(pieces.length).toBeGreaterThan(15);
  });
});
