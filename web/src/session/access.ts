import { type FileLimits, messageOf } from "runcast/view";
import { browserWakes, type Client, ClientError, createClient } from "runcast/client";
import type { Problem } from "runcast/events";
import type { NamedAgent, ToolFacts } from "runcast/source";
import { nextBeat } from "../kit/beat.ts";
import { troubleText } from "../run/trouble-text.ts";

/** The server that served this page, with the user's access to it. */
export interface Access {
  readonly client: Client;
  /** A token in the page's URL, for access to one run. */
  readonly token: string | undefined;
  readonly key: string | undefined;
  agents(signal?: AbortSignal): Promise<readonly NamedAgent[]>;
  /** The agent of requests that name none, once the agents are known. */
  defaultAgent(): string | undefined;
  /** The limits for files, as the server reported them with its agents. */
  fileLimits(): FileLimits;
  /** The tools of an MCP server. Rejects with an error that explains why it cannot be used. */
  checkServer(server: { readonly url: string; readonly key?: string }): Promise<readonly ToolFacts[]>;
  /** Requests a path of the server. Rejects with a ClientError that carries the server's message. */
  ask(path: string, init?: RequestInit): Promise<Response>;
  /** Immediately retries everything that is waiting for a retry. */
  wake(): void;
  /** The server's clock, as estimated from its responses. */
  now(): number;
}

const KEY = "runcast.key";

/** Stored for the tab, or on the device if the user wants that. */
export const readKey = (): string | undefined => sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY) ?? undefined;

export const keepKey = (key: string | undefined, onDevice: boolean): void => {
  for (const storage of [sessionStorage, localStorage]) storage.removeItem(KEY);
  if (key) (onDevice ? localStorage : sessionStorage).setItem(KEY, key);
};

export interface AccessOptions {
  readonly key?: string;
  readonly token?: string;
  /** The page is in a frame that may have an opaque origin. The server then only accepts requests with the token in the URL. */
  readonly isFramed?: boolean;
}

export const createAccess = ({ key, token, isFramed = false }: AccessOptions): Access => {
  // The page may be under a subpath, behind a proxy or with a key in the path.
  const base = new URL(".", location.href).href.replace(/\/$/, "");
  const wakes = new EventTarget();
  const address = (url: string): string =>
    isFramed ? `${url}${url.includes("?") ? "&" : "?"}token=${encodeURIComponent(token ?? "")}` : url;
  const auth: Record<string, string> = !isFramed && (token ?? key) ? { authorization: `Bearer ${token ?? key}` } : {};

  let ahead = 0;
  let defaultAgent: string | undefined;
  // The server's defaults, until it has reported its limits.
  let limits: FileLimits = { fileBytes: 10 * 1024 ** 2, filesBytes: 32 * 1024 ** 2, files: 100 };

  const ask: Access["ask"] = async (path, init = {}) => {
    let response: Response;
    try {
      response = await fetch(address(base + path), {
        cache: "no-store",
        ...init,
        headers: { ...auth, ...(init.headers as object) },
      });
    } catch (error) {
      init.signal?.throwIfAborted();
      const hint = "check that it is running (npm start)";
      throw new ClientError({ code: "network", message: "the server cannot be reached", hint }, { cause: error });
    }
    const serverTime = Date.parse(response.headers.get("date") ?? "");
    if (!Number.isNaN(serverTime)) ahead = serverTime - Date.now();
    if (response.ok) return response;
    throw new ClientError(await problemIn(response), { status: response.status });
  };

  return {
    token,
    key,
    client: createClient({
      url: base,
      ...(isFramed ? {} : token !== undefined ? { token } : key !== undefined && { key }),
      ...(isFramed && { fetch: (url, init) => fetch(address(url), init) }),
      wakes: (wake) => {
        const stop = browserWakes(wake);
        wakes.addEventListener("wake", wake);
        return () => {
          stop();
          wakes.removeEventListener("wake", wake);
        };
      },
      pace: nextBeat,
    }),
    agents: async (signal) => {
      const response = await ask("/agents", signal ? { signal } : {});
      const known = (await response.json()) as { agents: readonly NamedAgent[]; limits?: FileLimits };
      limits = known.limits ?? limits;
      defaultAgent = known.agents[0]?.name;
      return known.agents;
    },
    defaultAgent: () => defaultAgent,
    fileLimits: () => limits,
    checkServer: async (server) => {
      const response = await ask("/servers/check", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(server),
      });
      return ((await response.json()) as { tools: readonly ToolFacts[] }).tools;
    },
    ask,
    now: () => Date.now() + ahead,
    wake: () => void wakes.dispatchEvent(new Event("wake")),
  };
};

const problemIn = async (response: Response): Promise<Problem> => {
  try {
    const { error } = (await response.json()) as { error: Problem };
    if (typeof error.message === "string") return error;
  } catch {
    // An intermediary responded: report only its status.
  }
  return { code: `http-${response.status}`, message: `the server returned HTTP ${response.status}` };
};

/** Describes any failure for the user. */
export const problemOf = (error: unknown): Problem => {
  if (error instanceof ClientError)
    return { code: error.code, message: troubleText(error), ...(error.hint !== undefined && { hint: error.hint }) };
  return { code: "failed", message: messageOf(error) };
};
