import {
  checkRunId,
  checkText,
  type Control,
  controlText,
  createKnownLeases,
  createMarks,
  createTails,
  type Log,
  LogMissing,
  MAX_CONTROLS,
  watchers,
  watchersOfAll,
} from "../log.ts";
import { createAppends } from "./redis/appends.ts";
import { connect } from "./redis/connection.ts";
import { openFiles } from "./redis/files.ts";
import { createKeys } from "./redis/keys.ts";
import { openOwners } from "./redis/owners.ts";
import { openRecords } from "./redis/records.ts";
import { openRunIndex } from "./redis/run-index.ts";
import { RELEASE, SEND } from "./redis/run-scripts.ts";
import { openRuns } from "./redis/runs.ts";
import { createWakes } from "./redis/wakes.ts";

export interface RedisOptions {
  /**
   * `redis://host:6379`, `rediss://` for TLS, `redis+cluster://host:7000,host:7001` for a cluster,
   * `redis+sentinel://host:26379,host:26380/name` for a primary monitored by Sentinels.
   */
  readonly url: string;
  /** The prefix of every key and channel. Default: `runcast`. */
  readonly prefix?: string;
  /** How far leases and the expiry of records are ahead of the engine's clock, in milliseconds. For tests. */
  readonly ahead?: () => number;
}

/**
 * Stores runs in Redis 7 or newer, for any number of processes. Rejects if it cannot connect, or if the package `redis` is missing.
 */
export const redis = async ({ url, prefix = "runcast", ahead = () => 0 }: RedisOptions): Promise<Log> => {
  if (!/^[\w.:-]+$/.test(prefix))
    throw new TypeError("the prefix of a log in Redis can contain only letters, digits and . : - _");
  const { watch, wake, wakeAll } = watchers();
  const controlWatchers = watchersOfAll();
  const keys = createKeys(prefix);
  const knownLeases = createKnownLeases(ahead);
  const tails = createTails(knownLeases);
  const onRun = (run: string) => {
    tails.forget(run);
    wake(run);
  };
  const wakes = createWakes({ onRun, onControl: controlWatchers.wake });
  const connection = await connect({
    url,
    channel: keys.channel,
    onMessage: wakes.hear,
    onGap: () => {
      tails.forgetAll();
      wakeAll();
      controlWatchers.wake();
    },
  });
  const owners = openOwners(connection, keys, knownLeases, ahead);
  const marks = createMarks();
  const index = openRunIndex(connection, keys, ahead);
  const runs = openRuns({ connection, keys, index, owners, marks });
  const appends = createAppends({ connection, keys, index, tails, marks, wakes, wake });
  let closing: Promise<void> | undefined;

  const send = async (run: string, control: Control) => {
    const values = [control.id, controlText(control), String(MAX_CONTROLS), keys.channel, wakes.message("c", [run])];
    const where = [keys.info(run), keys.controls(run), keys.controlIds(run)];
    const result = await connection.call<"queued" | "ended" | "full" | "unknown" | "dropped">(SEND, where, values);
    if (result === "unknown" || result === "dropped") throw new LogMissing(run, result === "dropped");
    if (result === "queued") controlWatchers.wake(run);
    return result;
  };

  return {
    name: "redis",
    survives: "the loss of any process; what Redis itself loses depends on its persistence",
    isLasting: true,
    records: openRecords(connection, keys, ahead),
    watch,

    append: (run, entries, as) =>
      closing ? Promise.reject(new Error("the log is closed")) : appends.append(run, entries, as),
    read: (run, after, limit) =>
      tails.read(run, after, Math.max(1, limit)) ?? runs.read(run, after, Math.max(1, limit)),
    info: runs.info,
    list: runs.list,

    heartbeat: owners.heartbeat,
    async takeOver(run, owner) {
      checkText("owner", owner);
      tails.forget(run);
      return await runs.takeOver(run, owner);
    },
    async release(run, as) {
      const { owner, epoch } = as;
      tails.release(run, as);
      // Update the index first: every process checks runs that the index shows without an owner.
      await index.own(run, undefined);
      await connection.call(RELEASE, [keys.info(run)], [owner, String(epoch)]);
    },
    orphans: runs.orphans,

    send: async (run, control) => await send(run, control),
    async controls(run, after, limit) {
      const key = keys.controls(run);
      const words = ["LRANGE", key, String(after), String(after + Math.min(limit, MAX_CONTROLS) - 1)];
      const texts = await connection.command<string[]>(key, words);
      return texts.map((text, place) => ({ number: after + place + 1, control: JSON.parse(text) }));
    },
    watchControls: controlWatchers.watch,

    ...openFiles(connection, keys, ahead),

    async drop(run) {
      checkRunId(run);
      await runs.drop(run);
    },
    async retain({ maxAgeMs = Infinity, maxRuns = Infinity }, now) {
      for (let gone = 0; ;) {
        const leaving = await index.leaving(now - maxAgeMs, maxRuns);
        if (leaving.length === 0) return gone;
        for (const run of leaving) if (await runs.drop(run)) gone++;
      }
    },

    close: () =>
      (closing ??= (async () => {
        await appends.idle();
        await connection.close();
      })()),
  };
};
