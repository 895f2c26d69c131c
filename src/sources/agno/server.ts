import { type Fields, fieldsOf, listOf, parseJson } from "../../json.ts";
import { refusalOf, unreachable } from "../upstream/refusals.ts";
import { isEventStream, openStream, request, type UpstreamServer, wholeText } from "../upstream/requests.ts";

export interface AgnoTarget {
  readonly kind: "agent" | "team" | "workflow";
  readonly id: string;
}

export interface Session {
  readonly id: string;
  /** Whether this run creates the session. */
  readonly isNew: boolean;
  readonly user: string | undefined;
  /** The thread as the client named it, without the user. */
  readonly thread: string | undefined;
}

const SPEAKS = "AgentOS";
const CANCEL_MS = 2000;
const MAX_STORED_BYTES = 16 * 1024 * 1024;

/** One run on an AgentOS: the requests that start, continue, follow and stop it. */
export class AgnoServer {
  readonly session: Session;
  run = "";
  /** Whether the run continues on the server if the connection breaks. */
  isBackground = true;
  readonly #options: UpstreamServer;
  readonly #target: AgnoTarget;
  readonly #closing = new AbortController();
  readonly #stopping = new AbortController();
  #isSent = false;

  constructor(options: UpstreamServer, target: AgnoTarget, session: Session) {
    this.#options = options;
    this.#target = target;
    this.session = session;
  }

  /** Aborts when reading stops. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  async start(fields: FormData): Promise<Response> {
    fields.set("run_id", this.run);
    this.#addDependencies(fields);
    const response = await this.#stream("", fields);
    if (response.status !== 400) return await this.#checked(response);
    const refusal = await refusalOf(response, SPEAKS);
    // Without a database on the server, the run cannot outlive its connection.
    if (!/background/i.test(refusal.message)) throw refusal;
    this.isBackground = false;
    return await this.#checked(await this.#stream("", fields));
  }

  async continue(name: string, value: unknown): Promise<Response> {
    const fields = new FormData();
    fields.set(name, JSON.stringify(value));
    // A workflow that has paused continues only while it is being read.
    if (this.#target.kind === "workflow") this.isBackground = false;
    this.#addDependencies(fields);
    // Not retried: a second request would run everything twice.
    return await this.#checked(await this.#stream(`/${this.#id}/continue`, fields));
  }

  /** Follows the run from the event after this one. Undefined if the retries time out. */
  async resume(index: number): Promise<Response | undefined> {
    const open = async () => {
      const fields = new FormData();
      if (index >= 0) fields.set("last_event_index", String(index));
      return await this.#stream(`/${this.#id}/resume`, fields);
    };
    const { retryMs } = this.#options;
    return await openStream(open, { speaks: SPEAKS, signal: this.signal, retryMs });
  }

  /** What a paused workflow waits for. Its stream does not contain all of it. */
  async stepRequirements(): Promise<readonly unknown[]> {
    const stored = await this.#json(`${this.#runs}/${this.#id}?${this.#query()}`);
    return listOf(stored?.["step_requirements"]).slice(0, 200);
  }

  /** Whether the AgentOS already has this session. */
  async knowsSession(): Promise<boolean> {
    if (this.session.isNew) return false;
    const path = `/sessions/${encodeURIComponent(this.session.id)}?type=${this.#target.kind}`;
    return (await this.#json(path)) !== undefined;
  }

  /** Stops reading immediately. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Stops the run on the server. Agno lets a running tool finish. */
  async cancel(): Promise<void> {
    if (!this.#isSent) return;
    const path = `${this.#runs}/${this.#id}/cancel?${this.#query()}`;
    const signal = AbortSignal.timeout(CANCEL_MS);
    const response = await this.#fetch(path, { method: "POST", signal }).catch(() => undefined);
    await response?.body?.cancel().catch(() => {});
  }

  close(): void {
    this.#stopping.abort();
    this.#closing.abort();
  }

  get #runs(): string {
    return `/${this.#target.kind}s/${encodeURIComponent(this.#target.id)}/runs`;
  }

  get #id(): string {
    return encodeURIComponent(this.run);
  }

  #query(): string {
    const { id, user } = this.session;
    return new URLSearchParams({ session_id: id, ...(user !== undefined && { user_id: user }) }).toString();
  }

  /** Names the user and the chat to tools and hooks. Agno merges them with the agent's own dependencies. */
  #addDependencies(fields: FormData): void {
    const { user, thread } = this.session;
    const named = { ...(user !== undefined && { user_id: user }), ...(thread !== undefined && { chat_id: thread }) };
    if (this.#target.kind === "workflow" || Object.keys(named).length === 0) return;
    fields.set("dependencies", JSON.stringify(named));
  }

  async #stream(path: string, fields: FormData): Promise<Response> {
    fields.set("stream", "true");
    if (this.isBackground) fields.set("background", "true");
    else fields.delete("background");
    fields.set("session_id", this.session.id);
    if (this.session.user !== undefined) fields.set("user_id", this.session.user);
    this.#isSent = true;
    // Send bytes: fetch cannot always end a form that it is still writing when the response is over.
    const form = new Response(fields);
    const body = await form.arrayBuffer();
    const headers = { "content-type": form.headers.get("content-type")! };
    try {
      return await this.#fetch(this.#runs + path, { method: "POST", body, headers, signal: this.signal });
    } catch (error) {
      throw unreachable(this.#options.url, error);
    }
  }

  async #checked(response: Response): Promise<Response> {
    if (isEventStream(response)) return response;
    this.#isSent = false;
    throw await refusalOf(response, SPEAKS);
  }

  async #json(path: string): Promise<Fields | undefined> {
    const response = await this.#fetch(path, { signal: this.signal }).catch(() => undefined);
    if (!response?.ok) {
      await response?.body?.cancel();
      return undefined;
    }
    const value = parseJson(await wholeText(response, MAX_STORED_BYTES));
    return value === undefined ? undefined : fieldsOf(value);
  }

  #fetch(path: string, init: RequestInit & { readonly headers?: Readonly<Record<string, string>> }): Promise<Response> {
    const { key } = this.#options;
    return request(this.#options, path, init, key === undefined ? {} : { authorization: `Bearer ${key}` });
  }
}
