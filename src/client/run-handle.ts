import type { Frame, Waiting } from "../dialect.ts";
import type { Answer, Entry, Problem } from "../events.ts";
import { protocolProblem } from "../protocol.ts";
import { createState, fold, restoreInto, ROOT, type RunSnapshot, type RunState } from "../state.ts";
import { BadFrame, createEntryReader, type EntryReader, readHeartbeat, readSnapshot } from "../wire.ts";
import { createFeed } from "./feed.ts";
import { startFollower, type FollowerOptions } from "./follower.ts";
import { ClientError } from "./trouble.ts";

/** The known state of the connection. */
export type Connection =
  | { readonly status: "connecting" }
  /**
   * The response headers of the current connection have arrived. `waiting` is what the run is waiting for, if the last
   * frame was a heartbeat that reported it.
   */
  | { readonly status: "live"; readonly waiting?: Waiting }
  /**
   * Try `attempt` starts at `nextAt` (milliseconds since 1970), or is in progress if that has passed. If `httpStatus`
   * is set, the server responded and `why` is its message. Otherwise there was no response, or the stream was cut off.
   */
  | {
      readonly status: "reconnecting";
      readonly attempt: number;
      readonly nextAt: number;
      readonly why: Problem;
      readonly httpStatus?: number;
    }
  /** The run-end was folded, or the cursor was already at the end. */
  | { readonly status: "finished" }
  /** Retrying would not help. The run itself may continue. */
  | { readonly status: "failed"; readonly problem: Problem }
  /** Closed by `close`. The run itself may continue. */
  | { readonly status: "closed" };

export interface CancelTarget {
  readonly agent?: string;
  readonly call?: string;
  readonly reason?: string;
}

/** Follows one run. Reconnects automatically and continues from its cursor, so no entry is lost or delivered twice. */
export interface RunHandle {
  readonly run: string;
  /** Changed in place as bytes arrive. To watch single nodes, use `subscribe` of `runcast/state`. */
  readonly state: RunState;
  readonly connection: Connection;
  /** Calls `listener` after each change of `connection`. Returns a function that unsubscribes. */
  subscribe(listener: (connection: Connection) => void): () => void;
  /**
   * Yields every entry after the current cursor, once and in order. Ends after run-end or `close`, and throws if the handle
   * fails. A slow reader pauses the connection, and with it the state, so do not abandon the iterator without closing it.
   */
  entries(): AsyncIterableIterator<Entry, void>;
  /** Resolves when the run-end is folded. Rejects with a ClientError if the handle fails or is closed first. */
  readonly finished: Promise<RunState>;
  /** Stops following. The run itself continues. */
  close(): void;
  /** Cancels the run, or one of its sub-agents or calls, once the server knows the run. Resolves when the cancellation is stored. */
  cancel(target?: CancelTarget): Promise<CancelStatus>;
  /** The first answer wins. Rejects with the code `ask-conflict` if there was another, or `ask-closed` if it came too late. */
  answer(ask: string, answer: Answer): Promise<void>;
  /** Revokes an answer with `always`: the tool needs approval again. Rejects with the code `not-revocable` if there was none. */
  revoke(ask: string): Promise<void>;
}

export type CancelStatus = "cancelled" | "ended";

export interface HandleOptions extends Pick<FollowerOptions, "backoff" | "silenceMs" | "wakes" | "pace"> {
  readonly run: string;
  readonly after: number;
  readonly from: "snapshot" | undefined;
  readonly into: RunState | undefined;
  /** Sends the request that continues after this cursor. `at` is the time of its entry, if that was received. */
  readonly request: (after: Position, isFromSnapshot: boolean, signal: AbortSignal) => Promise<Response>;
  readonly cancel: (target: CancelTarget | undefined) => Promise<CancelStatus>;
  readonly answer: (ask: string, answer: Answer) => Promise<void>;
  readonly revoke: (ask: string) => Promise<void>;
  readonly onEntry: ((entry: Entry) => void) | undefined;
  readonly signal: AbortSignal | undefined;
}

export interface Position {
  readonly seq: number;
  readonly at?: number;
}

