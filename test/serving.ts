import http from "node:http";
import net from "node:net";
import { afterEach, expect } from "vitest";
import type { Frame } from "../src/dialect.ts";
import { native } from "../src/dialects/native.ts";
import type { Event } from "../src/events.ts";
import { memory } from "../src/logs/memory.ts";
import { createServer, type RuncastServer, type ServerOptions } from "../src/server.ts";
import type { Source } from "../src/source.ts";
import { createFrameReader } from "../src/sse.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});
export const onStop = (stop: () => unknown): void => void stops.push(stop);

/** Emits these words, each when `next` releases it, and then ends. */
export const textSource = (words: readonly string[], next: (index: number) => unknown = () => {}): Source =>
  async function* () {
    yield { type: "step-start", step: "s" };
    yield { type: "text-start", part: "p" };
    for (const [index, delta] of words.entries()) {
      await next(index);
      yield { type: "text-delta", part: "p", delta };
    }
  };

/** Emits some text and is silent until it is stopped. */
export const silent: Source = async function* (_, { signal }) {
  yield { type: "step-start", step: "s" };
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
};

/** A server on a free port, closed after the test. */
export const serve = async (
  source: Source,
  options: Partial<ServerOptions> = {},
): Promise<{ url: string; port: number; server: RuncastServer }> => {
  const problems: unknown[] = [];
  const server = createServer({
    agents: { test: source },
    log: memory(),
    dialects: [native],
    onProblem: (problem) => problems.push(problem),
    ...options,
    runner: { graceMs: 100, ...options.runner },
  });
  onStop(async () => {
    await server.close();
    expect(problems).toEqual([]);
  });
  const { url, port } = await server.listen();
  return { url, port, server };
};

export const post = (url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

/** Starts a run without following it, and returns its id. */
export const start = async (url: string, body: object = {}): Promise<string> => {
  const response = await post(`${url}/runs`, { message: "hi", ...body }, { accept: "application/json" });
  return ((await response.json()) as { run: string }).run;
};

export const framesOf = async (response: Response): Promise<Frame[]> => {
  const frames: Frame[] = [];
  const reader = createFrameReader((frame) => frames.push(frame));
  for await (const bytes of response.body ?? []) reader.push(bytes);
  return frames;
};

export const eventsOf = (frames: readonly Frame[]): Event[] => frames.flatMap((frame) => native.decode()(frame));

export const ended = async (url: string, run: string): Promise<Frame[]> =>
  framesOf(await fetch(`${url}/runs/${run}/events`));

/** Raw bytes to and from the server, for requests that an HTTP client would not send. */
export const wire = (port: number) => {
  const socket = net.connect(port, "127.0.0.1");
  onStop(() => socket.destroy());
  let received = "";
  let wake = () => {};
  let closed = false;
  socket.setEncoding("latin1");
  socket.on("data", (text) => {
    received += String(text);
    wake();
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    closed = true;
    wake();
  });
  return {
    socket,
    send: (text: string) => socket.write(text),
    received: () => received,
    /** Waits until this was received. Throws if the connection closes first. */
    until: async (isIt: (received: string, closed: boolean) => boolean): Promise<string> => {
      while (!isIt(received, closed)) {
        if (closed) throw new Error(`closed after: ${received}`);
        await new Promise<void>((resolve) => (wake = resolve));
      }
      return received;
    },
  };
};

/** Resolves when the condition holds. */
export const until = async (isIt: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isIt())) await new Promise((resolve) => setTimeout(resolve, 2));
};

type Refused = { error: { code: string; message: string; hint: string } };

/** Like fetch, but with any Host. */
export const get = (port: number, path: string, headers: Record<string, string>, method = "GET") =>
  new Promise<{ status: number; headers: http.IncomingHttpHeaders; body: string }>((resolve, reject) => {
    const request = http.request({ port, path, method, headers, host: "127.0.0.1", agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (text) => (body += text));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    request.on("error", reject).end();
  });

/** The content of a refusal. Every refusal must have a message and a hint. */
export const refusal = async (response: Response | { status: number; body: string }) => {
  const body = "json" in response ? await response.json() : JSON.parse(response.body);
  const { code, message, hint } = (body as Refused).error;
  expect(message).toBeTruthy();
  expect(hint).toBeTruthy();
  return { status: response.status, code, message, hint };
};
