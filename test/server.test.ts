import { describe, expect, test } from "vitest";
import { native } from "../src/dialects/native.ts";
import type { Event } from "../src/events.ts";
import type { Log } from "../src/log.ts";
import { memory } from "../src/logs/memory.ts";
import { Refusal, type Source } from "../src/source.ts";
import { ended, eventsOf, framesOf, post, refusal, textSource, serve, silent, start, wire } from "./serving.ts";

describe("the surface", () => {
  test("starts a run and streams it", async () => {
    const { url } = await serve(textSource(["a", "b"]));
    const response = await post(`${url}/runs`, { message: "hi", run: "mine" });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-cache");
    expect(response.headers.get("x-accel-buffering")).toBe("no");
    expect(response.headers.get("runcast-run")).toBe("mine");
    const frames = await framesOf(response);
    expect(frames.map(({ id }) => Number(id))).toEqual(frames.map((_, index) => index + 1));
    expect(frames.map(({ event }) => event).slice(0, 3)).toEqual(["run-start", "step-start", "text-start"]);
    expect(frames.at(-1)?.event).toBe("run-end");
  });

  test("returns only the run's id to a client that accepts JSON, and posting that id again follows the run", async () => {
    const { url } = await serve(textSource(["a"]));
    const response = await post(`${url}/runs`, { message: "hi", run: "r1" }, { accept: "application/json" });
    expect(response.status).toBe(202);
    expect(await response.json()).toEqual({ run: "r1", started: true, events: "/runs/r1/events" });
    const again = await framesOf(await post(`${url}/runs`, { message: "another", run: "r1" }));
    expect(again).toEqual(await ended(url, "r1"));
  });

  test("returns the state of a run, the list of runs and a run's log", async () => {
    const { url } = await serve(textSource(["a", "b"]));
    for (const run of ["r1", "r2", "r3"]) {
      await start(url, { run, thread: run === "r2" ? "t" : "u" });
      await ended(url, run);
    }
    const { seq, state } = (await (await fetch(`${url}/runs/r1`)).json()) as {
      seq: number;
      state: { outcome: string };
    };
    expect(state.outcome).toBe("done");
    expect((await ended(url, "r1")).length).toBe(seq);

    const page = async (query: string) =>
      (await (await fetch(`${url}/runs?${query}`)).json()) as { runs: { run: string }[]; next?: string };
    const first = await page("limit=2");
    expect(first.runs.map(({ run }) => run)).toEqual(["r3", "r2"]);
    expect(first.next).toBe("r2");
    const second = await page(`limit=2&before=${first.next}`);
    expect(second.runs.map(({ run }) => run)).toEqual(["r1"]);
    expect(second.next).toBeUndefined();
    expect((await page("thread=t")).runs.map(({ run }) => run)).toEqual(["r2"]);
    expect((await page("open=1")).runs).toEqual([]);
    expect((await fetch(`${url}/runs?limit=0`)).status).toBe(400);

    const lines = (await (await fetch(`${url}/runs/r1/export.jsonl`)).text()).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).event)).toEqual(eventsOf(await ended(url, "r1")));
  });

  test("serves a file whole and in parts, and only as a download", async () => {
    const source: Source = async function* (_, { put }) {
      const { file } = await put("<script>0123456789</script>", { mediaType: "text/html", name: "naïve.html" });
      yield { type: "file", file, name: "naïve.html" };
    };
    const { url } = await serve(source);
    const run = await start(url);
    const event = eventsOf(await ended(url, run)).find(({ type }) => type === "file") as { file: string };
    const at = `${url}/runs/${run}/files/${event.file}`;
    const whole = await fetch(at);
    expect(await whole.text()).toBe("<script>0123456789</script>");
    expect(whole.headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''na%C3%AFve.html");
    expect(whole.headers.get("x-content-type-options")).toBe("nosniff");
    expect(whole.headers.get("content-security-policy")).toContain("sandbox");
    for (const [range, status, text, contentRange] of [
      ["bytes=8-11", 206, "0123", "bytes 8-11/27"],
      ["bytes=18-", 206, "</script>", "bytes 18-26/27"],
      ["bytes=-9", 206, "</script>", "bytes 18-26/27"],
      ["bytes=20-999", 206, "cript>".slice(-7), "bytes 20-26/27"],
      ["bytes=0-1,3-4", 200, "<script>0123456789</script>", null],
      ["lines=1-2", 200, "<script>0123456789</script>", null],
    ] as const) {
      const part = await fetch(at, { headers: { range } });
      expect(part.status).toBe(status);
      expect(part.headers.get("content-range")).toBe(contentRange);
      expect(await part.text()).toBe(range === "bytes=20-999" ? "script>" : text);
    }
    const outside = await fetch(at, { headers: { range: "bytes=27-" } });
    expect(outside.headers.get("content-range")).toBe("bytes */27");
    expect(await refusal(outside)).toMatchObject({ status: 416, code: "bad-range" });
    expect((await fetch(at, { method: "HEAD" })).headers.get("content-length")).toBe("27");
    expect(await refusal(await fetch(`${url}/runs/${run}/files/nope`))).toMatchObject({
      status: 404,
      code: "unknown-file",
    });
  });

  test("a file that cannot be read to its end is cut off, not ended, and the operator gets the reason", async () => {
    const inner = memory();
    const gone = () => Promise.reject(new Error("the disk is gone"));
    const log: Log = {
      ...inner,
      read: (run, after, limit) => (after < 100 ? inner.read(run, after, Math.min(limit, 60)) : gone()),
      get: async (run, file, range) => {
        const stored = await inner.get(run, file, range);
        return (
          stored && {
            ...stored,
            bytes: (async function* () {
              yield new Uint8Array(2);
              await gone();
            })(),
          }
        );
      },
    };
    const problems: unknown[] = [];
    const { url } = await serve(silent, { log, onProblem: (problem) => problems.push(problem) });
    const { file } = await inner.put("r", Buffer.from("hello"), { mediaType: "text/plain" });
    const notice: Event = { type: "notice", level: "info", text: "" };
    await inner.append(
      "r",
      Array.from({ length: 200 }, (_, index) => ({ seq: index + 1, at: 0, event: notice })),
    );
    for (const path of ["/runs/r/export.jsonl", `/runs/r/files/${file}`]) {
      await expect(fetch(`${url}${path}`).then((response) => response.text())).rejects.toThrow();
      expect(problems.splice(0)).toMatchObject([{ path, error: { message: "the disk is gone" } }]);
    }
  });

  test("serves a file whose name was cut within a character", async () => {
    const log = memory();
    const { url } = await serve(silent, { log });
    const run = await start(url);
    const { file } = await log.put(run, Buffer.from("x"), { mediaType: "text/plain", name: "\ud83d.txt" });
    const response = await fetch(`${url}/runs/${run}/files/${file}`);
    expect(response.headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''%EF%BF%BD.txt");
  });

  test("cancels and answers report the actual result", async () => {
    const source: Source = async function* (_, { answerTo }) {
      yield { type: "ask-start", ask: "q", kind: "input" };
      const { answer } = await answerTo("q");
      yield { type: "data", name: "got", value: answer?.value ?? null };
      await new Promise(() => {});
    };
    const { url } = await serve(source);
    const run = await start(url);
    const asks = `${url}/runs/${run}/asks`;
    expect(await refusal(await post(`${asks}/unknown`, { value: 1 }))).toMatchObject({
      status: 404,
      code: "unknown-ask",
    });
    expect(await refusal(await post(`${asks}/q`, { allow: "yes" }))).toMatchObject({
      status: 400,
      code: "bad-request",
    });
    expect(await (await post(`${asks}/q`, { value: 1 })).json()).toEqual({ status: "accepted" });
    expect(await (await post(`${asks}/q`, { value: 1 })).json()).toEqual({ status: "same" });
    expect(await refusal(await post(`${asks}/q`, { value: 2 }))).toMatchObject({ status: 409, code: "ask-conflict" });
    expect(await (await fetch(`${url}/runs/${run}/cancel`, { method: "POST" })).json()).toEqual({
      status: "cancelled",
    });
    expect(await (await post(`${url}/runs/${run}/cancel`, {})).json()).toEqual({ status: "ended" });
    const events = eventsOf(await ended(url, run));
    expect(events).toContainEqual({ type: "data", name: "got", value: 1 });
    expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: "cancelled" });
  });

  test("its description matches its behavior", async () => {
    const { url } = await serve(textSource(["a"]), {
      page: async ({ url: asked }) => (asked.endsWith("/") ? new Response("<title>page</title>") : undefined),
      version: "1.2.3",
    });
    await ended(url, await start(url));
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, unknown>>;
    };
    for (const { method, path } of native.routes)
      expect(document.paths[path.replace(/:(\w+)/g, "{$1}")]).toHaveProperty(method.toLowerCase());
    for (const [path, operations] of Object.entries(document.paths)) {
      const response = await fetch(url + path.replace(/\{\w+\}/g, "none"), { method: "PATCH" });
      const allowed = new Set(response.headers.get("allow")?.split(", "));
      allowed.delete("HEAD");
      expect(new Set(Object.keys(operations).map((method) => method.toUpperCase()))).toEqual(allowed);
    }
    expect(await (await fetch(`${url}/schema/events.json`)).json()).toHaveProperty("$id");
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: "ok", version: "1.2.3" });
    expect((await fetch(`${url}/ready`)).status).toBe(200);
    expect(await (await fetch(url)).text()).toBe("<title>page</title>");
    expect((await fetch(`${url}/assets/none.js`)).status).toBe(404);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toMatch(/^runcast_runs_ended_total\{outcome="done"\} 1$/m);
    expect(metrics).toMatch(/^runcast_events_stored_total [1-9]\d*$/m);
    expect(metrics).toMatch(/^runcast_runs_active 0$/m);
  });
});

