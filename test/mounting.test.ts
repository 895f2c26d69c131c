import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { type HttpBindings, getRequestListener } from "@hono/node-server";
import express from "express";
import { Hono } from "hono";
import { describe, expect, test } from "vitest";
import { createClient } from "../src/client.ts";
import { aiSdk } from "../src/dialects/ai-sdk.ts";
import { native } from "../src/dialects/native.ts";
import { openaiChat } from "../src/dialects/openai-chat.ts";
import type { Log } from "../src/log.ts";
import { memory } from "../src/logs/memory.ts";
import { page } from "../src/page.ts";
import { type RuncastServer, type ServerOptions, createServer } from "../src/server.ts";
import type { Source } from "../src/source.ts";
import { eventsOf, framesOf, onStop, post, refusal, textSource, silent, until } from "./serving.ts";

/** An address of this machine that others can reach. */
const reachable = Object.values(networkInterfaces())
  .flat()
  .find((found) => found?.family === "IPv4" && !found.internal)?.address;

const BASE = "/tools/runcast";
const KEY = "a-long-enough-key";

type Mount = (server: RuncastServer) => http.RequestListener;

/** Ways to mount the server in another program. */
const mounts: Readonly<Record<string, Mount>> = {
  "a listener": (server) => server.listener,
  Express: (server) => express().use(BASE, server.listener) as http.RequestListener,
  "Express after a body parser": (server) =>
    express().use(express.json()).use(BASE, server.listener) as http.RequestListener,
  fetch: (server) => getRequestListener((request, env) => server.fetch(request, env as HttpBindings)),
  Hono: (server) => {
    const app = new Hono<{ Bindings: HttpBindings }>();
    app.all(`${BASE}/*`, (context) => server.fetch(context.req.raw, context.env));
    return getRequestListener(app.fetch);
  },
  "Hono's mount": (server) => {
    const app = new Hono<{ Bindings: HttpBindings }>();
    app.mount(BASE, (request, env) => server.fetch(request, env as HttpBindings));
    return getRequestListener(app.fetch);
  },
};

const mounted = async (
  mount: Mount,
  source: Source,
  options: Partial<ServerOptions> = {},
  address = "127.0.0.1",
): Promise<{ url: string; origin: string; server: RuncastServer }> => {
  const problems: unknown[] = [];
  const server = createServer({
    agents: { test: source },
    log: memory(),
    dialects: [native, openaiChat],
    basePath: BASE,
    page: page()!,
    onProblem: (problem) => problems.push(problem),
    runner: { graceMs: 100 },
    ...options,
  });
  const outer = http.createServer(mount(server));
  onStop(async () => {
    await server.close();
    outer.closeAllConnections();
    outer.close();
    expect(problems).toEqual([]);
  });
  await once(outer.listen(0, address), "listening");
  const origin = `http://${address}:${(outer.address() as AddressInfo).port}`;
  return { url: origin + BASE, origin, server };
};

