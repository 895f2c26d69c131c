import type { Client, Connection, RunHandle, StartRequest } from "runcast/client";
import type { Entry, Message, RunOutcome, Usage } from "runcast/events";
import { createAnswer, createState, fold, type RunAnswer, type RunState } from "runcast/state";

/** A displayed run: its stored entries, followed by live ones. */
export interface ShownRun {
  readonly run: string;
  /** Changed in place. */
  readonly state: RunState;
  /** Whether its stored entries have been loaded. */
  readonly isLoaded: boolean;
  /** Undefined while there is no connection: the run has ended or is not followed, or the page is hidden. */
  readonly connection: Connection | undefined;
  /** The time until which the state is known to be current. `Infinity` while live, 0 if it never was. */
  readonly liveUntil: number;
}

export interface RunEnd {
  readonly outcome: RunOutcome;
  readonly output: readonly Message[];
  readonly usage: Usage;
  readonly title?: string;
  readonly at: number;
}

export interface RunsOptions {
  readonly client: Client;
  readonly entries: (run: string) => Promise<Entry[]>;
  readonly onEntry: (run: string, entry: Entry) => void;
  /** Called for each end that is seen, even if it was seen before. */
  readonly onEnd: (run: string, end: RunEnd) => void;
  /** Whether a hidden page connects now and then to learn that an agent asks or has finished. Default: false. */
  readonly peeks?: boolean;
}

export interface Runs {
  /** Loads the stored entries. With `follow`, continues with live ones, and (re)sends the start request if none are stored. */
  open(run: string, follow?: FollowRun): () => void;
  get(run: string): ShownRun | undefined;
  /** Called after each change of what `get` returns, but not for changes of the state's nodes. */
  subscribe(run: string, listener: () => void): () => void;
  /** Browsers limit connections across all tabs, so a hidden page does not keep any open. */
  setHidden(isHidden: boolean): void;
}

export interface FollowRun {
  /** The start request, in case the server does not know the run yet. The same id never starts a run twice. */
  readonly request?: () => StartRequest | undefined;
}

interface TrackedRun {
  shown: ShownRun;
  readonly answer: RunAnswer;
  readonly loading: Promise<void>;
  handle: RunHandle | undefined;
  users: number;
  readonly follows: Set<FollowRun>;
}

/** How many unused runs stay in memory. */
const IDLE = 40;
/** How often a hidden page connects, and for how long. Browsers slow down the timers of a page that is hidden for minutes. */
const PEEK_EVERY_MS = 5000;
const PEEK_MS = 1000;

