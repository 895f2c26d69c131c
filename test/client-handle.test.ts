import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type ClientOptions, createClient } from "../src/client.ts";
import type { Entry, Event } from "../src/events.ts";
import { type Answering, frame, hangs, refuses, startScriptedServer, streams } from "./scripted-server.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const setUp = async (script: readonly Answering[], options: Partial<ClientOptions> = {}) => {
  const server = await startScriptedServer(...script);
  closers.push(server.close);
  return { server, client: createClient({ url: server.url, backoff: () => 0, ...options }) };
};

const START: Event = { type: "run-start", protocol: 1, run: "r", name: "test" };
const END: Event = { type: "run-end", outcome: "done" };
const status = (text: string): Event => ({ type: "status", text });

/** A run with this many entries. */
const long = (length: number): string[] =>
  Array.from({ length }, (_, index) =>
    frame(index + 1, index === 0 ? START : index === length - 1 ? END : status(`${index}`)),
  );

const until = (condition: () => boolean) =>
  vi.waitFor(() => expect(condition()).toBe(true), { timeout: 20_000, interval: 1 });

test("a stream is read at the pace of its viewer, without loss", async () => {
  let paces = 0;
  const waiting: (() => void)[] = [];
  const pace = () => {
    paces++;
    return new Promise<void>((resolve) => void waiting.push(resolve));
  };
  const { client } = await setUp([hangs(...long(3).slice(0, 2)), streams(...long(3).slice(2))], { pace });
  const handle = client.follow("r");
  await until(() => paces === 1);
  expect(handle.state.seq).toBe(2);
  handle.close();
  waiting[0]!();
  const other = client.follow("r", { after: 2 });
  await until(() => other.state.seq === 3);
  expect((await other.finished).outcome).toBe("done");
});

test("everything that arrives while the viewer draws is delivered at once", async () => {
  const waiting: (() => void)[] = [];
  const pace = () => new Promise<void>((resolve) => void waiting.push(resolve));
  // As in a browser: each read returns one packet, however many have arrived.
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  const packets = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) });
  const send = (texts: readonly string[]) => {
    for (const text of texts) controller.enqueue(new TextEncoder().encode(text));
  };
  const response = new Response(packets, { headers: { "content-type": "text/event-stream" } });
  const client = createClient({ url: "http://127.0.0.1:1", pace, fetch: async () => response });
  const handle = client.follow("r");
  send(long(100).slice(0, 10));
  await until(() => waiting.length === 1);
  send(long(100).slice(10));
  expect(handle.state.seq).toBe(10);
  waiting[0]!();
  await until(() => waiting.length === 2 || handle.state.seq === 100);
  expect(handle.state.seq).toBe(100);
});

test("packets that arrive while the viewer draws do not wake a slow stream's reader", async () => {
  const waiting: (() => void)[] = [];
  const pace = () => new Promise<void>((resolve) => void waiting.push(resolve));
  let arrived = "";
  let onArrival = () => {};
  let reads = 0;
  // As in a browser: a read returns what has arrived, or waits for the next packet.
  const packets = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        reads++;
        while (arrived === "") await new Promise<void>((resolve) => (onArrival = resolve));
        controller.enqueue(new TextEncoder().encode(arrived));
        arrived = "";
      },
    },
    { highWaterMark: 0 },
  );
  const response = new Response(packets, { headers: { "content-type": "text/event-stream" } });
  const client = createClient({ url: "http://127.0.0.1:1", pace, fetch: async () => response });
  const handle = client.follow("r");
  for (const [index, text] of long(100).slice(0, 90).entries()) {
    arrived += text;
    // Long enough for a read that waits for it to count as such.
    await wait(5);
    onArrival();
    if (index === 0) await until(() => waiting.length === 1);
  }
  expect(handle.state.seq).toBe(1);
  expect(reads).toBe(2);
  waiting[0]!();
  await until(() => waiting.length === 2);
  expect(handle.state.seq).toBe(90);
  handle.close();
});

