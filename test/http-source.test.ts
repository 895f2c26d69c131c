import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import http, { type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Dialect } from "../src/dialect.ts";
import { native } from "../src/dialects/native.ts";
import type { Event, EventOf } from "../src/events.ts";
import { memory } from "../src/logs/memory.ts";
import type { RunRequest, Source } from "../src/source.ts";
import { http as httpSource } from "../src/sources/http.ts";
import { chain, playStory, stateOf, stories } from "./server-chain.ts";
import { startCuttingProxy } from "./cutting-proxy.ts";
import { generateLog } from "./generate.ts";
import { randomFrom } from "./random.ts";
import { entriesOf, started, untilEnd, untilEvent } from "./running.ts";
import { ended, eventsOf, onStop, post, refusal, textSource, serve, start, until } from "./serving.ts";

/** Like the native dialect, but its runs cannot be followed, answered or cancelled. */
const forgetful: Dialect = { ...native, routes: native.routes.filter(({ does }) => does === "start") };

const playing = (seed: number): Source =>
  async function* () {
    const random = randomFrom(seed);
    for (const { event } of generateLog(seed)) {
      if (random() < 0.2) await sleep(random() * 4);
      yield event;
    }
  };

const endOf = (events: readonly Event[]) => events.at(-1) as EventOf<"run-end">;

describe("a Runcast behind a Runcast", () => {
  test.each(stories.map(({ name }) => name))("looks like a local one: %s", async (name) => {
    const { up, down } = await playStory(native, name);
    expect(down).toEqual(up);
  });

  test.each([1, 2, 3, 4])(
    "looks like a local one, whatever it plays and wherever the connection is cut (%i)",
    async (seed) => {
      const random = randomFrom(seed);
      const cutOf = () => {
        const luck = random();
        if (luck < 0.1) return "unreached" as const;
        return luck < 0.2 ? 0 : 200 + Math.floor(random() * 6000);
      };
      const { up, down, upperRun } = await chain(native, playing(seed), {
        urlOf: async (port) => {
          const proxy = await startCuttingProxy(port, cutOf);
          onStop(proxy.close);
          return proxy.url;
        },
      });
      const run = await start(down.url);
      await untilEnd(down.log, run);
      expect(stateOf(await entriesOf(down.log, run))).toEqual(stateOf(await entriesOf(up.log, await upperRun())));
      expect(await up.log.list({ limit: 10 })).toHaveLength(1);
    },
  );

  test("ends as interrupted when the upper server is killed and comes back", async () => {
    const directory = mkdtempSync(path.join(tmpdir(), "runcast-chain-"));
    onStop(() => rmSync(directory, { recursive: true, force: true }));
    const first = await spawnServer(directory, 0);
    const { url } = await serve(httpSource({ dialect: native, url: `http://127.0.0.1:${first.port}` }), {
      log: memory(),
    });
    const run = await start(url);
    await until(async () => (await (await fetch(`${url}/runs/${run}`)).text()).includes("half"));
    await first.kill();
    const second = await spawnServer(directory, first.port);
    const events = eventsOf(await ended(url, run));
    await second.kill();
    expect(endOf(events)).toMatchObject({ outcome: "interrupted", error: { code: "interrupted" } });
    expect(events).toContainEqual({ type: "tool-end", call: "c", outcome: "interrupted" });
  });

  test("ends with a retryable error when the upper server does not come back", async () => {
    const directory = mkdtempSync(path.join(tmpdir(), "runcast-chain-"));
    onStop(() => rmSync(directory, { recursive: true, force: true }));
    const upper = await spawnServer(directory, 0);
    const remote = httpSource({ dialect: native, url: `http://127.0.0.1:${upper.port}`, retryMs: 300 });
    const { url } = await serve(remote, { log: memory() });
    const run = await start(url);
    await until(async () => (await (await fetch(`${url}/runs/${run}`)).text()).includes("half"));
    await upper.kill();
    const end = endOf(eventsOf(await ended(url, run)));
    expect(end).toMatchObject({ outcome: "error", error: { code: "upstream-cut", retryable: true } });
  });

  test("passes on the agent's name, secrets and the conversation, but not the run's id", async () => {
    let heard: RunRequest | undefined;
    const listening: Source = async function* (request) {
      heard = request;
      yield { type: "step-start", step: "s" };
    };
    const { down } = await chain(native, listening, { agent: "test" });
    const messages = [
      { role: "user", content: [{ type: "text", text: "one" }] },
      { role: "assistant", content: [{ type: "text", text: "two" }] },
      { role: "user", content: [{ type: "text", text: "three" }] },
    ];
    const body = { run: "mine", thread: "t", messages, system: "be kind" };
    await (await post(`${down.url}/runs`, body, { "runcast-secret-weather-key": "s3cret" })).text();
    expect(heard).toMatchObject({
      thread: "t",
      agent: "test",
      messages,
      system: "be kind",
      secrets: { WEATHER_KEY: "s3cret" },
    });
    expect(heard?.run).not.toBe("mine");
  });

  test("stores the upper server's files", async () => {
    const text = "é".repeat(500_000);
    const { down } = await chain(native, async function* () {
      yield* started;
      yield { type: "tool-end", call: "c", outcome: "ok", content: [{ type: "text", text }] };
    });
    const run = await start(down.url);
    const events = await untilEnd(down.log, run);
    const end = events.find((event): event is EventOf<"tool-end"> => event.type === "tool-end");
    const [content] = end?.content ?? [];
    if (content?.type !== "file") throw new Error("no file");
    expect(await (await fetch(`${down.url}/runs/${run}/files/${content.file}`)).text()).toBe(text);
  });

  test("stops one call on the upper server", async () => {
    const { up, down, upperRun } = await chain(native, async function* (_, context) {
      yield* started;
      const signal = context.signalOf("call", "c");
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      yield { type: "tool-end", call: "c", outcome: "cancelled" };
      yield { type: "step-start", step: "after" };
    });
    const run = await start(down.url);
    await untilEvent(down.log, run, ({ type }) => type === "tool-execute");
    await post(`${down.url}/runs/${run}/cancel`, { call: "c" });
    expect(endOf(await untilEnd(down.log, run)).outcome).toBe("done");
    expect(stateOf(await entriesOf(down.log, run))).toEqual(stateOf(await entriesOf(up.log, await upperRun())));
  });

  test("takes answers given there, and passes on answers given here", async () => {
    const { up, down, upperRun } = await chain(native, async function* (_, context) {
      yield* started;
      for (const ask of ["first", "second"]) {
        yield { type: "ask-start", ask, kind: "input", call: "c", title: "?" };
        await context.answerTo(ask);
      }
      yield { type: "tool-end", call: "c", outcome: "ok" };
    });
    const run = await start(down.url);
    const isAsk = (ask: string) => (event: Event) => event.type === "ask-start" && event.ask === ask;
    await untilEvent(down.log, run, isAsk("first"));
    await post(`${up.url}/runs/${await upperRun()}/asks/first`, { value: "there" });
    await untilEvent(down.log, run, isAsk("second"));
    await post(`${down.url}/runs/${run}/asks/second`, { value: "here" });
    const events = await untilEnd(down.log, run);
    const answers = events.flatMap((event) => (event.type === "ask-end" ? [event.answer?.value] : []));
    expect(answers).toEqual(["there", "here"]);
    expect(events.filter(({ type }) => type === "notice")).toEqual([]);
  });

  test("passes on a refusal with the upper server's message", async () => {
    const { down } = await chain(native, textSource(["a"]), { agent: "nobody" });
    expect(await refusal(await post(`${down.url}/runs`, { message: "hi" }))).toMatchObject({
      status: 404,
      code: "unknown-agent",
    });
  });

  test("reports whose key is wrong", async () => {
    const up = await serve(textSource(["a"]), { key: "right-key" });
    const ask = async (key: string) => {
      const down = await serve(httpSource({ dialect: native, url: up.url, key }));
      return await post(`${down.url}/runs`, { message: "hi" });
    };
    expect(await refusal(await ask("wrong-key"))).toMatchObject({ status: 502, hint: expect.stringContaining("key") });
    expect(await (await ask("right-key")).text()).toContain("run-end");
  });
});

