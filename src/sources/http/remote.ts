import type { Command, Dialect } from "../../dialect.ts";
import type { HttpOptions } from "../http.ts";

/** The server, and how to send requests to it. */
export interface Remote {
  readonly dialect: Dialect;
  /** Whether the dialect has such a command. */
  can(command: Command["do"]): boolean;
  /** Rejects if the server cannot be reached. */
  send(command: Command, signal?: AbortSignal): Promise<Response>;
  /** Fetches a resource of a Runcast server that is not part of a dialect. */
  fetch(path: string): Promise<Response>;
  /** Aborts when the connection is no longer needed: `close` was called, or the run was stopped and the dialect has no cancel. */
  readonly signal: AbortSignal;
  close(): void;
}

export const createRemote = (options: HttpOptions, stopped: AbortSignal): Remote => {
  const { dialect, headers = {}, key } = options;
  const closing = new AbortController();
  const close = (): void => closing.abort();
  const can: Remote["can"] = (command) => dialect.routes.some(({ does }) => does === command);
  const own = { "runcast-extensions": "1", ...headers, ...(key !== undefined && { authorization: `Bearer ${key}` }) };
  if (!can("cancel")) stopped.addEventListener("abort", close, { once: true, signal: closing.signal });

  return {
    dialect,
    can,
    send: (command, signal) => {
      const written = dialect.write(command);
      const path = options.path?.(written.path) ?? written.path;
      return fetch(joined(options.url, path), {
        method: written.method,
        headers: { ...written.headers, ...own },
        ...(written.body !== undefined && { body: written.body }),
        // Do not send the key and the request's secrets to another server.
        redirect: "manual",
        signal: signal ? AbortSignal.any([signal, closing.signal]) : closing.signal,
      });
    },
    fetch: (path) =>
      fetch(rootOf(options.url, dialect) + path, { headers: own, redirect: "manual", signal: closing.signal }),
    signal: closing.signal,
    close,
  };
};

/** The base URL without the part that belongs to the dialect's paths. */
const rootOf = (base: string, dialect: Dialect): string => {
  const url = base.replace(/\/+$/, "");
  const [path = ""] = dialect.routes.map((route) => route.path).filter((one) => joined(url, one) !== url + one);
  return path === "" ? url : joined(url, path).slice(0, -path.length);
};

/** Appends the path to the base URL, which may already contain the path's first segments: `https://host/v1` and `/v1/models`. */
const joined = (base: string, path: string): string => {
  const url = base.replace(/\/+$/, "");
  const segments = new URL(url).pathname.split("/").filter(Boolean);
  for (let from = 0; from < segments.length; from++) {
    const start = `/${segments.slice(from).join("/")}`;
    if (path === start || path.startsWith(`${start}/`)) return url + path.slice(start.length);
  }
  return url + path;
};
