import { describe, expect, test } from "vitest";
import { frame } from "../../src/page/frame.ts";
import { createAppHost } from "../../web/src/embeds/app-host.ts";
import { requestOf, resultOf } from "../../web/src/embeds/browser-tool.ts";
import { frameUrl, withReporter } from "../../web/src/embeds/frame-document.ts";
import { frameMessageOf } from "../../web/src/embeds/frame-messages.ts";
import {
  allow,
  allowedTo,
  divideBlocked,
  forget,
  originsOf,
  parseOrigins,
  reachable,
} from "../../web/src/embeds/origins.ts";
import { parsePermissions } from "../../web/src/embeds/permissions.ts";

const policyOf = (address: string): string | null =>
  frame(new URL(address, "http://127.0.0.1/")).headers.get("content-security-policy");

describe("the frame of an embed", () => {
  test("reaches nothing unless allowed, and never has the page's own origin", () => {
    const policy = policyOf(frameUrl([], []))!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'none'");
    expect(policy).toMatch(/^sandbox allow-scripts\s*;/);
    expect(policyOf("/frame?may=same-origin&may=forms&may=top-navigation")).toMatch(
      /^sandbox allow-scripts allow-forms;/,
    );
  });

  test("allows the origins in its URL, and refuses invalid ones", () => {
    const policy = policyOf(frameUrl(["https://cdn.example.org", "https://*.example.com:8443"], ["popups"]))!;
    expect(policy).toContain(
      "script-src 'unsafe-inline' 'unsafe-eval' https://cdn.example.org https://*.example.com:8443",
    );
    for (const origin of [
      "https:",
      "*",
      "https://a.example;script-src *",
      "'unsafe-eval'",
      "http://a.example",
      "https://a b",
    ])
      expect(frame(new URL(`http://x/frame?origin=${encodeURIComponent(origin)}`)).status, origin).toBe(400);
    expect(frame(new URL(`http://x/frame?${"origin=https://a.example&".repeat(21)}`)).status).toBe(400);
  });

  test("keeps a document's doctype first", () => {
    expect(withReporter("<!DOCTYPE html><p>")).toMatch(/^<!DOCTYPE html><script>/);
    expect(withReporter("<p>")).toMatch(/^<!doctype html><script>/);
  });
});

describe("a message of an embed", () => {
  const window = {} as Window;
  const from = (data: unknown, source: unknown = window, origin = "null") =>
    frameMessageOf({ data, source, origin } as MessageEvent<unknown>, window);

  test("counts only if it comes from its own frame, with an opaque origin", () => {
    expect(from({ runcast: { height: 10.2 } })).toEqual({ type: "height", height: 11 });
    expect(from({ runcast: { height: 10 } }, {})).toBeUndefined();
    expect(from({ runcast: { height: 10 } }, window, "https://elsewhere.example")).toBeUndefined();
    expect(
      frameMessageOf({ data: { runcast: "ready" }, source: null, origin: "null" } as MessageEvent, null),
    ).toBeUndefined();
  });

  test.each([null, 1, "x", [], { runcast: { height: "9" } }, { runcast: { height: Number.NaN } }, { jsonrpc: "2.0" }])(
    "%j is ignored",
    (data) => expect(from(data)).toBeUndefined(),
  );

  test("is limited in size", () => {
    expect(from({ type: "iframe:height", height: 1e9 })).toEqual({ type: "height", height: 4000 });
    expect(from({ runcast: { draft: "x".repeat(1e6) } })).toEqual({ type: "draft", text: "x".repeat(10_000) });
    expect(from({ runcast: { blocked: "https://evil.example/secret?x" } })).toEqual({
      type: "blocked",
      origin: "https://evil.example",
    });
  });
});

test("origins are those of the addresses that an embed names, and an invalid one means none", () => {
  expect(originsOf(["https://A.example/x.js", "cdn.example", "https://a.example"])).toEqual([
    "https://a.example",
    "https://cdn.example",
  ]);
  expect(originsOf(["javascript://x/%0aalert(1)"])).toBeUndefined();
  expect(originsOf(["https://a.example;script-src *"])).toEqual(["https://a.example"]);
});

test("a blocked origin is offered if the frame's policy can allow it, and never the page's own server", () => {
  const blocked = [
    "https://cdn.example",
    "inline",
    "http://127.0.0.1:4400",
    "http://a.example",
    "http://127.0.0.1:9",
    "data",
  ];
  const { offered, others } = divideBlocked(blocked, ["http://127.0.0.1:4400"]);
  expect(offered).toEqual(["https://cdn.example", "http://127.0.0.1:9"]);
  expect(others).toEqual(["inline", "http://127.0.0.1:4400", "http://a.example", "data"]);
});