export const createRuns = ({ client, entries, onEntry, onEnd, peeks = false }: RunsOptions): Runs => {
  const known = new Map<string, TrackedRun>();
  const listeners = new Map<string, Set<() => void>>();
  let isHidden = false;
  let peekTimer: ReturnType<typeof setInterval> | undefined;

  const show = (run: string, change: Partial<ShownRun>): void => {
    const found = known.get(run);
    if (!found) return;
    found.shown = { ...found.shown, ...change };
    for (const listener of listeners.get(run) ?? []) listener();
  };

  const showConnection = (run: string, connection: Connection | undefined): void => {
    const before = known.get(run)?.shown.liveUntil ?? 0;
    show(run, { connection, liveUntil: connection?.status === "live" ? Infinity : Math.min(before, Date.now()) });
  };

  const tellEnd = ({ shown: { run, state }, answer }: TrackedRun): void => {
    if (state.outcome === undefined) return;
    const title = state.data.get("title");
    onEnd(run, {
      outcome: state.outcome,
      output: answer.messages(),
      at: state.endedAt ?? 0,
      usage: state.usage,
      ...(typeof title === "string" && { title }),
    });
  };

  const connect = (run: string, isPeek = false): void => {
    const found = known.get(run);
    if (!found?.shown.isLoaded || found.handle || (isHidden && !isPeek)) return;
    const [follow] = found.follows;
    const { state } = found.shown;
    if (!follow || !isUnfinished(found)) return;
    const options = {
      into: state,
      onEntry: (entry: Entry) => {
        found.answer.take(entry);
        onEntry(run, entry);
        if (entry.event.type !== "run-end") return;
        tellEnd(found);
        schedulePeeks();
      },
    };
    const request = state.seq === 0 ? follow.request?.() : undefined;
    const handle = request ? client.start({ ...request, run }, options) : client.follow(run, options);
    found.handle = handle;
    handle.subscribe((connection) => {
      if (found.handle === handle) showConnection(run, connection);
    });
    showConnection(run, handle.connection);
  };

  const disconnect = (run: string): void => {
    const found = known.get(run);
    const handle = found?.handle;
    if (!found || !handle) return;
    found.handle = undefined;
    handle.close();
    showConnection(run, undefined);
  };

  const connectAll = (isPeek: boolean): void => {
    for (const run of known.keys()) connect(run, isPeek);
  };
  const disconnectAll = (): void => {
    for (const run of known.keys()) disconnect(run);
  };
  const peek = (): void => {
    connectAll(true);
    setTimeout(() => isHidden && disconnectAll(), PEEK_MS);
  };
  /** The timer runs only while a hidden page follows a run that has not ended. */
  const schedulePeeks = (): void => {
    if (peeks && isHidden && [...known.values()].some(isUnfinished)) peekTimer ??= setInterval(peek, PEEK_EVERY_MS);
    else {
      clearInterval(peekTimer);
      peekTimer = undefined;
    }
  };

  const load = async (run: string, state: RunState, answer: RunAnswer): Promise<void> => {
    const kept = await entries(run).catch(() => []);
    try {
      for (const entry of kept) {
        fold(state, entry);
        answer.take(entry);
      }
    } catch {
      // The stored entries have a gap. The server has what comes after it.
    }
    const found = known.get(run);
    if (!found) return;
    show(run, { isLoaded: true });
    tellEnd(found);
    schedulePeeks();
  };

  const forgetIdle = (): void => {
    const idle = [...known].filter(([, { users }]) => users === 0);
    for (const [run] of idle.slice(0, Math.max(0, idle.length - IDLE))) known.delete(run);
  };

  const find = (run: string): TrackedRun => {
    const found = known.get(run);
    if (found) return found;
    const state = createState();
    const answer = createAnswer();
    const shown: ShownRun = { run, state, isLoaded: false, connection: undefined, liveUntil: 0 };
    const made: TrackedRun = {
      shown,
      answer,
      // Deferred, because the load must find the run registered.
      loading: Promise.resolve().then(() => load(run, state, answer)),
      handle: undefined,
      users: 0,
      follows: new Set(),
    };
    known.set(run, made);
    return made;
  };

  return {
    open: (run, follow) => {
      const found = find(run);
      found.users++;
      if (follow) {
        found.follows.add(follow);
        void found.loading.then(() => connect(run));
        schedulePeeks();
      }
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        found.users--;
        if (follow) {
          found.follows.delete(follow);
          if (found.follows.size === 0) disconnect(run);
          schedulePeeks();
        }
        forgetIdle();
      };
    },
    get: (run) => known.get(run)?.shown,
    subscribe: (run, listener) => {
      let listenersOfRun = listeners.get(run);
      if (!listenersOfRun) listeners.set(run, (listenersOfRun = new Set()));
      listenersOfRun.add(listener);
      return () => {
        listenersOfRun.delete(listener);
        if (listenersOfRun.size === 0) listeners.delete(run);
      };
    },
    setHidden: (value) => {
      if (isHidden === value) return;
      isHidden = value;
      if (isHidden) disconnectAll();
      else connectAll(false);
      schedulePeeks();
    },
  };
};

/** Whether a run is followed and its end was not seen. */
const isUnfinished = ({ follows, shown: { state } }: TrackedRun): boolean =>
  follows.size > 0 && state.outcome === undefined;