describe.each(Object.entries(mounts))("mounted as %s", (name, mount) => {
  test("a client starts a run and follows it to its end", async () => {
    const { url } = await mounted(mount, textSource(["a", "b", "é"]));
    const handle = createClient({ url }).start({ message: "hi" });
    const text: string[] = [];
    for await (const { event } of handle.entries()) if (event.type === "text-delta") text.push(event.delta);
    expect(text.join("")).toBe("abé");
    expect((await handle.finished).outcome).toBe("done");
  });

  test("stored entries arrive immediately, and a viewer that leaves is removed", async () => {
    const { url } = await mounted(mount, silent);
    const leave = new AbortController();
    const response = await fetch(`${url}/runs`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ message: "hi" }),
      signal: leave.signal,
    });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const { value } = await response.body!.getReader().read();
    expect(Buffer.from(value!).toString()).toContain("event: run-start");
    const viewers = async () =>
      /^runcast_viewers (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1] ?? "";
    expect(await viewers()).toBe("1");
    leave.abort();
    await until(async () => (await viewers()) === "0");
  });

  test("the page, its files and the element are under the base path, and reference nothing outside it", async () => {
    const { url, origin } = await mounted(mount, silent);
    const document = await fetch(`${url}/`);
    expect(document.headers.get("content-security-policy")).toContain("default-src 'none'");
    const html = await document.text();
    const assets = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!);
    expect(assets.length).toBeGreaterThan(1);
    for (const path of [...assets, "./element.js", "./frame"]) {
      const file = await fetch(new URL(path, `${url}/`));
      expect(file.status, path).toBe(200);
      expect(await file.text(), path).not.toBe("");
    }
    expect((await fetch(`${url}/element.js`, { method: "HEAD" })).status).toBe(200);
    if (name === "Hono's mount") return; // It strips the base path, so the path with and without a trailing slash look the same.
    const redirect = await fetch(`${origin}${BASE}?run=x`, { redirect: "manual" });
    expect([redirect.status, redirect.headers.get("location")]).toEqual([308, `${BASE}/?run=x`]);
  });

  test("links to runs, files and the page have the base path", async () => {
    const source: Source = async function* (_, { put }) {
      const file = await put("x".repeat(100_000), { mediaType: "text/plain", name: "x.txt" });
      yield { type: "file", file: file.file, name: "x.txt", change: "created" };
    };
    const { url, origin } = await mounted(mount, source, { key: KEY });
    const authorization = { authorization: `Bearer ${KEY}` };
    const started = await post(`${url}/runs`, { message: "hi" }, { accept: "application/json", ...authorization });
    const { run, events } = (await started.json()) as { run: string; events: string };
    expect(started.headers.get("location")).toBe(`${BASE}/runs/${run}`);
    const seen = eventsOf(await framesOf(await fetch(origin + events, { headers: authorization })));
    expect(seen.at(-1)?.type).toBe("run-end");
    const shared = await post(`${url}/runs/${run}/links`, {}, authorization);
    const link = (await shared.json()) as { url: string; token: string };
    expect(link.url).toBe(`${BASE}/?run=${run}&token=${link.token}`);
    const file = seen.find((event) => event.type === "file")!.file!;
    const bytes = await fetch(`${url}/runs/${run}/files/${file}?token=${link.token}`, {
      headers: { range: "bytes=0-9" },
    });
    expect([bytes.status, await bytes.text()]).toEqual([206, "xxxxxxxxxx"]);
    expect(((await (await fetch(`${url}/openapi.json`)).json()) as any).servers).toEqual([{ url: BASE }]);
  });

  test("refusals, preflights and bodies work as elsewhere", async () => {
    const { url } = await mounted(mount, silent, { key: KEY, limits: { bodyBytes: 1000 } });
    const authorization = { authorization: `Bearer ${KEY}` };
    expect(await refusal(await fetch(`${url}/runs`))).toMatchObject({ status: 401, code: "key-required" });
    expect(await refusal(await fetch(`${url}/nothing`, { headers: authorization }))).toMatchObject({ status: 404 });
    expect(await refusal(await fetch(`${url}/runs/none`, { headers: authorization }))).toMatchObject({ status: 404 });
    const origin = { origin: "https://elsewhere.example" };
    expect(await refusal(await fetch(`${url}/runs`, { headers: { ...authorization, ...origin } }))).toMatchObject({
      code: "foreign-origin",
    });
    const preflight = await fetch(`${url}/runs`, { method: "OPTIONS", headers: { origin: "http://localhost:1" } });
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([
      204,
      "http://localhost:1",
    ]);
    const large = await post(`${url}/runs`, { message: "x".repeat(2000) }, authorization);
    expect(await refusal(large)).toMatchObject({ status: 413, code: "too-large" });
    const family = await post(`${url}/v1/chat/completions`, { model: "none", messages: [] }, authorization);
    expect(family.status).toBe(400);
    expect(((await family.json()) as { error: object }).error).toHaveProperty("type");
  });

  test("a response without headers of its own arrives", async () => {
    const { url } = await mounted(mount, silent, { dialects: [native, aiSdk] });
    expect((await fetch(`${url}/ai-sdk/unknown-chat/stream`)).status).toBe(204);
  });

  test.skipIf(reachable === undefined)("without a key it responds only on a loopback address", async () => {
    const { url } = await mounted(mount, silent, { hosts: [reachable!] }, reachable);
    expect(await refusal(await fetch(`${url}/runs`))).toMatchObject({ status: 403, code: "no-key" });
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });
});