test("a run of a later protocol fails with a clear error instead of being shown incompletely", async () => {
  const { client, server } = await setUp([streams(frame(1, { ...START, protocol: 3 } as Event))]);
  const handle = client.follow("r");
  await expect(handle.finished).rejects.toMatchObject({
    code: "protocol",
    message: "this log uses protocol 3; this version of Runcast reads up to 2",
    hint: "update Runcast",
  });
  expect(handle.connection).toMatchObject({ status: "failed", problem: { code: "protocol" } });
  expect(server.requests[0]!.headers["runcast-protocol"]).toBe("2");
});

describe("entries", () => {
  test("arrive once, in order, at every reader, and end after run-end", async () => {
    const frames = long(300);
    const { client } = await setUp([streams(...frames.slice(0, 100)), streams(...frames.slice(50))]);
    const handle = client.follow("r");
    const read = async (entries: AsyncIterable<Entry>) => {
      const seqs: number[] = [];
      for await (const { seq } of entries) seqs.push(seq);
      return seqs;
    };
    const all = Array.from({ length: 300 }, (_, index) => index + 1);
    expect(await Promise.all([read(handle.entries()), read(handle.entries())])).toEqual([all, all]);
  });

  test("are held back by a slow reader, but not by one that has left", async () => {
    const length = 40_000;
    const { client } = await setUp([streams(...long(length))]);
    const handle = client.follow("r");
    const slow = handle.entries();
    const left = handle.entries();
    await left.return!();
    await until(() => handle.state.seq >= 1024);
    let seq = 0;
    while (seq < 500) seq = (await slow.next()).value!.seq;
    expect(handle.state.seq).toBeLessThan(length);
    for await (const entry of slow) expect(entry.seq).toBe(++seq);
    expect(seq).toBe(length);
  });

  test("concurrent calls of next get different entries", async () => {
    const { client } = await setUp([streams(...long(3))]);
    const entries = client.follow("r").entries();
    const results = await Promise.all([entries.next(), entries.next(), entries.next(), entries.next()]);
    expect(results.map(({ value }) => value?.seq)).toEqual([1, 2, 3, undefined]);
  });

  test("end with the error of the handle, after all entries that arrived", async () => {
    const { client } = await setUp([streams(...long(9).slice(0, 2)), refuses(410, { code: "gone", message: "gone" })]);
    const entries = client.follow("r").entries();
    expect((await entries.next()).value).toMatchObject({ seq: 1 });
    expect((await entries.next()).value).toMatchObject({ seq: 2 });
    await expect(entries.next()).rejects.toMatchObject({ code: "gone", status: 410 });
  });
});

