import { ClientError } from "runcast/client";
import type { Entry } from "runcast/events";
import type { ThreadRow, ThreadRun } from "runcast/protocol";
import { oneLine } from "runcast/view";
import { type ConversationFact, TITLE_LENGTH } from "./conversation.ts";

/** Requests a path of the server. Rejects with a ClientError. */
export type Ask = (path: string, init?: RequestInit) => Promise<Response>;

/** The signed-in user's conversations on the server. */
export interface ServerThreads {
  /** The loaded ones. */
  list(): readonly ConversationFact[];
  readonly hasMore: boolean;
  /** Loads the last used ones again. */
  load(): Promise<void>;
  loadMore(): Promise<void>;
  /** All runs of a conversation, oldest first. Undefined if the server has none. */
  runs(id: string): Promise<readonly ThreadRun[] | undefined>;
  entries(run: string): Promise<Entry[]>;
  /** Removes a conversation from the list. */
  forget(id: string): void;
}

/** The first page is small, because everyone waits for it. */
const FIRST_PAGE = 50;
const NEXT_PAGE = 200;
const RUNS_PAGE = 200;
/** Of a longer conversation, only the newest runs are loaded. */
const MAX_RUNS = 2000;

export const createServerThreads = (ask: Ask): ServerThreads => {
  const facts = new Map<string, ConversationFact>();
  let next: string | undefined;

  const page = async (before?: string): Promise<{ readonly threads: readonly ThreadRow[]; readonly next?: string }> => {
    const query = before === undefined ? `limit=${FIRST_PAGE}` : `limit=${NEXT_PAGE}&before=${before}`;
    const response = await ask(`/threads?${query}`);
    return (await response.json()) as { threads: readonly ThreadRow[]; next?: string };
  };
  const add = (rows: readonly ThreadRow[]): void => {
    for (const row of rows) facts.set(row.thread, factOf(row));
  };

  return {
    list: () => [...facts.values()],
    get hasMore() {
      return next !== undefined;
    },
    load: async () => {
      const first = await page();
      // Keeps later pages. Within this one, what is missing was deleted or has become older.
      const oldest = first.next === undefined ? 0 : (first.threads.at(-1)?.updatedAt ?? Infinity);
      const isFirst = facts.size === 0 || first.next === undefined;
      for (const { id, updatedAt } of [...facts.values()]) if (updatedAt >= oldest) facts.delete(id);
      add(first.threads);
      if (isFirst) next = first.next;
    },
    loadMore: async () => {
      if (next === undefined) return;
      const more = await page(next);
      add(more.threads);
      next = more.next;
    },
    runs: async (id) => {
      const found: ThreadRun[] = [];
      let before: string | undefined;
      do {
        const query = `limit=${RUNS_PAGE}${before === undefined ? "" : `&before=${before}`}`;
        try {
          const response = await ask(`/threads/${encodeURIComponent(id)}?${query}`);
          const { runs, next: rest } = (await response.json()) as { runs: readonly ThreadRun[]; next?: string };
          found.push(...runs);
          before = rest;
        } catch (error) {
          if (error instanceof ClientError && error.status === 404) return undefined;
          throw error;
        }
      } while (before !== undefined && found.length < MAX_RUNS);
      return found.sort((one, other) => one.startedAt - other.startedAt);
    },
    entries: async (run) => {
      const response = await ask(`/runs/${encodeURIComponent(run)}/export.jsonl`);
      const lines = (await response.text()).split("\n");
      return lines.filter(Boolean).map((line) => JSON.parse(line) as Entry);
    },
    forget: (id) => void facts.delete(id),
  };
};

const factOf = ({ thread, title = "", createdAt, updatedAt }: ThreadRow): ConversationFact => ({
  id: thread,
  title: oneLine(title, TITLE_LENGTH),
  named: false,
  createdAt,
  updatedAt,
  chosen: {},
  isRemote: true,
});
