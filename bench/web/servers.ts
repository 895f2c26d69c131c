import { readFileSync } from "node:fs";
import { type ServerResponse, createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { native } from "../../src/dialects/native.ts";
import type { Event } from "../../src/events.ts";
import { memory } from "../../src/logs/memory.ts";
import { page } from "../../src/page.ts";
import { createServer } from "../../src/server.ts";
import type { Source } from "../../src/source.ts";
import { cardEvents, type Past } from "./history.ts";
import { paced } from "./pace.ts";
import type { Beat } from "./stream.ts";

/** What is streamed, how fast, and the callback for its progress. */
export interface Streamed {
  readonly beats: readonly Beat[];
  readonly perSecond: number;
  readonly past: readonly Past[];
  readonly onToken: (count: number) => void;
}

export interface Serving {
  readonly url: string;
  close(): Promise<void>;
}

/** Runcast itself with its built page, and an agent that emits the stream. */
export const serveRuncast = async (streamed: () => Streamed): Promise<Serving> => {
  const source: Source = async function* () {
    const { beats, perSecond, onToken } = streamed();
    let steps = 0;
    let calls = 0;
    let open = false;
    const begin = (): Event[] => [
      { type: "step-start", step: `s${++steps}` },
      { type: "text-start", part: `p${steps}` },
    ];
    const end = (finish: "stop" | "tools"): Event[] => [{ type: "step-end", step: `s${steps}`, finish }];
    for await (const beat of paced(beats, perSecond, onToken)) {
      if (beat.kind === "token") {
        if (!open) yield* begin();
        open = true;
        yield { type: "text-delta", part: `p${steps}`, delta: beat.text };
      } else {
        if (open) yield { type: "text-end", part: `p${steps}` };
        else yield { type: "step-start", step: `s${++steps}` };
        open = false;
        const [asked, ran] = cardEvents(`c${++calls}`, beat);
        yield* asked;
        yield* end("tools");
        yield* ran;
      }
    }
    if (open) yield* [{ type: "text-end", part: `p${steps}` } as const, ...end("stop")];
  };
  const server = createServer({
    agents: { bench: source },
    log: memory(),
    dialects: [native],
    page: page()!,
  });
  const { url } = await server.listen();
  return { url, close: () => server.close() };
};

/** The peers' built pages, the history, and the stream in the two formats they read. */
export const servePeers = async (directory: string, streamed: () => Streamed): Promise<Serving> => {
  const server = createHttpServer((request, response) => {
    const name = new URL(request.url!, "http://localhost").pathname;
    if (name === "/history") response.end(JSON.stringify(streamed().past));
    else if (name === "/beats") void sayBeats(response, streamed());
    else if (name === "/chat") void sayChat(response, streamed());
    else {
      try {
        const bytes = readFileSync(path.join(directory, name));
        response.setHeader(
          "content-type",
          name.endsWith(".js") ? "text/javascript" : name.endsWith(".css") ? "text/css" : "text/html",
        );
        response.end(bytes);
      } catch {
        response.statusCode = 404;
        response.end();
      }
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
};

const sayBeats = async (response: ServerResponse, { beats, perSecond, onToken }: Streamed): Promise<void> => {
  response.setHeader("content-type", "text/event-stream");
  for await (const beat of paced(beats, perSecond, onToken)) response.write(`data: ${JSON.stringify(beat)}\n\n`);
  response.end("event: end\ndata: 1\n\n");
};

const sayChat = async (response: ServerResponse, { beats, perSecond, onToken }: Streamed): Promise<void> => {
  response.setHeader("content-type", "text/event-stream");
  response.setHeader("x-vercel-ai-ui-message-stream", "v1");
  const say = (chunk: unknown) => response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  let parts = 0;
  let calls = 0;
  let open = false;
  say({ type: "start" });
  say({ type: "start-step" });
  for await (const beat of paced(beats, perSecond, onToken)) {
    if (beat.kind === "token") {
      if (!open) say({ type: "text-start", id: `p${++parts}` });
      open = true;
      say({ type: "text-delta", id: `p${parts}`, delta: beat.text });
    } else {
      if (open) say({ type: "text-end", id: `p${parts}` });
      open = false;
      const toolCallId = `c${++calls}`;
      say({ type: "tool-input-start", toolCallId, toolName: beat.name });
      say({ type: "tool-input-delta", toolCallId, inputTextDelta: beat.input.slice(0, 12) });
      say({ type: "tool-input-delta", toolCallId, inputTextDelta: beat.input.slice(12) });
      say({ type: "tool-input-available", toolCallId, toolName: beat.name, input: JSON.parse(beat.input) as unknown });
      say({ type: "tool-output-available", toolCallId, output: beat.output });
    }
  }
  if (open) say({ type: "text-end", id: `p${parts}` });
  say({ type: "finish-step" });
  say({ type: "finish" });
  response.end("data: [DONE]\n\n");
};