describe("a handle", () => {
  test("sends no more requests and no cancel after it is closed", async () => {
    const { server, client } = await setUp([hangs(...long(9).slice(0, 2))]);
    const handle = client.follow("r");
    const entries = handle.entries();
    await until(() => handle.state.seq === 2);
    handle.close();
    expect(handle.connection).toEqual({ status: "closed" });
    await expect(handle.finished).rejects.toMatchObject({ code: "closed" });
    expect((await entries.next()).value).toMatchObject({ seq: 1 });
    expect((await entries.next()).value).toMatchObject({ seq: 2 });
    expect(await entries.next()).toEqual({ value: undefined, done: true });
    expect(server.requests.map(({ url }) => url)).toEqual(["/runs/r/events"]);
  });

  test("closes with its signal, even while it waits", async () => {
    const { client } = await setUp([refuses(503, "")], { backoff: () => 3_600_000 });
    const controller = new AbortController();
    const handle = client.follow("r", { signal: controller.signal });
    await until(() => handle.connection.status === "reconnecting");
    controller.abort();
    expect(handle.connection.status).toBe("closed");
    expect(client.follow("r", { signal: controller.signal }).connection.status).toBe("closed");
  });

  test("retries immediately when it is woken, unless the server requested a delay", async () => {
    const wakes = new Set<() => void>();
    let asked = 0;
    const options = {
      // Counts when a request is made, not when it reaches the server.
      fetch: ((...request) => {
        asked++;
        return fetch(...request);
      }) as typeof fetch,
      backoff: () => 3_600_000,
      wakes: (wake: () => void) => {
        wakes.add(wake);
        return () => void wakes.delete(wake);
      },
    };
    const busy = refuses(503, "", { "retry-after": "3600" });
    const { server, client } = await setUp([refuses(503, ""), streams(...long(9).slice(0, 5)), busy], options);
    const handle = client.follow("r");
    closers.push(handle.close);
    let cuts = 0;
    handle.subscribe((connection) => (cuts += connection.status === "reconnecting" ? 1 : 0));
    for (const expected of [1, 2]) {
      await until(() => cuts === expected);
      for (const wake of wakes) wake();
    }
    await until(() => cuts === 3);
    expect(handle.state.seq).toBe(5);
    for (const wake of wakes) wake();
    await new Promise((resolve) => setImmediate(resolve));
    expect([asked, server.requests.length]).toEqual([3, 3]);
    handle.close();
    expect(wakes.size).toBe(0);
  });

  test("detects a dead connection as soon as it is woken", async () => {
    const wakes: (() => void)[] = [];
    const answer: Answering = (response, request) =>
      (request.headers["last-event-id"] ? streams(...long(9).slice(2)) : hangs(...long(9).slice(0, 2)))(
        response,
        request,
      );
    const { client } = await setUp([answer], { wakes: (wake) => (wakes.push(wake), () => {}) });
    const handle = client.follow("r");
    await until(() => handle.state.seq === 2);
    const now = Date.now();
    const clock = vi.spyOn(Date, "now").mockImplementation(() => now + 60_000);
    for (const wake of wakes) wake();
    clock.mockRestore();
    expect((await handle.finished).seq).toBe(9);
  });

  test("fails and reports the error if its reader throws", async () => {
    const { server, client } = await setUp([hangs(...long(9).slice(0, 5))]);
    const thrown = new Error("a bug of mine");
    const onEntry = ({ seq }: Entry) => {
      if (seq === 3) throw thrown;
    };
    const handle = client.follow("r", { onEntry });
    await expect(handle.finished).rejects.toMatchObject({ code: "reader-failed", cause: thrown });
    expect(handle.connection).toMatchObject({ status: "failed", problem: { code: "reader-failed" } });
    expect(server.requests.length).toBe(1);
  });
});

describe("requests", () => {
  test("are retried only if that can help", async () => {
    const cut: Answering = (response) => void response.destroy();
    const done: Answering = (response) => response.writeHead(200).end('{"status":"cancelled"}');
    const { server, client } = await setUp([cut, refuses(503, ""), done, refuses(409, { code: "no", message: "no" })]);
    expect(await client.cancel("r", { call: "c" })).toBe("cancelled");
    expect(server.requests.map(({ url, body }) => [url, body])).toEqual(
      Array.from({ length: 3 }, () => ["/runs/r/cancel", '{"call":"c"}']),
    );
    await expect(client.answer("r", "a b", { allow: true })).rejects.toMatchObject({ code: "no", status: 409 });
    expect(server.requests[3]).toMatchObject({ url: "/runs/r/asks/a%20b", body: '{"allow":true}' });
  });

  test.each<[string, Partial<ClientOptions>]>([
    ["a key that is invalid in a header", { key: "hush\u0001" }],
    ["a key with non-ASCII characters", { key: "ключ" }],
    ["an address without http://", { url: "localhost:4400" }],
    ["a relative path without a page", { url: "" }],
  ])("%s is reported immediately, without the key, and not retried", async (_, options) => {
    const backoff = vi.fn(() => 0);
    const { server, client } = await setUp([], { ...options, backoff });
    const handle = client.start({ message: "x" });
    const unsendable = { code: "unsendable", message: expect.not.stringMatching(/hush|ключ/) };
    await expect(handle.finished).rejects.toMatchObject(unsendable);
    await expect(client.list()).rejects.toMatchObject(unsendable);
    expect(backoff).not.toHaveBeenCalled();
    expect(server.requests).toEqual([]);
  });

  test("end with their signal", async () => {
    const { client } = await setUp([refuses(503, "")], { backoff: () => 3_600_000 });
    const controller = new AbortController();
    const listed = client.list({}, { signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(listed).rejects.toThrow("enough");
  });
});
