import { describe, expect, test } from "vitest";
import { native } from "../src/dialects/native.ts";
import { memory } from "../src/logs/memory.ts";
import { createServer, type ServerOptions } from "../src/server.ts";
import { framesOf, get, onStop, post, refusal, textSource, serve, silent, start } from "./serving.ts";

describe("hosts and origins", () => {
  test("a foreign host is refused unless it is in `hosts`", async () => {
    const { port } = await serve(silent, { hosts: ["agent.example"] });
    expect(await refusal(await get(port, "/runs", { host: "evil.example" }))).toMatchObject({
      status: 403,
      code: "foreign-host",
      hint: expect.stringContaining("hosts"),
    });
    for (const host of [
      "localhost",
      `localhost:${port}`,
      "127.0.0.1:1",
      "[::1]:80",
      "app.localhost",
      "agent.example",
      "agent.example:80",
    ])
      expect((await get(port, "/runs", { host })).status).toBe(200);
  });

  test("a foreign origin, loopback or not, is refused unless it is in `origins`", async () => {
    const { port } = await serve(silent, { origins: ["https://app.example"] });
    const host = `localhost:${port}`;
    for (const origin of [
      "https://evil.example",
      "null",
      "https://localhost.evil.example",
      "file://",
      "http://localhost:5173",
      "http://127.0.0.1:1",
      `http://app.localhost:${port}`,
    ])
      expect(await refusal(await get(port, "/runs", { host, origin }))).toMatchObject({
        status: 403,
        code: "foreign-origin",
        hint: expect.stringMatching(/origins.*--origin/),
      });
    for (const origin of [`http://${host}`, "https://app.example"]) {
      const { status, headers } = await get(port, "/runs", { host, origin });
      expect(status).toBe(200);
      expect(headers["access-control-allow-origin"]).toBe(origin);
      expect(headers["access-control-allow-credentials"]).toBeUndefined();
      expect(headers["vary"]).toBe("Origin");
      const preflight = await get(
        port,
        "/runs",
        {
          host,
          origin,
          "access-control-request-method": "POST",
          "access-control-request-headers": "content-type, runcast-secret-x",
        },
        "OPTIONS",
      );
      expect(preflight.status).toBe(204);
      expect(preflight.headers["access-control-allow-methods"]).toContain("POST");
      expect(preflight.headers["access-control-allow-headers"]).toBe("content-type, runcast-secret-x");
    }
    expect((await get(port, "/runs", { host, origin: "https://evil.example" }, "OPTIONS")).status).toBe(403);
    expect((await get(port, "/nowhere", { host }, "OPTIONS")).status).toBe(404);
  });
});

test("a page on another local port cannot start, answer or cancel a run", async () => {
  const { port, url } = await serve(silent);
  const run = await start(url);
  const headers = { host: `127.0.0.1:${port}`, origin: "http://127.0.0.1:5173", "content-type": "application/json" };
  for (const path of ["/runs", `/runs/${run}/cancel`, `/runs/${run}/asks/ok`])
    expect(await refusal(await get(port, path, headers, "POST"))).toMatchObject({
      status: 403,
      code: "foreign-origin",
    });
});

test("a frame without an origin may use only the run of its link", async () => {
  const { port, url } = await serve(silent);
  const run = await start(url);
  const { token } = (await (await post(`${url}/runs/${run}/links`, {})).json()) as { token: string };
  const headers = { host: `127.0.0.1:${port}`, origin: "null" };
  expect((await get(port, `/runs/${run}?token=${token}`, headers)).status).toBe(200);
  expect((await get(port, `/runs/${run}?token=${token}`, headers, "OPTIONS")).status).toBe(204);
  for (const path of [`/runs/${run}`, "/runs", `/runs?token=${token}`, `/?token=${token}`])
    expect((await get(port, path, headers)).status, path).toBe(403);
  expect((await get(port, `/runs/other?token=${token}`, headers)).status).toBe(403);
});

