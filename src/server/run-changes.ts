import { randomBytes } from "node:crypto";
import type { Log, RunInfo } from "../log.ts";
import type { RunRow } from "../protocol.ts";
import type { RunRows } from "./run-rows.ts";

/**
 * Detects changes among the runs of a log, for lists that stay up to date. All callers share one look at the log, at most one
 * per second. Without callers, the log is not read. Any process accepts any cursor: its own by the number of the look,
 * another's by time with a margin for clock differences, so a change can be returned twice.
 */
export interface RunChanges {
  since(cursor: string | undefined): Promise<Changes>;
}

export interface Changes {
  readonly cursor: string;
  /** This process does not know what changed since the cursor. */
  readonly isReset: boolean;
  readonly changed: readonly NotedRun[];
  /** All open runs whose rows have been read, changed or not. */
  readonly open: readonly NotedRun[];
}

export interface NotedRun {
  readonly info: RunInfo;
  /** Undefined if the run was deleted. */
  readonly row: RunRow | undefined;
}

const LOOK_MS = 1000;
/** How long ended runs are returned, and how long notes are kept without callers. */
const KEPT_MS = 60_000;
/** The margin for clock differences between processes. */
const SLACK_MS = 5000;
/** Only the newest open runs are watched. */
const MAX_OPEN = 1000;
const MAX_ENDED = 2000;
const PAGE = 500;

interface Note extends NotedRun {
  /** The look that noticed the last change, and its time. */
  readonly look: number;
  readonly at: number;
  /** Its row as JSON, to detect changes. */
  readonly shown: string;
}

interface Look {
  readonly number: number;
  readonly at: number;
  /** Resolves when the runs are listed. No later change is missed. */
  readonly listed: Promise<void>;
  /** Resolves when their rows have also been read. */
  readonly done: Promise<void>;
  isDone: boolean;
}

export const createRunChanges = (log: Log, rows: RunRows, now: () => number = Date.now): RunChanges => {
  const instance = randomBytes(6).toString("hex");
  const notes = new Map<string, Note>();
  let last: Look | undefined;
  let newest: string | undefined;
  /** Changes before this time are not known. */
  let knownFrom = Infinity;

  const note = (info: RunInfo, row: RunRow | undefined, { number, at }: Pick<Look, "number" | "at">): void => {
    const { run } = info;
    const before = notes.get(run);
    const shown = JSON.stringify({ ...row, seq: 0 });
    const isSame = before?.shown === shown;
    notes.set(run, isSame ? { ...before, info } : { info, row, look: number, at, shown });
  };

  const list = async (open: boolean, most: number, isWanted: (info: RunInfo) => boolean) => {
    const found: RunInfo[] = [];
    for (let before: string | undefined; ; before = found.at(-1)!.run) {
      const page = await log.list({ limit: PAGE, ...(open && { open }), ...(before !== undefined && { before }) });
      for (const info of page) {
        if (!isWanted(info)) return { found, isCut: false };
        found.push(info);
      }
      if (page.length < PAGE) return { found, isCut: false };
      if (found.length >= most) return { found, isCut: true };
    }
  };

  /** The runs that are open, and those that started or ended since the last look. */
  const runsNow = async (before: number, at: number): Promise<RunInfo[]> => {
    const open = await list(true, MAX_OPEN, () => true);
    const isNew = (info: RunInfo) => info.run !== newest && info.startedAt > before - KEPT_MS;
    const begun = newest === undefined ? undefined : await list(false, MAX_ENDED, isNew);
    if (begun?.isCut) knownFrom = at;
    newest = begun?.found[0]?.run ?? newest ?? (await log.list({ limit: 1 }))[0]?.run ?? "";
    const listed = new Map(open.found.map((info) => [info.run, info]));
    for (const info of begun?.found ?? []) if (!listed.has(info.run)) listed.set(info.run, info);
    for (const { info } of notes.values()) {
      if (info.endedAt !== undefined || info.dropped || listed.has(info.run)) continue;
      const known = (await log.info(info.run)) ?? { ...info, dropped: true };
      // An open run that is older than the newest `MAX_OPEN` is no longer watched.
      if (known.endedAt === undefined && !known.dropped && open.isCut) notes.delete(info.run);
      else listed.set(info.run, known);
    }
    return [...listed.values()];
  };

  const forget = (at: number): void => {
    const over = [...notes.values()].filter(({ info }) => info.endedAt !== undefined || info.dropped);
    over.sort((one, other) => one.at - other.at);
    for (const [index, { info, at: when }] of over.entries()) {
      const isTooMany = over.length - index > MAX_ENDED;
      if (!isTooMany && when > at - KEPT_MS) return;
      notes.delete(info.run);
      if (isTooMany) knownFrom = Math.max(knownFrom, when + 1);
    }
  };

  const begin = (): Look => {
    const at = now();
    const number = (last?.number ?? 0) + 1;
    const before = last && at - last.at < KEPT_MS ? last.at : undefined;
    if (before === undefined) {
      notes.clear();
      newest = undefined;
      knownFrom = at;
    }
    const listing = runsNow(before ?? at, at).then((runs) => {
      for (const info of runs)
        if (!notes.has(info.run)) notes.set(info.run, { info, row: undefined, look: 0, at, shown: "" });
      return runs;
    });
    const reading = listing.then(async (runs) => {
      const isChanged = (info: RunInfo) => {
        const known = notes.get(info.run);
        return !known?.row || known.info.seq !== info.seq || known.info.endedAt !== info.endedAt;
      };
      const changed = runs.filter(isChanged);
      const read = new Map((await rows(changed.filter(({ dropped }) => !dropped))).map((row) => [row.run, row]));
      for (const info of changed)
        note(read.has(info.run) ? info : { ...info, dropped: true }, read.get(info.run), { number, at });
      forget(at);
    });
    return { number, at, listed: listing.then(() => {}), done: reading, isDone: false };
  };

  const look = (): Look => {
    if (last && (!last.isDone || now() - last.at < LOOK_MS)) return last;
    const begun = begin();
    begun.done.then(
      () => (begun.isDone = true),
      // After a failure, the next caller starts from scratch.
      () => (last = undefined),
    );
    begun.listed.catch(() => {});
    last = begun;
    return begun;
  };

  return {
    since: async (cursor) => {
      const asked = readCursor(cursor);
      const current = look();
      const own = asked?.instance === instance;
      const from = asked === undefined ? -Infinity : own ? asked.at : asked.at - SLACK_MS;
      await current.listed;
      if (!asked || from < Math.max(knownFrom, now() - KEPT_MS) || asked.at > now() + KEPT_MS)
        return { cursor: cursorOf(instance, current.number - 1, current.at), isReset: true, changed: [], open: [] };
      await current.done;
      const all = [...notes.values()].filter(({ look: noted }) => noted > 0);
      return {
        cursor: cursorOf(instance, current.number, current.at),
        isReset: false,
        changed: all.filter((noted) => (own ? noted.look > asked.look : noted.at > from)),
        open: all.filter(({ info }) => info.endedAt === undefined && !info.dropped),
      };
    },
  };
};

const cursorOf = (instance: string, look: number, at: number): string => `${instance}.${look}.${at}`;

const readCursor = (cursor: string | undefined) => {
  const [, instance, look, at] = /^([0-9a-f]{12})\.(\d{1,10})\.(\d{1,15})$/.exec(cursor ?? "") ?? [];
  return instance === undefined ? undefined : { instance, look: Number(look), at: Number(at) };
};
