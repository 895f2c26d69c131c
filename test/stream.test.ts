import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import type { Dialect, Frame } from "../src/dialect.ts";
import { native } from "../src/dialects/native.ts";
import { openWebui } from "../src/dialects/open-webui.ts";
import type { Content, Entry, Event } from "../src/events.ts";
import type { Log } from "../src/log.ts";
import { memory } from "../src/logs/memory.ts";
import { createAudience } from "../src/server/audience.ts";
import { createMetrics } from "../src/server/metrics.ts";
import type { Source } from "../src/source.ts";
import { createFrameReader } from "../src/sse.ts";
import { createState, fold, snapshot } from "../src/state.ts";
import { ended, eventsOf, framesOf, onStop, post, textSource, serve, silent, start, until, wire } from "./serving.ts";

const WORDS = Array.from({ length: 40 }, (_, index) => `wörd ${index}\n`);
const { stateless: _, encodeText: __, ...rest } = native;

/** Emits the number of earlier entries, and deltas as two frames, so no frame depends only on its entry. */
const counting: Dialect = {
  ...rest,
  name: "counting",
  encode: () => {
    let count = 0;
    return ({ seq, event }) => {
      count++;
      const last: Frame = { id: `${seq}`, event: "b", data: `${count} ${event.type}` };
      return event.type === "text-delta" ? [{ id: `${seq - 1}.1`, event: "a", data: event.delta }, last] : [last];
    };
  },
};

/** A log that responds asynchronously, like one on another machine. */
const distant = (): Log => {
  const log = memory();
  const read: Log["read"] = async (run, after, limit) => {
    await new Promise((resolve) => setImmediate(resolve));
    const entries = await log.read(run, after, limit);
    await new Promise((resolve) => setImmediate(resolve));
    return entries;
  };
  return { ...log, read };
};

const logs: readonly [string, () => Log][] = [
  ["a synchronous log", memory],
  ["an asynchronous log", distant],
];

describe.each(logs)("with %s", (_name, createLog) => {
  test("a finished run resumes at every entry, and responds with 204 at its end", async () => {
    const { url } = await serve(textSource(WORDS), { log: createLog() });
    const run = await start(url);
    const all = await ended(url, run);
    expect(all.at(-1)?.event).toBe("run-end");
    for (let after = 0; after < all.length; after++) {
      const response = await fetch(`${url}/runs/${run}/events`, { headers: { "last-event-id": `${after}` } });
      expect(await framesOf(response)).toEqual(all.slice(after));
    }
    // An id that no frame had does not cover what came after it.
    const beyond = await fetch(`${url}/runs/${run}/events`, { headers: { "last-event-id": "1.5" } });
    expect(await framesOf(beyond)).toEqual(all.slice(1));
    const end = await fetch(`${url}/runs/${run}/events?after=${all.length}`);
    expect(end.status).toBe(204);
    expect(end.headers.get("runcast-run")).toBe(run);
  });

  test("viewers that join a live run at any point see the same", async () => {
    const came: { readonly after: number; readonly frames: Promise<Frame[]> }[] = [];
    const steps: (() => void)[] = [];
    const { url } = await serve(
      textSource(WORDS, () => new Promise<void>((resolve) => steps.push(resolve))),
      { log: createLog() },
    );
    const run = await start(url);
    for (let word = 0; word < WORDS.length; word++) {
      await until(() => steps.length > word);
      const { seq } = (await (await fetch(`${url}/runs/${run}`)).json()) as { seq: number };
      const after = Math.min(word % 5, seq);
      came.push({ after, frames: fetch(`${url}/runs/${run}/events?after=${after}`).then(framesOf) });
      steps[word]?.();
    }
    const all = await ended(url, run);
    expect(all.filter(({ event }) => event === "text-delta").length).toBe(WORDS.length);
    for (const { after, frames } of came) expect(await frames).toEqual(all.slice(after));
  });

  test("a stateful dialect resumes at every frame", async () => {
    const { url } = await serve(textSource(WORDS.slice(0, 10)), { log: createLog(), dialects: [native, counting] });
    const run = await start(url);
    const follow = async (after: string) =>
      framesOf(await fetch(`${url}/runs/${run}/events?dialect=counting&after=${after}`));
    const all = await follow("0");
    expect(all.map(({ id }) => id)).toContain("4.1");
    for (const [index, { id }] of all.slice(0, -1).entries()) expect(await follow(id!)).toEqual(all.slice(index + 1));
  });
});

