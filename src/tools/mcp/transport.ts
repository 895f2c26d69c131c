import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate } from "node:timers/promises";
import {
  ProtocolErrorCode,
  type RequestId,
  StreamableHTTPClientTransport,
  type Transport,
  isJSONRPCRequest,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { HttpServer, McpOptions, McpServerOptions } from "../mcp.ts";
import { boundedBody } from "./bounded-body.ts";
import { floodMeter } from "./flood.ts";
import { guardedFetch } from "./guarded-fetch.ts";
import type { InFlight } from "./in-flight.ts";

/** The error code of a request whose connection was lost before the response. */
export const LOST = -32_000;
/** The transport's message when it can no longer reach a server. */
export const GAVE_UP = /^Maximum reconnection attempts/;
/** The transport's message when a program's message is too large. */
export const OVERFLOW = /^ReadBuffer exceeded/;

export const transport = (
  server: McpServerOptions,
  { allowPrivate = [], guarded = false, answerBytes = 16 * 1024 * 1024 }: McpOptions & { readonly guarded?: boolean },
  calls: Pick<InFlight, "ended">,
  flooded: () => void,
): Transport => {
  const made =
    "url" in server
      ? http(server, guarded ? guardedFetch(allowPrivate) : fetch, answerBytes, calls)
      : stdio(server, answerBytes);
  // The client calls this handler before its own.
  return Object.assign(made, { onmessage: floodMeter(flooded) });
};

const stdio = (
  { command, args = [], env, cwd, stderr = "inherit" }: Exclude<McpServerOptions, HttpServer>,
  maxBufferSize: number,
): Transport =>
  new StdioClientTransport({
    command,
    args: [...args],
    ...(env && { env: { ...env } }),
    ...(cwd !== undefined && { cwd }),
    stderr,
    maxBufferSize,
  });

const http = (
  { url, headers }: HttpServer,
  request: (input: string | URL, init?: RequestInit) => Promise<Response>,
  answerBytes: number,
  calls: Pick<InFlight, "ended">,
): Transport => {
  const asked = new AsyncLocalStorage<RequestId>();
  const fail = (id: RequestId, code: number, message: string) =>
    made.onmessage?.({ jsonrpc: "2.0", id, error: { code, message } });
  const made = new StreamableHTTPClientTransport(new URL(url), {
    ...(headers && { requestInit: { headers: { ...headers } } }),
    fetch: async (input, init) => {
      const id = asked.getStore();
      // Fail only this request, because others share the connection.
      return boundedBody(await request(input, init), answerBytes, ({ message }) => {
        if (id !== undefined) fail(id, ProtocolErrorCode.InternalError, message);
      });
    },
    reconnectionOptions: {
      initialReconnectionDelay: 250,
      reconnectionDelayGrowFactor: 2,
      maxReconnectionDelay: 4000,
      maxRetries: 4,
    },
  });
  const send = made.send.bind(made);
  let turn = Promise.resolve();
  made.send = async (message, options) => {
    if (Array.isArray(message) || !isJSONRPCRequest(message)) {
      // Each answer is an HTTP request. Send one per turn, because many in one turn would delay other work.
      await (turn = turn.then(() => setImmediate()));
      return send(message, options);
    }
    const { id } = message;
    const ended = calls.ended();
    const signals = [options?.requestSignal, ended].filter((signal) => signal !== undefined && !signal.aborted);
    return asked.run(id, () =>
      send(message, {
        ...options,
        ...(signals.length > 0 && { requestSignal: AbortSignal.any(signals as AbortSignal[]) }),
        // A request whose stream ends early would wait forever, so it fails here.
        onRequestStreamEnd: options?.onRequestStreamEnd ?? (() => fail(id, LOST, "The connection was lost.")),
      }),
    );
  };
  return made;
};
