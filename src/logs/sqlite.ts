import { setImmediate } from "node:timers/promises";
import {
  checkRunId,
  checkText,
  createLeases,
  type Log,
  LogMissing,
  type RunInfo,
  watchers,
  watchersOfAll,
} from "../log.ts";
import { backupOf } from "./sqlite/backup.ts";
import { openCheck } from "./sqlite/check.ts";
import { openControls } from "./sqlite/controls.ts";
import { explain, openDatabase } from "./sqlite/database.ts";
import { openFiles, removeStrays } from "./sqlite/files.ts";
import { openJournal } from "./sqlite/journal.ts";
import { openRecords } from "./sqlite/records.ts";
import { openRuns } from "./sqlite/runs.ts";
import { openSegments } from "./sqlite/segments.ts";

export interface SqliteOptions {
  /** Created if missing. Default: `.runcast`. */
  readonly directory?: string;
  /** The clock for leases and for the expiry of records, in milliseconds. For tests. */
  readonly now?: () => number;
}

/** Stores runs in a local directory, for one process at a time. Throws if another process has the directory open. */
export const sqlite = ({ directory = ".runcast", now }: SqliteOptions = {}): Log => {
  const { watch, wake } = watchers();
  const controlWatchers = watchersOfAll();
  const leases = createLeases(now);
  const database = openDatabase(directory);
  const explained = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      throw explain(error, directory);
    }
  };

  const openParts = () => {
    const runs = openRuns(database);
    const segments = openSegments(database);
    const controls = openControls(database);
    const journal = openJournal({ database, runs, segments, controls, wake });
    removeStrays(database, runs);
    const files = openFiles({ database, runs, during: journal.during });
    return { runs, segments, controls, journal, files, records: openRecords(database, now ?? Date.now, explained) };
  };
  const { runs, segments, controls, journal, files, records } = explained(() => {
    try {
      return openParts();
    } catch (error) {
      database.sql.close();
      throw error;
    }
  });

  const check = openCheck(database, () => records.put("check", "ready", true, { ttlMs: 60_000 }));
  let closed = false;

  const find = (run: string) => {
    const tail = journal.tail(run);
    return tail ? tail.info && { number: tail.number, info: tail.info } : runs.find(run);
  };

  const dropRows = (run: string, found: { number: number; info: RunInfo }) => {
    if (found.info.endedAt === undefined)
      throw new Error(`run ${run} has not ended: only finished runs can be deleted`);
    database.transaction(() => {
      runs.setSeq(found.number, found.info.seq);
      runs.drop(found.number);
      segments.remove(found.number);
      files.removeRows(run);
    });
    journal.forget(run);
  };

  return {
    name: "sqlite",
    survives: "a crash or kill -9 of the process; a power failure can lose the latest entries",
    isLasting: true,
    records,
    watch,

    append(run, entries, as) {
      try {
        return journal.append(run, entries, as);
      } catch (error) {
        return Promise.reject(explain(error, directory));
      }
    },

    read(run, after, limit) {
      const tail = journal.tail(run);
      const most = Math.max(1, limit);
      if (tail?.info && after + 1 >= tail.first) {
        const from = after + 1 - tail.first;
        return tail.entries.slice(from, from + most);
      }
      return explained(() => {
        const found = find(run);
        if (!found || found.info.dropped) throw new LogMissing(run, found?.info.dropped ?? false);
        const last = Math.min(found.info.seq, after + most);
        const inSegments = tail ? tail.first - 1 : found.info.seq;
        const entries = segments.read(found.number, after + 1, Math.min(last, inSegments));
        return last > inSegments ? entries.concat(tail!.entries.slice(0, last - inSegments)) : entries;
      });
    },

    info: (run) => explained(() => find(run)?.info),

    async list(query) {
      return explained(() => runs.list(query)).map((info) => journal.tail(info.run)?.info ?? info);
    },

    heartbeat: (owner, leaseMs) => leases.heartbeat(owner, leaseMs),

    async takeOver(run, owner) {
      checkText("owner", owner);
      const taken = await explained(() =>
        journal.own(run, (info) =>
          leases.mayTake(info, owner) ? { ...info, owner, epoch: info.epoch + 1 } : undefined,
        ),
      );
      return taken && { owner, epoch: taken.epoch, seq: taken.seq };
    },

    async release(run, as) {
      await explained(() =>
        journal.own(run, (info) =>
          leases.mayRelease(info, as) ? { ...info, owner: undefined, epoch: info.epoch + 1 } : undefined,
        ),
      );
    },

    async orphans(limit) {
      return explained(() => {
        const found: RunInfo[] = [];
        for (const stored of runs.open()) {
          if (found.length >= limit) break;
          const info = journal.tail(stored.run)?.info ?? stored;
          if (leases.isOrphan(info)) found.push(info);
        }
        return found;
      });
    },

    async send(run, control) {
      const sent = explained(() => {
        const found = find(run);
        if (!found || found.info.dropped) throw new LogMissing(run, found?.info.dropped ?? false);
        return found.info.endedAt === undefined ? controls.send(found.number, control) : "ended";
      });
      if (sent === "queued") controlWatchers.wake(run);
      return sent === "known" ? "queued" : sent;
    },

    async controls(run, after, limit) {
      return explained(() => {
        const found = find(run);
        return found ? controls.read(found.number, after, limit) : [];
      });
    },

    watchControls: controlWatchers.watch,

    put: async (run, bytes, file) =>
      files.put(run, bytes, file).catch((error: unknown) => {
        throw explain(error, directory);
      }),
    get: files.get,
    discard: files.discard,

    async check() {
      await check().catch((error: unknown) => {
        throw explain(error, directory);
      });
    },
    backup: () => backupOf(database),

    async drop(run) {
      checkRunId(run);
      explained(() => {
        const found = find(run);
        if (found && !found.info.dropped) dropRows(run, found);
      });
      if (find(run)) await files.removeBytes(run);
    },

    async retain({ maxAgeMs = Infinity, maxRuns = Infinity }, now) {
      const count = explained(() => runs.countLeaving(now - maxAgeMs, maxRuns));
      let gone = 0;
      while (gone < count) {
        const leaving = explained(() => runs.oldestFinished(Math.min(RETAIN_AT_ONCE, count - gone)));
        if (leaving.length === 0) break;
        for (const run of leaving) explained(() => dropRows(run, find(run)!));
        for (const run of leaving) await files.removeBytes(run);
        gone += leaving.length;
        await setImmediate();
      }
      return gone;
    },

    async close() {
      if (closed) return;
      closed = true;
      try {
        explained(() => journal.close());
      } finally {
        database.sql.close();
      }
    },
  };
};

const RETAIN_AT_ONCE = 50;