test("the page offers nothing that the server's frame would refuse", () => {
  for (const address of [
    "https://a.example",
    "wss://a.example:1/x",
    "*.example.com",
    "http://localhost:3",
    "http://a.example",
  ]) {
    const origins = originsOf([address]);
    expect(origins === undefined ? 400 : frame(new URL(frameUrl(origins, []), "http://x/")).status, address).toBe(
      origins === undefined ? 400 : 200,
    );
  }
  expect(originsOf(["http://a.example"])).toBeUndefined();
  const many = Array.from({ length: 30 }, (_, index) => `https://${index}.example`);
  expect(frame(new URL(frameUrl(reachable(["https://now.example"], many), []), "http://x/")).status).toBe(200);
  expect(reachable(["https://now.example"], many)[0]).toBe("https://now.example");
});

test("permissions apply to one agent, and can be removed", () => {
  const once = allow("helper", ["https://a.example"], {});
  const allowed = parseOrigins(
    JSON.parse(JSON.stringify(allow("helper", ["https://a.example", "https://b.example"], once))),
  );
  expect(allowedTo("helper", allowed)).toEqual(["https://a.example", "https://b.example"]);
  expect(allowedTo("other", allowed)).toEqual([]);
  expect(allowedTo("__proto__", allowed)).toEqual([]);
  expect(forget("helper", allowed)).toEqual({});
});

test.each([undefined, null, 7, "text", [], { helper: "https://a.example" }])(
  "stored as %j, nothing is allowed",
  (kept) => {
    expect(parseOrigins(kept)).toEqual({});
    expect(parsePermissions(kept)).toEqual([]);
  },
);

test("an app gets responses and its call, and requests for missing features are refused", () => {
  const received: unknown[] = [];
  const host = createAppHost({
    call: {
      input: { city: "Bern" },
      content: [{ type: "text", text: "sunny" }],
      value: { t: 20 },
      endedAt: 1,
      error: undefined,
    },
    theme: "dark",
    onHeight: (height) => received.push(height),
    onDraft: (text) => received.push(text),
    onLink: (url) => received.push(url),
  });
  const ask = (method: string, params = {}, id: number | undefined = 1) =>
    host({ jsonrpc: "2.0", method, params, ...(id !== undefined && { id }) }) as any[];
  expect(ask("ui/initialize")[0].result.hostContext.theme).toBe("dark");
  expect(host({ jsonrpc: "2.0", method: "ui/notifications/initialized", params: {} })).toEqual([
    { jsonrpc: "2.0", method: "ui/notifications/tool-input", params: { arguments: { city: "Bern" } } },
    {
      jsonrpc: "2.0",
      method: "ui/notifications/tool-result",
      params: { content: [{ type: "text", text: "sunny" }], structuredContent: { t: 20 } },
    },
  ]);
  expect(ask("tools/call")[0].error.message).toBe("tools/call is not supported here");
  expect(ask("constructor")[0].error).toBeDefined();
  expect(ask("ui/open-link", { url: "javascript:alert(1)" })[0].result).toEqual({ isError: true });
  expect(ask("ui/open-link", { url: "https://bank.example@evil.example/" })[0].result).toEqual({ isError: true });
  ask("ui/open-link", { url: "https://a.example" });
  ask("ui/message", { role: "user", content: [{ type: "text", text: "more" }] });
  expect(received).toEqual(["https://a.example/", "more"]);
});

test("a browser tool responds with a page only if it is inline", () => {
  const page = { status: 200, type: "text/html; charset=utf-8", disposition: "inline", text: "<p>" };
  const tool = { name: "t", url: "https://map.example/dir/map" };
  const html = '<!doctype html><base href="https://map.example/dir/map"><p>';
  expect(resultOf(tool, page)).toEqual({ text: "<p>", isError: false, page: html });
  expect(resultOf(tool, { ...page, disposition: "attachment" })).toEqual({ text: "<p>", isError: false });
  expect(resultOf(tool, { ...page, status: 500, text: "no" })).toMatchObject({
    isError: true,
    text: "t returned 500: no",
  });
});

test("a browser tool gets its arguments as JSON, or in its URL for a GET", () => {
  const url = "https://map.example/map?zoom=1#x";
  expect(requestOf({ url }, { city: "Bern" })).toEqual({ url, body: '{"city":"Bern"}' });
  expect(requestOf({ url }, undefined)).toEqual({ url, body: "{}" });
  expect(requestOf({ url, method: "GET" }, { city: "Bern & Biel", zoom: 3, at: [1, 2] })).toEqual({
    url: "https://map.example/map?zoom=3&city=Bern+%26+Biel&at=%5B1%2C2%5D#x",
  });
  expect(requestOf({ url, method: "GET" }, undefined)).toEqual({ url });
});
