import { type Backoff, defaultBackoff, sleep } from "./client/backoff.ts";
import {
  type CancelStatus,
  type Connection,
  createRunHandle,
  type Position,
  type RunHandle,
  type CancelTarget,
} from "./client/run-handle.ts";
import { checkAddress, checkHeaders, ClientError, networkTrouble, type Trouble, troubleOf } from "./client/trouble.ts";
import { browserWakes, type Wakes } from "./client/wakes.ts";
import type { Command } from "./dialect.ts";
import type { Answer, Entry, FileRef } from "./events.ts";
import type { RunSummary } from "./protocol.ts";
import { createRunId } from "./run-id.ts";
import type { RunState } from "./state.ts";
import { writeCommand } from "./wire.ts";

export { createRunId, type Backoff, browserWakes, type CancelStatus, ClientError, type Connection, defaultBackoff };
export type { RunHandle, CancelTarget, Wakes };

export interface ClientOptions {
  /** The server's URL, with or without a path before `/runs`. "" means the page's own origin. */
  readonly url: string;
  readonly key?: string;
  /** A token that allows reading one run. */
  readonly token?: string;
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /**
   * Default: doubles from half a second to half a minute, with jitter, and never gives up. A longer delay requested by
   * the server is always honored.
   */
  readonly backoff?: Backoff;
  /** A connection that receives nothing for this long, not even a heartbeat, is considered dead. Default: 45 s, three heartbeats. */
  readonly silenceMs?: number;
  /** Reports when the network or the page may be back, to skip the rest of a backoff. Default: browser events. */
  readonly wakes?: Wakes;
  /**
   * Awaited between two deliveries, for callers that display a stream no faster than that. Everything that arrives
   * meanwhile is delivered at once. It must always resolve soon.
   */
  readonly pace?: () => Promise<void>;
}

type RunRequest = Extract<Command, { do: "start" }>["request"];
type Messages = { readonly messages: RunRequest["messages"] } | { readonly message: string };
/** `message` is shorthand for one user message. Secrets are sent as headers. */
export type StartRequest = Omit<RunRequest, "messages"> & Messages;

export interface FollowOptions {
  /** Called for each entry right after it is folded, as bytes arrive. If it throws, the handle fails. */
  readonly onEntry?: (entry: Entry) => void;
  /** Aborting it closes the handle. */
  readonly signal?: AbortSignal;
  /** An existing state, such as one folded from stored entries. Following continues after its seq and updates it. */
  readonly into?: RunState;
}

export interface FollowFrom {
  /** A cursor: only later entries are sent, and the state contains only those. Default: 0, the whole run. Ignored with `into`. */
  readonly after?: number;
  /** Starts with the current state instead of the entries that led to it, which are never delivered. `after` is then ignored. */
  readonly from?: "snapshot";
}

export interface ListQuery {
  readonly limit?: number;
  /** A run id. Lists only runs that started before it. */
  readonly before?: string;
  readonly thread?: string;
  readonly open?: boolean;
}

export type { RunSummary };

interface Abortable {
  readonly signal?: AbortSignal;
}

/**
 * A client of one server, for browsers and Node.js.
 *
 * Single requests (cancel, answer, list, file) are idempotent and retried a few times if that can help. They reject
 * with a ClientError that carries the server's message, or with the reason of an aborted signal.
 */
export interface Client {
  /**
   * Starts a run and follows it. The client chooses the run id (unless the request has one), so it is known
   * immediately, and a request whose response was lost is simply sent again: a run is never started twice.
   */
  start(request: StartRequest, options?: FollowOptions): RunHandle;
  follow(run: string, options?: FollowOptions & FollowFrom): RunHandle;
  cancel(run: string, target?: CancelTarget, options?: Abortable): Promise<CancelStatus>;
  answer(run: string, ask: string, answer: Answer, options?: Abortable): Promise<void>;
  /** Revokes an answer with `always`: the tool needs approval again. Rejects with the code `not-revocable` if there was none. */
  revoke(run: string, ask: string, options?: Abortable): Promise<void>;
  /** Newest first. If there are more, `next` is the `before` of the next page. */
  list(
    query?: ListQuery,
    options?: Abortable,
  ): Promise<{ readonly runs: readonly RunSummary[]; readonly next?: string }>;
  /** Stores a file for the run that is about to start with this id. A part of its message references the file. */
  upload(
    run: string,
    bytes: Blob | Uint8Array<ArrayBuffer>,
    file: { readonly mediaType: string; readonly name?: string },
    options?: Abortable,
  ): Promise<Pick<FileRef, "file" | "mediaType" | "bytes" | "name">>;
  /** The bytes of a file stored with the run's log. `range` as in the HTTP header: `bytes=0-99`. */
  file(run: string, file: string, options?: Abortable & { readonly range?: string }): Promise<Response>;
}

const SILENCE_MS = 45_000;
const TRIES = 5;

