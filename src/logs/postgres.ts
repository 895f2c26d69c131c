import { randomBytes } from "node:crypto";
import {
  checkRunId,
  checkText,
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
import { createAppends } from "./postgres/appends.ts";
import { connect } from "./postgres/connection.ts";
import { openFiles } from "./postgres/files.ts";
import { functions } from "./postgres/functions.ts";
import { openRecords } from "./postgres/records.ts";
import { openRuns } from "./postgres/runs.ts";
import { migrate } from "./postgres/schema.ts";

export interface PostgresOptions {
  /** `postgres://user:password@host:5432/database`. */
  readonly url: string;
  /** The schema of the tables, created if missing. Default: `runcast`. */
  readonly schema?: string;
  /** How long a response may take before the connection counts as dead, in milliseconds. Default: 15 s. */
  readonly silenceMs?: number;
  /** How far leases and the expiry of records are ahead of the engine's clock, in milliseconds. For tests. */
  readonly ahead?: () => number;
}

/** A notification holds at most 8000 bytes. */
const MAX_MESSAGE = 7000;
const SILENCE_MS = 15_000;

/**
 * Stores runs in Postgres 14 or newer, for any number of processes. Rejects if it cannot connect, or if the package `pg` is missing.
 */
export const postgres = async (options: PostgresOptions): Promise<Log> => {
  const { url, schema = "runcast", silenceMs = SILENCE_MS, ahead = () => 0 } = options;
  if (!/^[a-z][a-z0-9_]{0,50}$/.test(schema))
    throw new TypeError("the schema's name can contain only lowercase letters, digits and _");
  const { watch, wake, wakeAll } = watchers();
  const controlWatchers = watchersOfAll();
  const channel = `${schema}_wake`;
  const self = randomBytes(9).toString("base64url");
  /** The sender, the topic (`e` entries, `c` controls) and the runs, with `*` for any run. */
  const message = (about: "e" | "c", runs: readonly string[]) => {
    const text = `${self} ${about} ${runs.join(",")}`;
    return text.length > MAX_MESSAGE ? `${self} ${about} *` : text;
  };
  const knownLeases = createKnownLeases(ahead);
  const tails = createTails(knownLeases);
  const onRun = (run: string) => {
    tails.forget(run);
    wake(run);
  };
  const onAnyRun = () => {
    tails.forgetAll();
    wakeAll();
  };
  const onNotification = (text: string) => {
    const [sender, about, runs = ""] = text.split(" ");
    if (sender === self) return;
    if (runs === "*") return about === "c" ? controlWatchers.wake() : onAnyRun();
    for (const run of runs.split(",")) (about === "c" ? controlWatchers.wake : onRun)(run);
  };
  const connection = await connect({
    url,
    channel,
    prepare: (client) => migrate(client, schema, functions(schema)),
    silenceMs,
    onMessage: onNotification,
    onGap: () => {
      onAnyRun();
      controlWatchers.wake();
    },
  });
  const marks = createMarks();
  const runs = openRuns(connection, schema, marks, ahead);
  const { sweep, ...files } = openFiles(connection, schema, ahead);
  const appends = createAppends({ connection, schema, channel, message: (of) => message("e", of), marks, tails, wake });
  let closing: Promise<void> | undefined;

  return {
    name: "postgres",
    survives: "the loss of any process, and a power failure, with Postgres' default settings",
    isLasting: true,
    records: openRecords(connection, schema, ahead),
    watch,

    append: (run, entries, as) =>
      closing ? Promise.reject(new Error("the log is closed")) : appends.append(run, entries, as),
    read: (run, after, limit) =>
      tails.read(run, after, Math.max(1, limit)) ?? runs.read(run, after, Math.max(1, limit)),
    info: runs.info,
    list: runs.list,

    async heartbeat(owner, leaseMs) {
      const renewed = knownLeases.renew(owner, leaseMs);
      let isRepeated = false;
      const [row] = await connection.query<{ alive: boolean }>(
        `SELECT ${schema}.heartbeat($1, $2, $3) AS alive`,
        (isRetry) => {
          isRepeated = isRetry;
          return [owner, leaseMs, ahead()];
        },
      );
      // The response to an earlier attempt is lost, and that attempt may have been the one after a gap.
      const isContinued = row!.alive && !isRepeated;
      renewed(isContinued);
      return isContinued;
    },
    async takeOver(run, owner) {
      checkText("owner", owner);
      tails.forget(run);
      const values = [run.replaceAll("\0", "/"), owner, ahead()];
      const [row] = await connection.query<{ epoch: string; seq: string }>(
        `SELECT epoch, seq FROM ${schema}.take_over($1, $2, $3)`,
        values,
      );
      return row && { owner, epoch: Number(row.epoch), seq: Number(row.seq) };
    },
    async release(run, as) {
      const { owner, epoch } = as;
      tails.release(run, as);
      await connection.query(
        `UPDATE ${schema}.runs SET owner = NULL, epoch = epoch + 1
         WHERE run = $1 AND owner = $2 AND epoch = $3 AND ended_at IS NULL AND NOT dropped`,
        [run, owner, epoch],
      );
    },
    orphans: runs.orphans,

    async send(run, control) {
      const values = [
        run.replaceAll("\0", "/"),
        control.id,
        controlText(control),
        MAX_CONTROLS,
        channel,
        message("c", [run]),
      ];
      const [row] = await connection.query<{ result: "queued" | "ended" | "full" | "unknown" | "dropped" }>(
        `SELECT ${schema}.send($1, $2, $3, $4, $5, $6) AS result`,
        values,
      );
      const { result } = row!;
      if (result === "unknown" || result === "dropped") throw new LogMissing(run, result === "dropped");
      if (result === "queued") controlWatchers.wake(run);
      return result;
    },
    async controls(run, after, limit) {
      const rows = await connection.query<{ number: number; body: string }>(
        `SELECT c.number, c.body FROM ${schema}.controls c JOIN ${schema}.runs r ON r.number = c.run
         WHERE r.run = $1 AND c.number > $2 ORDER BY c.number LIMIT $3`,
        [run, after, limit],
      );
      return rows.map(({ number, body }) => ({ number, control: JSON.parse(body) }));
    },
    watchControls: controlWatchers.watch,

    ...files,

    async drop(run) {
      checkRunId(run);
      await runs.drop(run);
    },
    async retain({ maxAgeMs = Infinity, maxRuns = Infinity }, now) {
      await sweep();
      return await runs.retain(now - maxAgeMs, maxRuns);
    },

    close: () =>
      (closing ??= (async () => {
        await appends.idle();
        await connection.close();
      })()),
  };
};
