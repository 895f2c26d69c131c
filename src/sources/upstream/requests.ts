import { setTimeout as sleep } from "node:timers/promises";
import { Refusal } from "../../source.ts";
import { isTemporary, refusalOf } from "./refusals.ts";

/** A server that runs agents, and how to reach it. */
export interface UpstreamServer {
  readonly url: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long to retry a stream that broke off. */
  readonly retryMs?: number;
}

const RETRY_MS = 30_000;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2000;

/** `auth` is the header that contains the key. */
export const request = (
  { url, headers }: UpstreamServer,
  path: string,
  init: RequestInit & { readonly headers?: Readonly<Record<string, string>> },
  auth: Readonly<Record<string, string>>,
): Promise<Response> =>
  fetch(url.replace(/\/+$/, "") + path, {
    ...init,
    headers: { ...init.headers, ...headers, ...auth },
    // Do not send the key to another server.
    redirect: "manual",
  });

export const isEventStream = (response: Response): boolean =>
  response.ok && /event-stream/.test(response.headers.get("content-type") ?? "");

interface StreamOptions {
  /** The protocol that the server should implement, for error messages. */
  readonly speaks: string;
  readonly signal: AbortSignal;
  readonly retryMs: number | undefined;
}

/** Opens a stream, with retries. Undefined if the retries time out. Throws a Refusal if the server rejects the request permanently. */
export const openStream = async (
  open: () => Promise<Response>,
  { speaks, signal, retryMs = RETRY_MS }: StreamOptions,
): Promise<Response | undefined> => {
  const deadline = Date.now() + retryMs;
  for (let tries = 0; ; tries++) {
    const response = await open().catch(() => undefined);
    if (response && isEventStream(response)) return response;
    if (response && (response.ok || !isTemporary(response.status))) throw await refusalOf(response, speaks);
    await response?.body?.cancel();
    if (Date.now() >= deadline || signal.aborted) return undefined;
    const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** tries);
    await sleep(wait, undefined, { signal }).catch(() => {});
  }
};

/** The body of a response. Throws a Refusal if it exceeds `maxBytes`. */
export const wholeText = async (response: Response, maxBytes: number): Promise<string> => {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > maxBytes)
      throw new Refusal("upstream-too-large", "The server's response is too large.", { status: 502 });
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
};
