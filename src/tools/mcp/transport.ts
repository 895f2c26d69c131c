import { StreamableHTTPClientTransport, type Transport, isJSONRPCRequest } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { HttpServer, McpOptions, McpServerOptions } from "../mcp.ts";
import { guardedFetch } from "./guarded-fetch.ts";

/** The server's code for a request whose connection was lost before it was answered. */
export const LOST = -32_000;
/** What the transport says when it cannot reach a server any more. */
export const GAVE_UP = /^Maximum reconnection attempts/;

export const transport = (
  server: McpServerOptions,
  { allowPrivate = [], guarded = false }: McpOptions & { readonly guarded?: boolean },
): Transport => {
  if ("url" in server) return http(server, guarded ? guardedFetch(allowPrivate) : undefined);
  const { command, args = [], env, cwd, stderr = "inherit" } = server;
  return new StdioClientTransport({
    command,
    args: [...args],
    ...(env && { env: { ...env } }),
    ...(cwd !== undefined && { cwd }),
    stderr,
  });
};

const http = ({ url, headers }: HttpServer, fetch: ReturnType<typeof guardedFetch> | undefined): Transport => {
  const made = new StreamableHTTPClientTransport(new URL(url), {
    ...(headers && { requestInit: { headers: { ...headers } } }),
    ...(fetch && { fetch }),
    reconnectionOptions: {
      initialReconnectionDelay: 250,
      reconnectionDelayGrowFactor: 2,
      maxReconnectionDelay: 4000,
      maxRetries: 4,
    },
  });
  // A request whose stream ends early would wait for ever: it is answered here.
  const send = made.send.bind(made);
  made.send = (message, options) => {
    if (Array.isArray(message) || !isJSONRPCRequest(message) || options?.onRequestStreamEnd)
      return send(message, options);
    const { id } = message;
    const error = { code: LOST, message: "The connection was lost." };
    return send(message, { ...options, onRequestStreamEnd: () => made.onmessage?.({ jsonrpc: "2.0", id, error }) });
  };
  return made;
};
