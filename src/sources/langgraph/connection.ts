import { setTimeout as sleep } from "node:timers/promises";
import { Refusal } from "../../source.ts";
import { type Fields, fieldsOf, listOf } from "../upstream/reading.ts";
import { isTemporary, refusalOf, unreachable } from "../upstream/refusals.ts";
import { parsed } from "./protocol.ts";

export interface ServerOptions {
  readonly url: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly patienceMs?: number;
}

const PATIENCE_MS = 30_000;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2000;
const CANCEL_MS = 5000;
const MOST_BYTES = 64 * 1024 * 1024;
const SPEAKS = "LangGraph's API";

/** Requests to a LangGraph server about one thread. */
export class Connection {
  readonly thread: string;
  readonly #options: ServerOptions;
  readonly #stopping = new AbortController();

  constructor(options: ServerOptions, thread: string) {
    this.#options = options;
    this.thread = thread;
  }

  /** Aborts when nothing more is read. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Stops reading, at once. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Makes the thread, unless it is there. */
  async ensureThread(): Promise<void> {
    const body = { thread_id: this.thread, if_exists: "do_nothing", metadata: { created_by: "runcast" } };
    await this.json("POST", "/threads", body);
  }

  /** The answer to a request, as JSON. Throws what the server refuses. */
  async json(method: "GET" | "POST", path: string, body?: unknown): Promise<Fields> {
    return fieldsOf(await this.#parsed(method, path, body));
  }

  /** A list, or nothing if the server does not give it. */
  async list(path: string): Promise<readonly unknown[]> {
    return listOf(await this.#parsed("GET", path).catch(() => undefined));
  }

  /** The same, or undefined if the server refuses or cannot be reached. */
  async ask(path: string): Promise<Fields | undefined> {
    try {
      return await this.json("GET", path);
    } catch (error) {
      if (error instanceof Refusal) return undefined;
      throw error;
    }
  }

  /** A stream, tried again as long as there is patience. Undefined if there is no more. */
  async stream(open: () => Promise<Response>): Promise<Response | undefined> {
    const deadline = Date.now() + (this.#options.patienceMs ?? PATIENCE_MS);
    for (let tries = 0; ; tries++) {
      const response = await open().catch(() => undefined);
      const isStream = /event-stream/.test(response?.headers.get("content-type") ?? "");
      if (response?.ok && isStream) return response;
      if (response && (response.ok || !isTemporary(response.status))) throw await refusalOf(response, SPEAKS);
      await response?.body?.cancel();
      if (Date.now() >= deadline || this.signal.aborted) return undefined;
      const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** tries);
      await sleep(wait, undefined, { signal: this.signal }).catch(() => {});
    }
  }

  /** Stops a run there, also when nothing more is read. */
  async cancel(run: string): Promise<void> {
    const path = `${this.path}/runs/${encodeURIComponent(run)}/cancel?wait=0&action=interrupt`;
    const response = await this.#fetch("POST", path, undefined, {}, AbortSignal.timeout(CANCEL_MS)).catch(
      () => undefined,
    );
    await response?.body?.cancel().catch(() => {});
  }

  get path(): string {
    return `/threads/${this.thread}`;
  }

  async send(method: "GET" | "POST", path: string, body?: unknown, headers: HeaderFields = {}): Promise<Response> {
    try {
      return await this.#fetch(method, path, body, headers, this.signal);
    } catch (error) {
      throw unreachable(this.#options.url, error);
    }
  }

  async #parsed(method: "GET" | "POST", path: string, body?: unknown): Promise<unknown> {
    const response = await this.send(method, path, body);
    if (!response.ok) throw await refusalOf(response, SPEAKS);
    return parsed(await textOf(response));
  }

  #fetch(method: string, path: string, body: unknown, headers: HeaderFields, signal: AbortSignal): Promise<Response> {
    const { url, key, headers: own } = this.#options;
    return fetch(url.replace(/\/+$/, "") + path, {
      method,
      signal,
      headers: {
        ...headers,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...own,
        ...(key !== undefined && { "x-api-key": key }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // Elsewhere, nobody is meant to have the key.
      redirect: "manual",
    });
  }
}

type HeaderFields = Readonly<Record<string, string>>;

const textOf = async (response: Response): Promise<string> => {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > MOST_BYTES)
      throw new Refusal("upstream-too-large", "The server's answer is too large.", { status: 502 });
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
};
