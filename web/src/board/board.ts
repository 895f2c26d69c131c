import { ClientError } from "runcast/client";
import type { Problem } from "runcast/events";
import type { RunListChanges, RunRow } from "runcast/protocol";
import { describeRow } from "runcast/view";
import { type Access, problemOf } from "../session/access.ts";
import type { BoardFilter } from "../session/route.ts";
import { createBoardRows } from "./board-rows.ts";

/** The runs that match a filter. Each change creates a new state. */
export interface BoardState {
  readonly rows: readonly RunRow[];
  /** The number of new runs that are held back while the user points at the rows. */
  readonly fresh: number;
  /** Rows that no longer match but stay in place for the same reason. */
  readonly leaving: ReadonlySet<string>;
  readonly isLoaded: boolean;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  /** Until when the rows are known to be current: `Infinity` while the server responds. */
  readonly liveUntil: number;
  readonly problem: Problem | undefined;
  /** The server refused the request, so the board stops polling. */
  readonly isRefused: boolean;
  readonly open: RunListChanges["open"];
  readonly may: RunListChanges["may"];
}

/** The server's runs. Requests only what has changed, one request at a time, however many runs there are. */
export interface Board {
  get(): BoardState;
  subscribe(listener: () => void): () => void;
  /** Loads older runs. A search with few results continues until it has enough, or has examined all runs. */
  loadMore(): void;
  /** Which rows are visible, so the board learns if one of these is deleted. */
  setVisible(first: number, last: number): void;
  /** While held, no row moves. */
  hold(isHeld: boolean): void;
  /** Shows what was held back. */
  release(): void;
  /** Polls now. */
  poll(): void;
  close(): void;
}

const POLL_MS = 2000;
/** After a reset, the next request waits for details of the open runs. A cursor may be refused several times in a row. */
const AGAIN_MS = 250;
const LONGEST_WAIT_MS = 30_000;
const PAGE = 100;
/** The most requests of one search. Each examines 1,000 runs. */
const MAX_PAGES = 20;
const MAX_SEEN = 60;

/** Whether the same request would be refused again. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ClientError && error.status !== undefined && error.status < 500 && error.status !== 429;

export const createBoard = (access: Pick<Access, "ask">, filter: BoardFilter): Board => {
  const rows = createBoardRows();
  const listeners = new Set<() => void>();
  const stop = new AbortController();
  let state: BoardState = {
    rows: [],
    fresh: 0,
    leaving: new Set(),
    isLoaded: false,
    hasMore: false,
    isLoadingMore: false,
    liveUntil: Infinity,
    problem: undefined,
    isRefused: false,
    open: undefined,
    may: { answer: false, cancel: false, everyone: false },
  };
  let cursor = "";
  let next: string | undefined;
  let failures = 0;
  let resets = 0;
  let seen = { first: 0, last: -1 };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsking = false;
  let isLoadingMore = false;

  const show = (change: Partial<BoardState>): void => {
    state = { ...state, ...rows.shown(), hasMore: next !== undefined, isLoadingMore, ...change };
    for (const listener of [...listeners]) listener();
  };
  const ask = async <Answer>(path: string, query: Record<string, string>): Promise<Answer> => {
    const response = await access.ask(`${path}?${new URLSearchParams({ ...filter, ...query })}`, {
      signal: stop.signal,
    });
    return (await response.json()) as Answer;
  };
  const page = (before: Record<string, string>) =>
    ask<{ runs: readonly RunRow[]; next?: string }>("/runs", { details: "1", limit: `${PAGE}`, ...before });

  /** Open runs are in the changes, so only ended ones need a check. */
  const shownRuns = (): string =>
    state.rows
      .slice(seen.first, seen.last + 1)
      .filter((row) => describeRow(row).isOver)
      .slice(0, MAX_SEEN)
      .map(({ run }) => run)
      .join(",");
  const update = async (): Promise<void> => {
    const changes = await ask<RunListChanges>("/changes", cursor ? { since: cursor, shown: shownRuns() } : {});
    // The list is loaded after the changes, so nothing is missed between the two.
    if (changes.reset) {
      resets += 1;
      const first = await page({ partial: "1" });
      rows.replace(first.runs);
      ({ next } = first);
    } else {
      resets = 0;
      rows.apply(changes, next === undefined);
    }
    ({ cursor } = changes);
    const { open = state.open, may } = changes;
    show({ isLoaded: true, open, may, problem: undefined, liveUntil: Infinity });
    if (changes.reset && rows.count() < PAGE) void loadMore();
  };
  const poll = async (): Promise<void> => {
    clearTimeout(timer);
    if (isAsking || document.hidden) return;
    isAsking = true;
    try {
      await update();
      failures = 0;
    } catch (error) {
      if (stop.signal.aborted) return;
      failures += 1;
      const isRefused = isRefusal(error);
      show({ problem: problemOf(error), isRefused, liveUntil: Math.min(state.liveUntil, Date.now()) });
      if (isRefused) return;
    } finally {
      isAsking = false;
    }
    const wait =
      resets > 0 && failures === 0
        ? Math.min(AGAIN_MS * (resets - 1), POLL_MS)
        : Math.min(POLL_MS * 2 ** failures, LONGEST_WAIT_MS);
    timer = setTimeout(() => void poll(), wait);
  };
  const loadMore = async (): Promise<void> => {
    if (next === undefined || isLoadingMore) return;
    isLoadingMore = true;
    show({});
    const enough = rows.count() + PAGE;
    try {
      for (let turn = 0; turn < MAX_PAGES && next !== undefined && rows.count() < enough; turn++) {
        const before: string = next;
        const older = await page({ before });
        // The list was loaded again meanwhile.
        if (next !== before) continue;
        rows.append(older.runs);
        next = rows.isFull() ? undefined : older.next;
        show({});
      }
    } catch (error) {
      if (!stop.signal.aborted) show({ problem: problemOf(error) });
    } finally {
      isLoadingMore = false;
      if (!stop.signal.aborted) show({});
    }
  };
  const look = (): void => void poll();
  document.addEventListener("visibilitychange", look);
  look();

  return {
    get: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    loadMore: () => void loadMore(),
    setVisible: (first, last) => {
      seen = { first, last };
    },
    hold: (isHeld) => {
      if (rows.hold(isHeld)) show({});
    },
    release: () => {
      rows.settle();
      show({});
    },
    poll: look,
    close: () => {
      stop.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    },
  };
};
