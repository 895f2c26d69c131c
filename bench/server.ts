import type { Stage } from "./stage.ts";

/**
 * A server under test: a file in `servers/` (without third-party packages) or `peers/` that exports `serve`.
 *
 * Every variant must do the following:
 * - Respond to each request with a stream of the stage's run: the opening immediately, every event when it is due, then the end.
 * - With `stage.plan.shared`, all streams show one run.
 * - Never drop, merge, or repeat events.
 */
export type Serve = (stage: Stage) => Promise<Served>;

export interface Served {
  readonly port: number;
  /** Writes the request for a stream. Default: `GET /`. */
  request?(purpose: Purpose): Requests;
}

/**
 * `fill` stores a run that `catch-up` then reads. `start` starts a run for each stream without showing it, and `follow`
 * shows these runs on another process. These are only used with servers that store runs.
 */
export type Purpose = "run" | "shared" | "fill" | "catch-up" | "start" | "follow";

/** The placeholder for the stream's number in a request. */
export const INDEX = "#####";

/** Raw HTTP requests. `first` opens the first stream, if it differs from the others. */
export interface Requests {
  readonly first?: string;
  readonly each: string;
}

export const get = (path: string, port: number): string =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: text/event-stream\r\n\r\n`;

export const post = (path: string, port: number, body: unknown, accept = "text/event-stream"): string => {
  const text = JSON.stringify(body);
  return (
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: ${accept}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  );
};

export const sseHeaders = { "content-type": "text/event-stream", "cache-control": "no-cache" };