describe("refusals", () => {
  test("a body that is not JSON, invalid or too large", async () => {
    const { url, port } = await serve(silent, { limits: { bodyBytes: 1000, filesBytes: 1 } });
    const send = (body: string, type = "application/json") =>
      fetch(`${url}/runs`, { method: "POST", headers: { "content-type": type }, body });
    expect(await refusal(await send('{"message":"x"}', "text/plain"))).toMatchObject({
      status: 415,
      code: "content-type",
    });
    expect(await refusal(await send("{"))).toMatchObject({ status: 400, code: "bad-json" });
    expect(await refusal(await send("{}"))).toMatchObject({ status: 400, code: "bad-request" });
    expect(await refusal(await send('{"message":"x","agent":"nobody"}'))).toMatchObject({
      status: 404,
      code: "unknown-agent",
    });
    expect(await refusal(await send(JSON.stringify({ message: "x".repeat(1000) })))).toMatchObject({
      status: 413,
      code: "too-large",
      hint: expect.stringContaining("limits.bodyBytes"),
    });
    const deep = (levels: number) => `{"message":"x","metadata":{"a":${"[".repeat(levels)}${"]".repeat(levels)}}}`;
    const wide = await serve(silent);
    const nested = (levels: number) =>
      fetch(`${wide.url}/runs`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json" },
        body: deep(levels),
      });
    expect(await refusal(await nested(200_000))).toMatchObject({ status: 400, code: "too-deep" });
    expect((await nested(498)).status).toBe(202);
    expect((await send(JSON.stringify({ message: "x".repeat(20_000_000) }))).status).toBe(413);
    // Without a length, bytes are counted as they arrive.
    const client = wire(port);
    client.send(
      "POST /runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    client.send(`400\r\n${"x".repeat(1024)}\r\n`);
    expect(await client.until((text) => text.includes("limits.bodyBytes"))).toMatch(/^HTTP\/1.1 413 /);
  });

  test("too many runs, streams or requests", async () => {
    const limits = { concurrentRuns: 1, queuedRuns: 0, streams: 1, bodyBytes: undefined as unknown as number };
    const { url } = await serve(silent, { limits });
    const run = await start(url);
    const runs = await post(`${url}/runs`, { message: "x" });
    expect(runs.headers.get("retry-after")).toBeTruthy();
    expect(await refusal(runs)).toMatchObject({
      status: 429,
      code: "too-many-runs",
      hint: expect.stringContaining("limits.concurrentRuns"),
    });
    // An existing run is followed, not started.
    const stream = await post(`${url}/runs`, { message: "x", run });
    expect(stream.status).toBe(200);
    expect(await refusal(await fetch(`${url}/runs/${run}/events`))).toMatchObject({
      status: 429,
      code: "too-many-streams",
    });
    await stream.body?.cancel();

    const limited = await serve(silent, { limits: { controlsPerMinute: 2 } });
    for (let count = 0; count < 2; count++)
      expect((await post(`${limited.url}/runs/none/cancel`, {})).status).toBe(404);
    const third = await post(`${limited.url}/runs/none/cancel`, {});
    expect(Number(third.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await refusal(third)).toMatchObject({
      status: 429,
      code: "too-many-requests",
      hint: expect.stringContaining("limits.controlsPerMinute"),
    });
  });

  test("a bad cursor, an unknown run, a dropped run", async () => {
    const log = memory();
    const { url } = await serve(textSource(["a"]), { log });
    const run = await start(url);
    const { length } = await ended(url, run);
    const events = (query: string) => fetch(`${url}/runs/${run}/events?${query}`);
    expect(await refusal(await events("after=x"))).toMatchObject({ status: 400, code: "bad-cursor" });
    expect(await refusal(await events(`after=${length + 1}`))).toMatchObject({
      status: 400,
      code: "cursor-beyond-end",
    });
    expect(await refusal(await events(`after=${length}.1`))).toMatchObject({ status: 400, code: "cursor-beyond-end" });
    const { at } = (await log.read(run, length - 1, 1))[0]!;
    expect((await events(`after=${length}&at=${at}`)).status).toBe(204);
    expect((await events(`after=0&at=${at + 1}`)).status).toBe(200);
    for (const lost of [`after=${length}&at=${at + 1}`, `after=${length + 1}&at=${at}`])
      expect(await refusal(await events(lost))).toMatchObject({ status: 409, code: "log-reset" });
    expect(await refusal(await events("dialect=klingon"))).toMatchObject({
      status: 400,
      code: "unknown-dialect",
      hint: expect.stringContaining("native"),
    });
    for (const path of ["", "/events", "/files/x", "/export.jsonl"])
      expect(await refusal(await fetch(`${url}/runs/none${path}`))).toMatchObject({ status: 404, code: "unknown-run" });
    await log.drop(run);
    for (const path of ["", "/events", "/files/x", "/export.jsonl"])
      expect(await refusal(await fetch(`${url}/runs/${run}${path}`))).toMatchObject({
        status: 410,
        code: "run-dropped",
      });
    expect(await refusal(await post(`${url}/runs`, { message: "x", run }))).toMatchObject({ status: 410 });
    expect(await refusal(await post(`${url}/runs/${run}/cancel`, {}))).toMatchObject({ status: 410 });
  });

  test("an unknown path or a wrong method", async () => {
    const { url } = await serve(silent);
    expect(await refusal(await fetch(`${url}/nowhere`))).toMatchObject({ status: 404, code: "unknown-path" });
    for (const [path, allow] of [
      ["/runs", "GET, POST, HEAD"],
      ["/runs/x/cancel", "POST"],
      ["/runs/x/events", "GET, HEAD"],
      ["/health", "GET, HEAD"],
    ] as const) {
      const response = await fetch(url + path, { method: "DELETE" });
      expect(response.headers.get("allow")).toBe(allow);
      expect(await refusal(response)).toMatchObject({ status: 405, code: "wrong-method" });
    }
  });

  test("a source's refusal before its first event, without internal errors", async () => {
    const refusing = await serve(async function* () {
      throw new Refusal("no-model", "no model is set", { status: 422, hint: "set one" });
    });
    expect(await refusal(await post(`${refusing.url}/runs`, { message: "x" }))).toMatchObject({
      status: 422,
      code: "no-model",
    });
    const problems: unknown[] = [];
    const broken = await serve(silent, {
      dialects: [
        {
          ...native,
          read: () => {
            throw new Error("inner secret");
          },
        },
      ],
      onProblem: (problem) => problems.push(problem),
    });
    const response = await post(`${broken.url}/runs`, { message: "x" });
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(text).not.toContain("inner secret");
    expect(problems).toMatchObject([{ path: "/runs", error: expect.objectContaining({ message: "inner secret" }) }]);
  });

  test("a refusal that cannot be sent affects no other request", async () => {
    const problems: unknown[] = [];
    for (const status of [0, 101, 204, 302, 1000]) {
      const odd = await serve(
        async function* () {
          throw new Refusal("odd", "odd", { status });
        },
        { onProblem: (problem) => problems.push(problem) },
      );
      expect(await refusal(await post(`${odd.url}/runs`, { message: "x" }))).toMatchObject({ status: 500 });
      expect(problems.splice(0)).toMatchObject([{ path: "/runs", error: { status } }]);
    }
    const { url } = await serve(silent, {
      dialects: [
        {
          ...native,
          refuse: () => {
            throw new Error("no words");
          },
        },
      ],
      onProblem: (problem) => problems.push(problem),
    });
    await expect(post(`${url}/runs`, {})).rejects.toThrow();
    expect(problems).toMatchObject([{ error: expect.objectContaining({ message: "no words" }) }]);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });
});
