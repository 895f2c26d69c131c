import { type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EventOf, EventType } from "../../src/events.ts";
import { provider } from "../../src/models/provider.ts";
import { agent } from "../../src/sources/agent.ts";
import { recordings } from "../recordings/providers.ts";
import { request, setUp, untilEnd, untilEvent } from "../running.ts";

/** One provider for each format. */
const FORMATS = ["openai", "openai-chat", "anthropic", "google", "openai-compatible"] as const;

/** Continues a response, by format and interruption. */
const continuations = new Map<string, () => void>();

type Interruption = (text: string, response: ServerResponse, path: string) => void;

const keepAlive =
  (piece: string): Interruption =>
  (text, response, path) => {
    const timer = setInterval(() => response.write(piece), 20);
    response.on("close", () => clearInterval(timer));
    continuations.set(path, () => {
      clearInterval(timer);
      response.end(text);
    });
  };
const insert =
  (frame: string): Interruption =>
  (text, response) => {
    const [first, ...others] = text.split("\n\n");
    response.end([first, frame, ...others].join("\n\n"));
  };

const INTERRUPTIONS: Readonly<Record<string, Interruption>> = {
  comments: keepAlive(": keep-alive\n\n"),
  pings: keepAlive('event: ping\ndata: {"type":"ping"}\n\n'),
  unreadable: insert("data: {oh"),
  unknown: insert('data: {"weather":"fine"}'),
  "reset after the end": (text, response, path) => {
    response.write(text);
    continuations.set(path, () => response.socket?.resetAndDestroy());
  },
};

const server = createServer((asked, response) => {
  const [, format = "", interruption = ""] = (asked.url ?? "").split("/").map(decodeURIComponent);
  asked.resume();
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  INTERRUPTIONS[interruption]!(recordings[format]!.answers.text!, response, `${format}/${interruption}`);
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const STALL_MS = 2500;

const play = async (format: string, interruption: string, until?: EventType, afterMs = 0) => {
  const { port } = server.address() as AddressInfo;
  const endpoint = {
    baseUrl: `http://127.0.0.1:${port}/${format}/${encodeURIComponent(interruption)}`,
    apiKey: "key",
  };
  const models = provider({
    ...{ openai: endpoint, anthropic: endpoint, google: endpoint },
    compatible: { "openai-compatible": endpoint },
  });
  const source = agent({ name: "test", model: `${format}/m`, provider: models, stallMs: STALL_MS });
  const { runner, log } = setUp();
  const { run } = await runner.start(request, { name: "test", source });
  if (until) {
    await untilEvent(log, run, ({ type }) => type === until);
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    continuations.get(`${format}/${interruption}`)!();
  }
  const events = await untilEnd(log, run);
  const all = <Type extends EventType>(type: Type) => events.filter((event) => event.type === type) as EventOf<Type>[];
  const text = all("text-delta").map(({ delta }) => delta);
  return { all, answer: [text.join(""), all("run-end")[0]?.outcome] };
};
const COMPLETE = ["Hello there.", "done"];

describe.each(FORMATS)("in the format of %s", (format) => {
  test.each(["unreadable", "unknown"])("one %s chunk does not end the answer", async (kind) => {
    const { answer, all } = await play(format, kind);
    expect(answer).toEqual(COMPLETE);
    const notices = all("notice").filter(({ text }) => text.includes("could not be read"));
    // Every field of Google's chunks is optional.
    expect(notices).toHaveLength(format === "google" && kind === "unknown" ? 0 : 1);
    expect(all("status")).toEqual([]);
  });

  test("a connection that breaks after the end does not affect the answer", async () => {
    const { answer, all } = await play(format, "reset after the end", "text-delta");
    expect(answer).toEqual(COMPLETE);
    expect(all("status")).toEqual([]);
  });
});

test("in every format, comments and pings are not silence, and the user sees that the model is queued", async () => {
  const plays = FORMATS.flatMap((format) =>
    ["comments", "pings"].map(async (kind) => {
      const { answer, all } = await play(format, kind, "status", STALL_MS + 1000);
      return [format, kind, ...answer, all("status").map(({ text }) => text), all("step-retry").length];
    }),
  );
  for (const [format, kind, ...seen] of await Promise.all(plays))
    expect(seen, `${format}, ${kind}`).toEqual([...COMPLETE, ["The model is queued.", ""], 0]);
});