export const createRunHandle = (options: HandleOptions): RunHandle => {
  const { run, onEntry, signal } = options;
  const state = options.into ?? createState();
  state.seq = options.after;
  const feed = createFeed();
  const entryOf = createEntryReader();
  const listeners = new Set<(connection: Connection) => void>();
  const finished = Promise.withResolvers<RunState>();
  const begun = Promise.withResolvers<void>();
  // `connection` also reports the failure, so ignoring the promise must not cause an unhandled rejection.
  finished.promise.catch(() => {});
  let connection: Connection = { status: "connecting" };
  let isOver = false;
  let lastAt: number | undefined;

  const show = (next: Connection): void => {
    connection = next;
    for (const listener of listeners) notify(listener, next);
  };

  const end = (last: Connection, error?: ClientError): void => {
    if (isOver) return;
    isOver = true;
    stop();
    signal?.removeEventListener("abort", close);
    begun.resolve();
    if (error) finished.reject(error);
    else finished.resolve(state);
    feed.end(last.status === "failed" ? error : undefined);
    show(last);
  };
  const close = (): void => end({ status: "closed" }, new ClientError({ code: "closed", message: "closed" }));

  /** A run of a newer protocol is rejected rather than shown incompletely. */
  const isTooNew = (protocol: number | undefined): boolean => {
    const problem = protocol === undefined ? undefined : protocolProblem(protocol);
    if (problem) end({ status: "failed", problem }, new ClientError(problem));
    return problem !== undefined;
  };

  const isFromSnapshot = (): boolean => options.from === "snapshot" && state.seq === 0;

  const takeSnapshot = (whole: RunSnapshot): boolean => {
    if (!isFromSnapshot()) throw new BadFrame("received a snapshot that was not requested");
    if (isTooNew(whole.protocol)) return true;
    restoreInto(state, whole);
    for (const listener of state.listeners.get(ROOT) ?? []) listener();
    if (state.outcome !== undefined) end({ status: "finished" });
    return true;
  };

  const take = (frame: Frame): boolean => {
    const { id, data } = frame;
    if (id === undefined) {
      const waiting = readHeartbeat(frame);
      if (!waiting) return false;
      show({ status: "live", waiting });
      return true;
    }
    const snapshot = readSnapshot(frame);
    if (snapshot) return takeSnapshot(snapshot.state as RunSnapshot);
    const seq = Number(id);
    if (seq <= state.seq) return false;
    if (seq !== state.seq + 1)
      throw new BadFrame(`entry ${id} arrived after ${state.seq}: the entries in between are missing`);
    const entry = read(entryOf, id, data);
    if (entry.event.type === "run-start" && isTooNew(entry.event.protocol)) return true;
    if (connection.status === "live" && connection.waiting) show({ status: "live" });
    fold(state, entry);
    lastAt = entry.at;
    onEntry?.(entry);
    feed.push(entry);
    if (entry.event.type === "run-end") end({ status: "finished" });
    return true;
  };

  const stop = startFollower({
    ...options,
    request: (connectionSignal) => {
      const position = { seq: state.seq, ...(lastAt !== undefined && { at: lastAt }) };
      return options.request(position, isFromSnapshot(), connectionSignal);
    },
    take,
    room: feed.room,
    onLive: () => {
      begun.resolve();
      show({ status: "live" });
    },
    // At cursor 0 a server always has something to send, so an empty response there did not come from Runcast.
    onEmpty: () => {
      if (state.seq > 0) end({ status: "finished" });
    },
    onCut: ({ problem, status }, attempt, nextAt) =>
      show({
        status: "reconnecting",
        attempt,
        nextAt,
        why: problem,
        ...(status !== undefined && { httpStatus: status }),
      }),
    onFailed: ({ problem, status }, cause) =>
      end({ status: "failed", problem }, new ClientError(problem, { ...(status !== undefined && { status }), cause })),
  });
  if (signal?.aborted) close();
  else signal?.addEventListener("abort", close, { once: true });

  return {
    run,
    state,
    get connection() {
      return connection;
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    entries: feed.read,
    finished: finished.promise,
    close,
    cancel: async (target) => {
      await begun.promise;
      return options.cancel(target);
    },
    answer: options.answer,
    revoke: options.revoke,
  };
};

/** Rethrows asynchronously, like an error in an event listener, so a listener cannot break the connection. */
const notify = (listener: (connection: Connection) => void, connection: Connection): void => {
  try {
    listener(connection);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
};

const read = (entryOf: EntryReader, id: string, data: string): Entry => {
  try {
    return entryOf(id, data);
  } catch {
    throw BadFrame.withData(data);
  }
};