describe("any other server", () => {
  test("if the server already has another answer, the run reports it", async () => {
    const { url } = await scripted((response, at) => {
      if (at !== "/runs") return response.writeHead(409, { "content-type": "application/json" }).end("{}");
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of [...started, { type: "ask-start", ask: "k", kind: "input", call: "c" } as const])
        response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      const beating = setInterval(() => response.write("event: heartbeat\ndata: {}\n\n"), 5);
      return response.on("close", () => clearInterval(beating));
    });
    const log = memory();
    const down = await serve(httpSource({ dialect: native, url }), { log });
    const run = await start(down.url);
    let ask = "";
    await untilEvent(log, run, (event) => event.type === "ask-start" && (ask = event.ask) !== "");
    await post(`${down.url}/runs/${run}/asks/${ask}`, { value: "here" });
    await untilEvent(log, run, ({ type }) => type === "notice");
    await post(`${down.url}/runs/${run}/cancel`, {});
    const events = await untilEnd(log, run);
    expect(events).toContainEqual({
      type: "notice",
      level: "warning",
      text: expect.stringContaining("another answer"),
    });
  });

  test("a server that does not exist refuses the run", async () => {
    const gone = await scripted(() => {});
    await gone.close();
    const down = await serve(httpSource({ dialect: native, url: gone.url }));
    expect(await refusal(await post(`${down.url}/runs`, { message: "hi" }))).toMatchObject({
      status: 502,
      code: "upstream-unreachable",
    });
  });

  test.each([
    ["a page", 200, "text/html", "<h1>Hello</h1>", { status: 502, code: "upstream-no-stream" }],
    [
      "a limit",
      429,
      "application/json",
      '{"error":{"message":"slow down","code":"rate"}}',
      { status: 429, code: "rate" },
    ],
    ["a detail", 422, "application/json", '{"detail":"no messages"}', { status: 422, code: "upstream-refused" }],
    ["another location", 307, "text/plain", "moved", { status: 502, code: "upstream-refused" }],
    ["words", 500, "text/plain", "it broke", { status: 500, code: "upstream-refused" }],
  ])("a response of %s instead of a stream refuses the run", async (_, status, type, body, expected) => {
    const { url } = await scripted((response) =>
      response.writeHead(status, { "content-type": type, location: "/elsewhere" }).end(body),
    );
    const down = await serve(httpSource({ dialect: native, url }));
    const response = await post(`${down.url}/runs`, { message: "hi" });
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect({ status: response.status, code: error.code }).toEqual(expected);
    if (status !== 200) expect(body).toContain(error.message);
  });

  test.each([
    ["the server", (url: string) => ({ url, key: "of-the-agent" })],
    ["the server, with a header", (url: string) => ({ url, headers: { authorization: "Basic of-the-agent" } })],
    ["fetch, with a URL", (url: string) => ({ url: url.replace("//", "//somebody:of-the-agent@") })],
    ["fetch, with a key that is invalid in a header", (url: string) => ({ url, key: "of-the-agent\nand-more" })],
  ])("a refusal that repeats what was sent: %s", async (_, optionsOf) => {
    const { url } = await scripted((response) =>
      response.writeHead(401, { "content-type": "text/plain" }).end("neither of-the-agent nor of-the-request is right"),
    );
    const down = await serve(httpSource({ dialect: native, ...optionsOf(url) }));
    const response = await post(`${down.url}/runs`, { message: "hi" }, { "runcast-secret-acme": "of-the-request" });
    const text = await response.text();
    expect(response.status).toBe(502);
    expect(text).toContain("[secret]");
    expect(text).not.toMatch(/of-the-(agent|request)/);
  });

  test("if runs cannot be followed, a stream without its end is a retryable error", async () => {
    const { url } = await scripted((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end('event: step-start\ndata: {"type":"step-start","step":"s"}\n\n');
    });
    const down = await serve(httpSource({ dialect: forgetful, url }));
    const run = await start(down.url);
    const end = endOf(eventsOf(await ended(down.url, run)));
    expect(end).toMatchObject({ outcome: "error", error: { code: "upstream-cut", retryable: true } });
  });

  test("invalid data ends the run with a clear error", async () => {
    const { url } = await scripted((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('event: step-start\ndata: {"type":"step-start","step":"s"}\n\n');
      response.write('event: text-delta\ndata: {"type":"text-delta","part":7}\n\n');
    });
    const down = await serve(httpSource({ dialect: forgetful, url }));
    const run = await start(down.url);
    const end = endOf(eventsOf(await ended(down.url, run)));
    expect(end).toMatchObject({ outcome: "error", error: { code: "upstream-invalid" } });
  });

  test("a server that can only be stopped by closing the connection is closed", async () => {
    const closed = Promise.withResolvers<void>();
    const { url } = await scripted((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('event: step-start\ndata: {"type":"step-start","step":"s"}\n\n');
      response.on("close", closed.resolve);
    });
    const down = await serve(httpSource({ dialect: forgetful, url }));
    const run = await start(down.url);
    await post(`${down.url}/runs/${run}/cancel`, {});
    await closed.promise;
    expect(endOf(eventsOf(await ended(down.url, run)))).toMatchObject({ outcome: "cancelled" });
  });

  test.each([
    ["", "/runs"],
    ["/", "/runs"],
    ["/key/abc", "/key/abc/runs"],
    ["/runs", "/runs"],
    ["/base/runs/", "/base/runs"],
  ])("the base %j is reached at %s", async (base, expected) => {
    let asked: string | undefined;
    const { url } = await scripted((response, at) => {
      asked = at;
      response.writeHead(400).end();
    });
    const down = await serve(httpSource({ dialect: native, url: url + base }));
    await post(`${down.url}/runs`, { message: "hi" });
    expect(asked).toBe(expected);
  });
});

const scripted = async (answer: (response: ServerResponse, path: string | undefined) => unknown) => {
  const server = http.createServer((request, response) => void answer(response, request.url));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  onStop(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
};

const spawnServer = async (directory: string, port: number) => {
  const file = path.join(import.meta.dirname, "restarted-server.ts");
  const child: ChildProcess = spawn(process.execPath, ["--no-warnings", file, directory, `${port}`], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  const kill = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  onStop(kill);
  const [listening] = (await once(child, "message")) as [number];
  return { port: listening, kill };
};
