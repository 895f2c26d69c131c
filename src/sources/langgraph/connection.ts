import { type Fields, fieldsOf, listOf, parseJson } from "../../json.ts";
import { Refusal } from "../../source.ts";
import { refusalOf, unreachable } from "../upstream/refusals.ts";
import { openStream, request, type UpstreamServer, wholeText } from "../upstream/requests.ts";

const CANCEL_MS = 5000;
const MAX_BYTES = 64 * 1024 * 1024;
const SPEAKS = "LangGraph's API";

/** Requests to a LangGraph server about one thread. */
export class LangGraphConnection {
  readonly thread: string;
  readonly #options: UpstreamServer;
  readonly #stopping = new AbortController();

  constructor(options: UpstreamServer, thread: string) {
    this.#options = options;
    this.thread = thread;
  }

  /** Aborts when reading stops. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Stops reading immediately. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Creates the thread if it does not exist. */
  async ensureThread(): Promise<void> {
    const body = { thread_id: this.thread, if_exists: "do_nothing", metadata: { created_by: "runcast" } };
    await this.json("POST", "/threads", body);
  }

  /** The JSON response to a request. Throws a Refusal if the server rejects it. */
  async json(method: "GET" | "POST", path: string, body?: unknown): Promise<Fields> {
    return fieldsOf(await this.#parsed(method, path, body));
  }

  /** A list. Empty if the request fails. */
  async list(path: string): Promise<readonly unknown[]> {
    return listOf(await this.#parsed("GET", path).catch(() => undefined));
  }

  /** Like `json`, but undefined if the server rejects the request or cannot be reached. */
  async ask(path: string): Promise<Fields | undefined> {
    try {
      return await this.json("GET", path);
    } catch (error) {
      if (error instanceof Refusal) return undefined;
      throw error;
    }
  }

  /** Opens a stream, with retries. Undefined if the retries time out. */
  async stream(open: () => Promise<Response>): Promise<Response | undefined> {
    const { retryMs } = this.#options;
    return await openStream(open, { speaks: SPEAKS, signal: this.signal, retryMs });
  }

  /** Stops a run on the server. Works even after reading has stopped. */
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
    return parseJson(await wholeText(response, MAX_BYTES));
  }

  #fetch(method: string, path: string, body: unknown, headers: HeaderFields, signal: AbortSignal): Promise<Response> {
    const { key } = this.#options;
    const init = {
      method,
      signal,
      headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    return request(this.#options, path, init, key === undefined ? {} : { "x-api-key": key });
  }
}

type HeaderFields = Readonly<Record<string, string>>;