test("a snapshot replaces the entries before it, and the rest follows", async () => {
  const held = Promise.withResolvers<void>();
  const { url } = await serve(textSource(WORDS, (index) => (index === 20 ? held.promise : undefined)));
  const run = await start(url);
  await until(async () => ((await (await fetch(`${url}/runs/${run}`)).json()) as { seq: number }).seq === 23);
  const stream = await fetch(`${url}/runs/${run}/events?from=snapshot`);
  held.resolve();
  const [first, ...rest] = await framesOf(stream);
  const all = await ended(url, run);
  expect(first).toMatchObject({ id: "23", event: "snapshot" });
  expect(rest).toEqual(all.slice(23));
  const state = createState();
  for (const [index, event] of eventsOf(all.slice(0, 23)).entries())
    fold(state, { seq: index + 1, at: JSON.parse(all[index]!.data).at, event } as Entry);
  expect(JSON.parse(first!.data)).toEqual({ seq: 23, state: JSON.parse(JSON.stringify(snapshot(state))) });

  const after = await framesOf(await fetch(`${url}/runs/${run}/events?from=snapshot`));
  expect(after.map(({ event, id }) => [event, id])).toEqual([["snapshot", `${all.length}`]]);
  const { snapshot: ___, ...without } = counting;
  const other = await serve(textSource(["a"]), { dialects: [native, without] });
  const refused = await fetch(`${other.url}/runs/${await start(other.url)}/events?from=snapshot&dialect=counting`);
  expect(refused.status).toBe(400);
});

test("a dialect that needs whole results gets them from files stored alongside the log", async () => {
  const text = "long ".repeat(20_000);
  const value = { rows: Array.from({ length: 10_000 }, (_, index) => `row ${index}`) };
  const result: Source = async function* () {
    yield { type: "step-start", step: "s" };
    yield { type: "tool-start", call: "c", name: "t" };
    yield { type: "tool-input-end", call: "c", input: {} };
    yield { type: "step-end", step: "s", finish: "tools" };
    yield { type: "tool-execute", call: "c" };
    const content: Content[] = [
      { type: "text", text },
      { type: "json", value },
      { type: "text", text: "short" },
    ];
    yield { type: "tool-end", call: "c", outcome: "ok", content, value };
  };
  const whole: Dialect = { ...native, name: "whole", wholeBytes: 1_000_000 };
  const some: Dialect = { ...native, name: "some", wholeBytes: 1000 };
  const { url } = await serve(result, { dialects: [native, whole, some] });
  const run = await start(url);
  const all = await ended(url, run);
  const follow = async (query: string) => framesOf(await fetch(`${url}/runs/${run}/events?${query}`));
  const endOf = (frames: readonly Frame[]) => eventsOf(frames).find(({ type }) => type === "tool-end");
  expect(endOf(all)).toMatchObject({
    content: [{ type: "file" }, { type: "file" }, { text: "short" }, { type: "file" }],
  });
  expect(await follow("dialect=some")).toEqual(all);
  const content = [
    { type: "text", text },
    { type: "json", value },
    { type: "text", text: "short" },
  ];
  expect(endOf(await follow("dialect=whole"))).toMatchObject({ outcome: "ok", content, value });
  expect(await follow("dialect=whole&after=3")).toEqual((await follow("dialect=whole")).slice(3));
});

