import type { Frame, Waiting } from "../dialect.ts";
import type { Answer, Entry, Problem } from "../events.ts";
import { protocolProblem } from "../protocol.ts";
import { createState, fold, restoreInto, ROOT, type RunSnapshot, type RunState } from "../state.ts";
import { BadFrame, createEntryReader, type EntryReader, readHeartbeat, readSnapshot } from "../wire.ts";
import { createFeed } from "./feed.ts";
import { startFollower, type FollowerOptions } from "./follower.ts";
import { ClientError } from "./trouble.ts";

/** What is known of the connection, and never more than that. */
export type Connection =
  | { readonly status: "connecting" }
  /** The response head of the present connection has arrived. `waiting`: what the run waits for, if a heartbeat was the last to say something. */
  | { readonly status: "live"; readonly waiting?: Waiting }
  /**
   * Try `attempt` is made at `nextAt` (milliseconds since 1970), or is being made if that has passed. `httpStatus`: a server
   * did answer, and `why` is what it said; without it, nothing answered or the stream was cut.
   */
  | {
      readonly status: "reconnecting";
      readonly attempt: number;
      readonly nextAt: number;
      readonly why: Problem;
      readonly httpStatus?: number;
    }
  /** The run-end has been folded, or the cursor to follow from was already after it. */
  | { readonly status: "finished" }
  /** Trying again would not help. The run itself may go on. */
  | { readonly status: "failed"; readonly problem: Problem }
  /** By `close`. The run itself may go on. */
  | { readonly status: "closed" };

export interface CancelTarget {
  readonly agent?: string;
  readonly call?: string;
  readonly reason?: string;
}

/** One run that is followed. It reconnects by itself and goes on from its cursor: nothing is lost and nothing comes twice. */
export interface RunHandle {
  readonly run: string;
  /** Changed in place as bytes arrive; see `subscribe` of the state for single nodes. */
  readonly state: RunState;
  readonly connection: Connection;
  /** Calls `listener` after each change of `connection`. Returns what ends that. */
  subscribe(listener: (connection: Connection) => void): () => void;
  /**
   * Every entry from the cursor as it is now, once and in order; ends after run-end or `close`, throws if the handle fails.
   * A reader that falls behind holds the connection back, and with it the state: do not ask for entries and leave them.
   */
  entries(): AsyncIterableIterator<Entry, void>;
  /** Resolves when the run-end is folded. Rejects with a ClientError if the handle fails or is closed before. */
  readonly finished: Promise<RunState>;
  /** Stops following. Cancels nothing: the run goes on. */
  close(): void;
  /** Cancels the run, or one sub-agent or call of it, once the server knows the run. Resolves when that is stored. */
  cancel(target?: CancelTarget): Promise<CancelStatus>;
  /** The first answer wins: rejects with the code `ask-conflict` if there was another, `ask-closed` if it came too late. */
  answer(ask: string, answer: Answer): Promise<void>;
}

export type CancelStatus = "cancelled" | "ended";

export interface HandleOptions extends Pick<FollowerOptions, "backoff" | "silenceMs" | "wakes" | "pace"> {
  readonly run: string;
  readonly after: number;
  readonly from: "snapshot" | undefined;
  readonly into: RunState | undefined;
  /** The request that goes on after this cursor. */
  readonly request: (after: number, isFromSnapshot: boolean, signal: AbortSignal) => Promise<Response>;
  readonly cancel: (target: CancelTarget | undefined) => Promise<CancelStatus>;
  readonly answer: (ask: string, answer: Answer) => Promise<void>;
  readonly onEntry: ((entry: Entry) => void) | undefined;
  readonly signal: AbortSignal | undefined;
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
  // The failure is told by `connection` too: who does not look at the promise must not be ended by it.
  finished.promise.catch(() => {});
  let connection: Connection = { status: "connecting" };
  let isOver = false;

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

  /** What cannot be read is not shown by halves. */
  const isTooNew = (protocol: number | undefined): boolean => {
    const problem = protocol === undefined ? undefined : protocolProblem(protocol);
    if (problem) end({ status: "failed", problem }, new ClientError(problem));
    return problem !== undefined;
  };

  const isFromSnapshot = (): boolean => options.from === "snapshot" && state.seq === 0;

  const takeSnapshot = (whole: RunSnapshot): boolean => {
    if (!isFromSnapshot()) throw new BadFrame("a snapshot came that nobody asked for");
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
    const whole = readSnapshot(frame);
    if (whole) return takeSnapshot(whole.state as RunSnapshot);
    const seq = Number(id);
    if (seq <= state.seq) return false;
    if (seq !== state.seq + 1) throw new BadFrame(`entry ${id} came after ${state.seq}: those between are missing`);
    const entry = read(entryOf, id, data);
    if (entry.event.type === "run-start" && isTooNew(entry.event.protocol)) return true;
    if (connection.status === "live" && connection.waiting) show({ status: "live" });
    fold(state, entry);
    onEntry?.(entry);
    feed.push(entry);
    if (entry.event.type === "run-end") end({ status: "finished" });
    return true;
  };

  const stop = startFollower({
    ...options,
    request: (connectionSignal) => options.request(state.seq, isFromSnapshot(), connectionSignal),
    take,
    room: feed.room,
    onLive: () => {
      begun.resolve();
      show({ status: "live" });
    },
    // Without a cursor of the caller's there is always something to send: then it was not our server that answered.
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
  };
};

/** Reported as an event listener's throw is: whoever watches the connection must not be able to stop it. */
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
