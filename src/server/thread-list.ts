import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Principal } from "../access.ts";
import type { EventOf, Message } from "../events.ts";
import type { Log, RunInfo } from "../log.ts";
import type { ThreadRow, ThreadRun } from "../protocol.ts";
import { ofRun, requestMessages } from "./history.ts";
import type { Owners } from "./owners.ts";
import { titleOf } from "./run-details.ts";

export interface PageQuery {
  readonly limit: number;
  /** The `next` of the previous page. */
  readonly before?: string;
}

/** The threads of the user who asks. A principal that is not a specific user has none. */
export interface ThreadList {
  /** Last used first. A page may have fewer threads than `limit`, even none, and still have a `next`. */
  list(principal: Principal, query: PageQuery): Promise<{ threads: readonly ThreadRow[]; next?: string }>;
  /** The user's runs of a thread, newest first. The last page also has the runs of other threads that it continues. */
  runs(principal: Principal, thread: string, query: PageQuery): Promise<{ runs: readonly ThreadRun[]; next?: string }>;
}

const PAGE = 200;
/** The most runs that one request examines: a thread may have any number of them. */
const MAX_LOOKED_AT = 1000;
/** In a longer thread, the title is the message of this run, counted from the newest. */
const MAX_TO_FIRST = 200;
/** A page of runs ends when their messages exceed this many characters. */
const MAX_PAGE_CHARS = 4 * 1024 * 1024;
/** The most runs of other threads that are added to a thread. */
const MAX_ANCESTORS = 200;

export const createThreadList = (owners: Owners, log: Log): ThreadList => {
  const startOf = async (run: string): Promise<EventOf<"run-start"> | undefined> => {
    await setImmediate();
    try {
      const event = (await log.read(run, 0, 1))[0]?.event;
      return event?.type === "run-start" ? event : undefined;
    } catch {
      // The run was dropped while it was listed.
      return undefined;
    }
  };
  const ownInfo = async (principal: Principal, run: string): Promise<RunInfo | undefined> => {
    const info = await owners.info(principal, "watch", run).catch(() => undefined);
    return info?.user === principal.user ? info : undefined;
  };

  /** Undefined if an earlier page has the thread, because a newer run uses it. */
  const rowOf = async (principal: Principal, user: string, latest: RunInfo): Promise<ThreadRow | undefined> => {
    const { run, thread = "", agent, startedAt, endedAt } = latest;
    const newest = await owners.list(principal, { thread, user, limit: 1 });
    if (newest.runs[0]?.run !== run) return undefined;
    const first = (await owners.list(principal, { thread, user, limit: MAX_TO_FIRST })).runs.at(-1) ?? latest;
    const title = titleOf((await startOf(first.run))?.message);
    return {
      thread,
      run,
      agent,
      createdAt: first.startedAt,
      updatedAt: endedAt ?? startedAt,
      ...(title && { title }),
      ...(endedAt === undefined && { open: true }),
    };
  };

  /** What a run answers. After calls that the client ran, these are their results, and `message` is the one before. */
  const askedOf = async (principal: Principal, start: EventOf<"run-start">): Promise<Message | undefined> => {
    const { run, message, previous, request } = start;
    const before = message && request && previous ? await ownInfo(principal, previous) : undefined;
    if (before && isDeepStrictEqual((await startOf(before.run))?.message, message)) {
      const last = (await requestMessages(log, run, start)).at(-1);
      if (last?.role === "tool") return last;
    }
    return message && ofRun(message, run);
  };

  const threadRun = async (principal: Principal, info: RunInfo): Promise<ThreadRun> => {
    const { run, agent, startedAt, endedAt, outcome } = info;
    const start = await startOf(run);
    const message = start && (await askedOf(principal, start));
    return {
      run,
      agent,
      startedAt,
      ...(endedAt !== undefined && { endedAt }),
      ...(outcome && { outcome }),
      ...(start?.previous !== undefined && { previous: start.previous }),
      ...(start?.model !== undefined && { model: start.model }),
      ...(message && { message }),
    };
  };

  /** The runs in other threads before these: a fork continues the thread that it was forked from. */
  const ancestorsOf = async (principal: Principal, runs: readonly ThreadRun[]): Promise<readonly ThreadRun[]> => {
    const all = [...runs];
    const known = new Set(runs.map(({ run }) => run));
    for (let index = 0; index < all.length && all.length < runs.length + MAX_ANCESTORS; index++) {
      const previous = all[index]!.previous;
      if (!previous || known.has(previous)) continue;
      known.add(previous);
      const info = await ownInfo(principal, previous);
      if (info) all.push(await threadRun(principal, info));
    }
    return all.slice(runs.length);
  };

  return {
    list: async (principal, { limit, before }) => {
      owners.allow(principal, "watch");
      const { user } = principal;
      const threads: ThreadRow[] = [];
      if (user === undefined) return { threads };
      const seen = new Set<string>();
      let cursor = before;
      for (let looked = 0; looked < MAX_LOOKED_AT; looked += PAGE) {
        const page = { user, limit: PAGE, ...(cursor !== undefined && { before: cursor }) };
        const { runs, next } = await owners.list(principal, page);
        for (const info of runs) {
          if (threads.length === limit && cursor !== undefined) return { threads, next: cursor };
          cursor = info.run;
          if (info.thread === undefined || seen.has(info.thread)) continue;
          seen.add(info.thread);
          const row = await rowOf(principal, user, info);
          if (row) threads.push(row);
        }
        if (next === undefined) return { threads };
        cursor = next;
      }
      return { threads, ...(cursor !== undefined && { next: cursor }) };
    },
    runs: async (principal, thread, { limit, before }) => {
      owners.allow(principal, "watch");
      const { user } = principal;
      if (user === undefined) return { runs: [] };
      const page = await owners.list(principal, { user, thread, limit, ...(before !== undefined && { before }) });
      const runs: ThreadRun[] = [];
      let chars = 0;
      for (const info of page.runs) {
        const run = await threadRun(principal, info);
        runs.push(run);
        chars += JSON.stringify(run.message ?? "").length;
        if (chars > MAX_PAGE_CHARS && info !== page.runs.at(-1)) return { runs, next: info.run };
      }
      if (page.next !== undefined) return { runs, next: page.next };
      return { runs: [...runs, ...(await ancestorsOf(principal, runs))] };
    },
  };
};