export const createClient = (options: ClientOptions): Client => {
  const { backoff = defaultBackoff, silenceMs = SILENCE_MS, wakes = browserWakes } = options;
  // Called as a plain function: a browser's `fetch` rejects any other `this` than the global object.
  const { fetch: ask = (url, init) => globalThis.fetch(url, init) } = options;
  const base = options.url.replace(/\/+$/, "");
  const secret = options.key ?? options.token;
  const auth: Record<string, string> = secret === undefined ? {} : { authorization: `Bearer ${secret}` };

  const send = (path: string, init: RequestInit): Promise<Response> => {
    const headers = { ...auth, ...(init.headers as object) };
    checkHeaders(headers);
    // A custom `fetch` may accept any address.
    if (!options.fetch) checkAddress(base + path);
    return ask(base + path, { cache: "no-store", ...init, headers });
  };

  const tryOnce = async (path: string, init: RequestInit): Promise<Response | Trouble> => {
    try {
      const response = await send(path, init);
      return response.ok ? response : await troubleOf(response);
    } catch (error) {
      init.signal?.throwIfAborted();
      return networkTrouble(error);
    }
  };
  const request = async (path: string, init: RequestInit): Promise<Response> => {
    for (let attempt = 1; ; attempt++) {
      const answered = await tryOnce(path, init);
      if (answered instanceof Response) return answered;
      const { problem, final, status, retryAfterMs = 0 } = answered;
      const wait = final || attempt === TRIES ? undefined : backoff(attempt, problem);
      if (wait === undefined) throw new ClientError(problem, status === undefined ? {} : { status });
      await sleep(Math.max(wait, retryAfterMs), init.signal ?? undefined);
    }
  };
  const command = (asked: Command, { signal }: Abortable): Promise<Response> => {
    const { path, ...init } = writeCommand(asked);
    return request(path, { ...init, ...(signal && { signal }) });
  };
  const stream = (asked: Command, signal: AbortSignal): Promise<Response> => {
    const { path, ...init } = writeCommand(asked);
    return send(path, { ...init, signal });
  };

  const cancel: Client["cancel"] = async (run, target = {}, abortable = {}) => {
    const response = await command({ do: "cancel", run, ...target }, abortable);
    return ((await response.json()) as { status: CancelStatus }).status;
  };
  const answer: Client["answer"] = async (run, name, value, abortable = {}) => {
    await command({ do: "answer", run, ask: name, answer: value }, abortable);
  };

  const revoke: Client["revoke"] = async (run, name, abortable = {}) => {
    await command({ do: "answer", run, ask: name, answer: { revoke: true } }, abortable);
  };

  const resume = (
    run: string,
    { seq, at }: Position,
    isFromSnapshot: boolean,
    signal: AbortSignal,
  ): Promise<Response> =>
    stream(
      isFromSnapshot
        ? { do: "follow", run, after: { seq: 0, frame: 0 }, from: "snapshot" }
        : { do: "follow", run, after: { seq, frame: 0 }, ...(at !== undefined && { at }) },
      signal,
    );

  const handle = (
    run: string,
    begin: typeof resume,
    { onEntry, signal, into, after = 0, from }: FollowOptions & FollowFrom,
  ): RunHandle =>
    createRunHandle({
      run,
      after: from ? 0 : (into?.seq ?? after),
      into: from ? undefined : into,
      from,
      onEntry,
      signal,
      backoff,
      silenceMs,
      wakes,
      pace: options.pace,
      request: (cursor, isFromSnapshot, connection) =>
        (cursor.seq > 0 ? resume : begin)(run, cursor, isFromSnapshot, connection),
      cancel: (target) => cancel(run, target),
      answer: (name, value) => answer(run, name, value),
      revoke: (name) => revoke(run, name),
    });

  return {
    start: (asked, followOptions = {}) => {
      const run = asked.run ?? createRunId();
      const start: Command = { do: "start", request: { ...wholeRequest(asked), run } };
      const { onEntry, signal, into } = followOptions;
      return handle(run, (_, __, ___, connection) => stream(start, connection), {
        ...(onEntry && { onEntry }),
        ...(signal && { signal }),
        ...(into && { into }),
      });
    },
    follow: (run, followOptions = {}) => handle(run, resume, followOptions),
    cancel,
    answer,
    revoke,
    list: async ({ open, ...query } = {}, { signal } = {}) => {
      const search = new URLSearchParams(open ? { open: "1" } : {});
      for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, `${value}`);
      const response = await request(`/runs?${search}`, signal ? { signal } : {});
      return (await response.json()) as Awaited<ReturnType<Client["list"]>>;
    },
    upload: async (run, bytes, { mediaType, name }, { signal } = {}) => {
      const query = name === undefined ? "" : `?${new URLSearchParams({ name })}`;
      const response = await request(`${pathOf(run)}/files${query}`, {
        method: "POST",
        headers: { "content-type": mediaType },
        body: bytes,
        ...(signal && { signal }),
      });
      return (await response.json()) as Awaited<ReturnType<Client["upload"]>>;
    },
    file: (run, file, { range, signal } = {}) =>
      request(`${pathOf(run)}/files/${encodeURIComponent(file)}`, {
        ...(range !== undefined && { headers: { range } }),
        ...(signal && { signal }),
      }),
  };
};

/** `message` is shorthand for one message. */
const wholeRequest = (request: StartRequest): RunRequest => {
  if (!("message" in request)) return request;
  const { message, ...rest } = request;
  return { ...rest, messages: [{ role: "user", content: [{ type: "text", text: message }] }] };
};

const pathOf = (run: string): string => `/runs/${encodeURIComponent(run)}`;