describe("keys and tokens", () => {
  const key = "correct-horse";
  const bearer = { authorization: `Bearer ${key}` };

  test("a key gives access to everything that is not public", async () => {
    const { url } = await serve(silent, { key: ["another-key", key] });
    for (const path of ["/runs", "/metrics", "/runs/x/events", "/nowhere"]) {
      expect(await refusal(await fetch(url + path))).toMatchObject({
        status: 401,
        code: "key-required",
        hint: expect.stringContaining("key"),
      });
      expect(await refusal(await fetch(url + path, { headers: { authorization: "Bearer wrong" } }))).toMatchObject({
        status: 401,
        code: "wrong-key",
      });
      expect((await fetch(url + path, { headers: bearer })).status).not.toBe(401);
    }
    for (const path of ["/", "/health", "/ready", "/openapi.json", "/schema/events.json"])
      expect((await fetch(url + path)).status).toBe(200);
  });

  test("a key in the path counts only with keyInPath, and no problem report contains it", async () => {
    const problems: unknown[] = [];
    const onProblem: ServerOptions["onProblem"] = (problem) => problems.push(problem);
    const { url } = await serve(silent, { key, keyInPath: true });
    expect((await fetch(`${url}/key/${key}/runs`)).status).toBe(200);
    expect((await post(`${url}/key/${key}/runs`, { message: "x" }, { accept: "application/json" })).status).toBe(202);
    expect((await fetch(`${url}/key/wrong/runs`)).status).toBe(401);
    const closed = await serve(silent, { key });
    expect((await fetch(`${closed.url}/key/${key}/runs`)).status).toBe(401);
    const dialects = [
      {
        ...native,
        read: () => {
          throw new Error("broken");
        },
      },
    ];
    const failing = await serve(silent, { key, keyInPath: true, dialects, onProblem });
    expect((await post(`${failing.url}/key/${key}/runs?token=t0ken`, { message: "x" }, bearer)).status).toBe(500);
    expect(problems).toMatchObject([{ path: "/runs" }]);
    expect(JSON.stringify(problems)).not.toMatch(/correct-horse|t0ken/);
  });

  test("a token can read its run and nothing else", async () => {
    const secret = "s";
    const { url, port } = await serve(textSource(["a"]), { key, secret });
    const make = async (run: string, body: object) =>
      (await post(`${url}/runs/${run}/links`, body, bearer)).json() as Promise<{
        token: string;
        url: string;
        expires: number;
      }>;
    for (const run of ["r1", "r2"]) await framesOf(await post(`${url}/runs`, { message: "x", run }, bearer));
    const { token, url: page, expires } = await make("r1", { expiresInSeconds: 60 });
    expect(page).toBe(`/?run=r1&token=${token}`);
    expect(expires).toBeGreaterThan(Date.now());
    for (const path of ["/runs/r1", "/runs/r1/events", "/runs/r1/export.jsonl"]) {
      expect((await fetch(`${url}${path}?token=${token}`)).status).toBe(200);
      expect((await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
    }
    for (const path of ["/runs/r2", "/runs/r2/events", "/runs", "/metrics"])
      expect(await refusal(await fetch(`${url}${path}?token=${token}`))).toMatchObject({
        status: 403,
        code: "read-only-token",
      });
    for (const dots of ["../..", "%2e%2e/.%2E", "./../..", "x/../../.."])
      expect(await refusal(await get(port, `/runs/r1/files/${dots}/r2?token=${token}`, {}))).toMatchObject({
        status: 400,
        code: "bad-path",
      });
    // A path ends at `#`, also for code that resolves the dots before it.
    expect(await refusal(await get(port, "/assets/..#", {}))).toMatchObject({ status: 400, code: "bad-path" });
    for (const path of ["/runs", "/runs/r1/cancel", "/runs/r1/asks/q", "/runs/r1/links"])
      expect(await refusal(await post(`${url}${path}?token=${token}`, {}))).toMatchObject({
        status: 403,
        code: "read-only-token",
      });
    const forged = token.replace("r1", "r2");
    expect(await refusal(await fetch(`${url}/runs/r2?token=${forged}`))).toMatchObject({
      status: 401,
      code: "wrong-token",
    });
    expect(await refusal(await post(`${url}/runs/r1/links`, { expiresInSeconds: -1 }, bearer))).toMatchObject({
      status: 400,
    });
  });

  test("a public address needs a key", async () => {
    const options = { agents: { test: silent }, log: memory(), dialects: [native], host: "0.0.0.0" };
    await expect(createServer(options).listen()).rejects.toThrow(/key/);
    expect(() => createServer({ ...options, key: "short" })).toThrow(/8 characters/);
    const server = createServer({ ...options, key });
    onStop(() => server.close());
    const { port } = await server.listen();
    expect((await get(port, "/runs", { host: `127.0.0.1:${port}`, ...bearer })).status).toBe(200);
  });
});
