import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Event } from "../src/events.ts";

export interface ScriptedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Answers one request. */
export type Answering = (response: ServerResponse, request: ScriptedRequest) => void;

/** A server that answers the n-th request with the n-th function of `script`, and repeats the last one. Responses may be invalid. */
export const startScriptedServer = async (...script: readonly Answering[]) => {
  const requests: ScriptedRequest[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request.setEncoding("utf8")) body += piece;
    const { method = "", url = "", headers } = request;
    const index = requests.push({ method, url, headers, body }) - 1;
    script[Math.min(index, script.length - 1)]!(response, requests[index]!);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
};

export const frame = (seq: number, event: Event): string =>
  `id: ${seq}\nevent: ${event.type}\ndata: ${JSON.stringify({ ...event, at: 1000 + seq })}\n\n`;

const HEAD = { "content-type": "text/event-stream; charset=utf-8" };

/** Sends a stream and ends it properly. */
export const streams =
  (...frames: readonly string[]): Answering =>
  (response) =>
    response.writeHead(200, HEAD).end(frames.join(""));

/** Sends a stream and leaves it open. */
export const hangs =
  (...frames: readonly string[]): Answering =>
  (response) => {
    response.writeHead(200, HEAD).flushHeaders();
    response.write(frames.join("") || ":\n\n");
  };

export const refuses =
  (status: number, error: object | string, headers: Record<string, string> = {}): Answering =>
  (response) =>
    response.writeHead(status, headers).end(typeof error === "string" ? error : JSON.stringify({ error }));