test("fetch without connection info requires a key", async () => {
  const options = { agents: { test: textSource(["a"]) }, dialects: [native] };
  const open = createServer({ ...options, log: memory() });
  expect(await refusal(await open.fetch(new Request("http://localhost/runs")))).toMatchObject({ code: "no-key" });
  const locked = createServer({ ...options, log: memory(), key: KEY });
  const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
  const request = new Request("http://localhost/runs", { method: "POST", headers, body: '{"message":"hi"}' });
  const response = await locked.fetch(request);
  expect(eventsOf(await framesOf(response)).at(-1)?.type).toBe("run-end");
  await Promise.all([open.close(), locked.close()]);
});

test("a client that leaves while it sends a refused body does not affect the program", async () => {
  const server = createServer({ agents: {}, dialects: [native], log: memory(), key: KEY });
  const sending = Promise.withResolvers<ReadableStreamDefaultController>();
  const body = new ReadableStream({ start: sending.resolve });
  const request = new Request("http://localhost/runs", { method: "POST", body, duplex: "half" } as RequestInit);
  expect(await refusal(await server.fetch(request))).toMatchObject({ code: "key-required" });
  const uncaught: unknown[] = [];
  const listen = (error: unknown) => uncaught.push(error);
  process.on("uncaughtException", listen);
  (await sending.promise).error(new Error("the client left"));
  await new Promise((resolve) => setImmediate(resolve));
  process.off("uncaughtException", listen);
  expect(uncaught).toEqual([]);
  await server.close();
});

test("a body that other code has already consumed is reported", async () => {
  const swallow: Mount = (server) => (request, response) => {
    request.resume().on("end", () => server.listener(request, response));
  };
  const { url } = await mounted(swallow, silent);
  expect(await refusal(await post(`${url}/runs`, { message: "hi" }))).toMatchObject({ code: "body-consumed" });
});

test("an invalid base path is rejected", () => {
  const make = (basePath: string) => () => createServer({ agents: {}, log: memory(), dialects: [native], basePath });
  for (const wrong of ["runcast", "/a b", "//x", "/a?b"])
    expect(make(wrong), wrong).toThrow(/basePath setting must be a path/);
  for (const right of ["", "/", "/a", "/a/b/"]) expect(make(right), right).not.toThrow();
});

describe("runs of an earlier process", () => {
  /** A log with an open run that counts how often it was taken over. */
  const interrupted = async (): Promise<{ log: Log; takeovers: () => number; release: () => void }> => {
    const log = memory();
    const event = { type: "run-start" as const, protocol: 1, run: "old", name: "test" };
    await log.append("old", [{ seq: 1, at: Date.now(), event }]);
    const gate = Promise.withResolvers<void>();
    let takeovers = 0;
    const takeOver: Log["takeOver"] = async (run, owner) => {
      takeovers++;
      await gate.promise;
      return await log.takeOver(run, owner);
    };
    return {
      log: new Proxy(log, { get: (of, key) => (key === "takeOver" ? takeOver : Reflect.get(of, key, of)) }),
      takeovers: () => takeovers,
      release: gate.resolve,
    };
  };

  test.each(Object.entries(mounts))("are closed once, before the first request: %s", async (_, mount) => {
    const { log, takeovers, release } = await interrupted();
    const { url, server } = await mounted(mount, silent, { log });
    expect((await fetch(`${url}/ready`)).status).toBe(503);
    const asked = [1, 2, 3].map(() => fetch(`${url}/runs/old`).then((response) => response.json()));
    expect((await fetch(`${url}/health`)).status).toBe(200);
    release();
    for (const answer of await Promise.all(asked)) expect(answer).toMatchObject({ state: { outcome: "interrupted" } });
    expect((await fetch(`${url}/ready`)).status).toBe(200);
    expect(await server.recover()).toBe(1);
    expect(takeovers()).toBe(1);
  });

  test("are retried after a failure", async () => {
    const log = memory();
    let failures = 1;
    const orphans: Log["orphans"] = (limit) =>
      failures-- > 0 ? Promise.reject(new Error("no disk")) : log.orphans(limit);
    const broken = new Proxy(log, { get: (of, key) => (key === "orphans" ? orphans : Reflect.get(of, key, of)) });
    const problems: unknown[] = [];
    const server = createServer({
      agents: { test: silent },
      log: broken,
      dialects: [native],
      key: KEY,
      onProblem: (problem) => problems.push(problem),
    });
    const ask = () =>
      server.fetch(new Request("http://localhost/runs", { headers: { authorization: `Bearer ${KEY}` } }));
    expect((await ask()).status).toBe(500);
    expect((await ask()).status).toBe(200);
    expect(problems).toHaveLength(1);
    await server.close();
  });
});