test("events that are ready together are sent together", async () => {
  const { port } = await serve(textSource(WORDS));
  const client = wire(port);
  const body = '{"message":"hi"}';
  client.send(
    `POST /runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  const text = await client.until((received) => received.endsWith("\r\n0\r\n\r\n"));
  expect(text.split("event: text-delta").length - 1).toBe(WORDS.length);
  expect(text.match(/\r\n[0-9a-f]+\r\n/g)!.length).toBeLessThan(WORDS.length / 4);
});

test("a viewer that does not read uses little memory, affects no one and gets everything in the end", async () => {
  const log = memory();
  const audience = createAudience({
    log,
    metrics: createMetrics(),
    waiting: () => ({ waiting: "agent", since: 0 }),
    onProblem: (error) => {
      throw error;
    },
  });
  const responses: http.ServerResponse[] = [];
  const server = http.createServer({ highWaterMark: 32 * 1024 }, (request, response) => {
    responses.push(response);
    const after = { seq: 0, frame: 0 };
    audience.follow({
      run: "r",
      dialect: native,
      options: { link: () => "" },
      linkBase: "",
      log,
      after,
      headers: {},
      response,
    });
  });
  onStop(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  const delta = "x".repeat(8000);
  await log.append("r", [{ seq: 1, at: 1, event: { type: "run-start", protocol: 1, run: "r", name: "a" } }]);
  const stalled = net.connect(port, "127.0.0.1");
  onStop(() => stalled.destroy());
  stalled.pause();
  stalled.write("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  await until(() => responses.length === 1);
  const reader = fetch(`http://127.0.0.1:${port}/`).then(framesOf);
  await until(() => responses.length === 2);

  // As much as the kernel buffers for a reader that does not read, plus the same amount, which a full socket must not buffer.
  let most = 0;
  let seq = 1;
  for (let more = 500; more > 0;) {
    seq++;
    await log.append("r", [{ seq, at: seq, event: { type: "text-delta", part: "p", delta } }]);
    if (seq % 16 === 0) await new Promise((resolve) => setImmediate(resolve));
    const { writableLength, writableNeedDrain } = responses[0]!.socket!;
    most = Math.max(most, writableLength);
    if (writableNeedDrain) more--;
  }
  seq++;
  await log.append("r", [{ seq, at: seq, event: { type: "run-end", outcome: "done" } }]);
  const frames = await reader;
  expect(frames.map(({ id }) => Number(id))).toEqual(Array.from({ length: seq }, (_, index) => index + 1));
  expect(responses[0]!.socket!.writableNeedDrain).toBe(true);
  expect(most).toBeLessThanOrEqual(64 * 1024);

  const pieces: Buffer[] = [];
  for await (const piece of stalled) pieces.push(piece as Buffer);
  const late: number[] = [];
  const reading = createFrameReader(({ id }) => late.push(Number(id)));
  reading.push(Buffer.from(unchunk(Buffer.concat(pieces).toString("latin1")), "latin1"));
  expect(late).toEqual(frames.map(({ id }) => Number(id)));
}, 60_000);

const error = { code: "overloaded", message: "too many requests" };
const call: Event = { type: "tool-start", call: "c", name: "wait" };
const stopped: readonly Event[] = [call, { type: "step-end", step: "s", finish: "tools" }];
const execute: Event = { type: "tool-execute", call: "c" };
const waits: readonly [waiting: string, emitted: readonly Event[]][] = [
  ["model", []],
  ["retry", [{ type: "step-retry", step: "s", attempt: 1, wait: 60_000, error }]],
  ["tool", [...stopped, execute]],
  ["you", [...stopped, execute, { type: "ask-start", ask: "a", kind: "confirmation", call: "c" }]],
  ["agent", [{ type: "step-end", step: "s", finish: "stop" }]],
];

test.each(waits)(
  "a silent run sends heartbeats that report what it waits for: %s; they are not entries",
  async (what, emitted) => {
    const beating: Dialect = { ...native, heartbeat: { ...native.heartbeat, everyMs: 5 } };
    const source: Source = async function* (_request, { signal }) {
      yield { type: "step-start", step: "s" };
      yield* emitted;
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    };
    const { url } = await serve(source, { dialects: [beating] });
    const run = await start(url);
    const stream = await fetch(`${url}/runs/${run}/events`);
    const beats: Frame[] = [];
    const seen: Frame[] = [];
    const reader = createFrameReader((frame) => {
      if (frame.event !== "heartbeat") seen.push(frame);
      else if (seen.length === 2 + emitted.length) beats.push(frame);
    });
    for await (const bytes of stream.body!) {
      reader.push(bytes);
      if (beats.length >= 3) break;
    }
    expect(seen.map(({ event }) => event)).toEqual(["run-start", "step-start", ...emitted.map(({ type }) => type)]);
    for (const { id, data } of beats) {
      expect(id).toBeUndefined();
      expect(JSON.parse(data)).toEqual({ waiting: what, since: expect.any(Number) });
    }
  },
);

test("closing the connection stops a run only if its dialect specifies that and no one else follows the run in it", async () => {
  const closing: Dialect = { ...native, disconnect: "cancel" };
  const log = memory();
  const soon = { timeout: 10_000 };
  const stops = (run: string) =>
    expect.poll(() => (log.info(run) as { outcome?: string }).outcome, { ...soon, message: `${run} is not stopped` });
  const viewersOf = (served: string) =>
    expect.poll(async () => /^runcast_viewers (\d+)$/m.exec(await (await fetch(`${served}/metrics`)).text())?.[1], {
      ...soon,
      message: "a viewer that left is not released",
    });
  const { url, server } = await serve(silent, { dialects: [closing], log });
  const begin = async (run: string) => post(`${url}/runs`, { message: "hi", run });
  await (await begin("alone")).body?.cancel();
  await stops("alone").toBe("cancelled");

  const starter = await begin("followed");
  const follower = await fetch(`${url}/runs/followed/events`);
  await starter.body?.cancel();
  await viewersOf(url).toBe("1");
  expect(server.runner.active).toBe(1);
  await follower.body?.cancel();

  // The page shows a run without being its client. If it counted, Stop in Open WebUI would do nothing next to a live view.
  const shown = await serve(silent, { dialects: [native, openWebui], log });
  const asked = { model: "test", stream: true, messages: [{ role: "user", content: "hi" }] };
  const stopped = await post(`${shown.url}/open-webui/v1/chat/completions`, asked);
  const run = stopped.headers.get("runcast-run")!;
  const page = await fetch(`${shown.url}/runs/${run}/events`);
  await stopped.body?.cancel();
  await stops(run).toBe("cancelled");
  await page.body?.cancel();

  const other = await serve(silent);
  await (await post(`${other.url}/runs`, { message: "hi", run: "kept" })).body?.cancel();
  await viewersOf(other.url).toBe("0");
  expect(other.server.runner.active).toBe(1);
});

test.each(logs)("closing the server ends every stream with the end of its run, with %s", async (_name, createLog) => {
  const { url, server } = await serve(silent, { log: createLog() });
  const streams = await Promise.all(["a", "b"].map((run) => post(`${url}/runs`, { message: "hi", run })));
  const frames = streams.map(framesOf);
  await server.close();
  for (const all of frames)
    expect(eventsOf(await all).at(-1)).toMatchObject({ type: "run-end", outcome: "interrupted" });
  await expect(fetch(`${url}/health`)).rejects.toThrow();
});

test("closing a server that is already closing waits for it", async () => {
  const { url, server } = await serve(silent);
  const run = await start(url);
  void server.close();
  await server.close();
  expect(server.runner.active).toBe(0);
  expect(await server.runner.cancel(run)).toBe("ended");
});

describe("on the wire", () => {
  test("HTTP/1.0 has no chunks and gets the same frames", async () => {
    const { url, port } = await serve(textSource(WORDS));
    const run = await start(url);
    const all = await ended(url, run);
    const client = wire(port);
    client.send(`GET /runs/${run}/events HTTP/1.0\r\nHost: localhost\r\n\r\n`);
    const [head = "", body = ""] = (await client.until((_received, closed) => closed)).split(/\r\n\r\n([^]*)/);
    expect(head).not.toMatch(/transfer-encoding/i);
    const frames: Frame[] = [];
    createFrameReader((frame) => frames.push(frame)).push(Buffer.from(body, "latin1"));
    expect(frames).toEqual(all);
  });

  test("pipelined requests get complete responses in order", async () => {
    const { url, port } = await serve(textSource(WORDS, () => new Promise((resolve) => setTimeout(resolve, 1))));
    const finished = await start(url);
    const all = await ended(url, finished);
    const client = wire(port);
    const follow = (run: string) => `GET /runs/${run}/events HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    const living = await start(url);
    client.send(
      follow(living) + follow(finished) + `GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );
    const text = await client.until((_received, closed) => closed);
    expect(text.match(/HTTP\/1.1 200 OK/g)?.length).toBe(3);
    expect([...text.matchAll(/Runcast-Run: (\S+)/g)].map(([, run]) => run)).toEqual([living, finished]);
    expect(text.match(/event: run-end/g)?.length).toBe(2);
    expect(text.match(/event: text-delta/g)?.length).toBe(2 * (all.length - 6));
  });

  test("HEAD returns only the headers", async () => {
    const { url } = await serve(textSource(WORDS));
    const run = await start(url);
    await ended(url, run);
    const response = await fetch(`${url}/runs/${run}/events`, { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    expect(await response.text()).toBe("");
  });
});

/** The body of a chunked response. */
const unchunk = (answer: string): string => {
  const pieces: string[] = [];
  let at = answer.indexOf("\r\n\r\n") + 4;
  for (;;) {
    const line = answer.indexOf("\r\n", at);
    const length = Number.parseInt(answer.slice(at, line), 16);
    if (!(length > 0)) return pieces.join("");
    pieces.push(answer.slice(line + 2, line + 2 + length));
    at = line + 2 + length + 2;
  }
};
