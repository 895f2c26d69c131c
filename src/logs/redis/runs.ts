import type { RunOutcome } from "../../events.ts";
import { entriesOf, type Log, LogMissing, type Marks, type RunInfo, type RunQuery } from "../../log.ts";
import type { RedisConnection } from "./connection.ts";
import type { Keys } from "./keys.ts";
import type { Owners } from "./owners.ts";
import type { RunIndex } from "./run-index.ts";
import { DROP, READ, TAKE_OVER } from "./run-scripts.ts";

interface Parts {
  readonly connection: RedisConnection;
  readonly keys: Keys;
  readonly index: RunIndex;
  readonly owners: Owners;
  readonly marks: Marks;
}

const FIELDS = [
  "seq",
  "thread",
  "user",
  "name",
  "agent",
  "startedAt",
  "endedAt",
  "outcome",
  "dropped",
  "owner",
  "epoch",
];

/** The share of the runs of live owners that are checked with each query of orphans. */
const CHECKED = 0.02;
const AT_ONCE = 50;

/** Queries of existing runs. A run itself is always exact, so errors in the lists are detected and repaired here. */
export const openRuns = ({ connection, keys, index, owners, marks }: Parts) => {
  const info = async (run: string): Promise<RunInfo | undefined> => {
    const values = await connection.command<(string | null)[]>(keys.info(run), ["HMGET", keys.info(run), ...FIELDS]);
    return infoOf(run, values);
  };

  /** Repairs the index for a run that it lists as open. */
  const repair = async (run: string, found: RunInfo | undefined) => {
    if (!found) await index.forget(run);
    else if (found.dropped) await forget(found);
    else if (found.endedAt !== undefined) await index.end(run, found.endedAt);
    else await index.own(run, found.owner);
  };

  const forget = async (found: RunInfo) => {
    const old = await index.drop(found);
    for (const run of old) await connection.command(keys.info(run), ["UNLINK", keys.info(run)]);
  };

  return {
    info,

    async read(run: string, after: number, limit: number) {
      const values = [String(after), String(Math.min(limit, Number.MAX_SAFE_INTEGER))];
      const found = await connection.call<string[]>(READ, [keys.info(run), keys.entries(run)], values);
      const [status, seq, ...chunks] = found;
      if (status !== "stored") throw new LogMissing(run, status === "dropped");
      marks.check(run, after, Number(seq));
      const entries = entriesOf(chunks, after, limit);
      if (entries.length > 0) marks.set(run, Number(seq));
      return entries;
    },

    async list(query: RunQuery): Promise<RunInfo[]> {
      const found: RunInfo[] = [];
      for await (const page of index.among(query)) {
        for (const [place, each] of (await Promise.all(page.map(info))).entries()) {
          if (each && !each.dropped && matches(each, query)) found.push(each);
          else if (query.open && (!each || each.endedAt !== undefined)) await repair(page[place]!, each);
          else if (each?.dropped) await forget(each);
          if (found.length >= query.limit) return found;
        }
      }
      return found;
    },

    async takeOver(run: string, owner: string): ReturnType<Log["takeOver"]> {
      const seen = await info(run);
      if (!seen || seen.endedAt !== undefined || seen.dropped) return undefined;
      if (seen.owner !== undefined && seen.owner !== owner && (await owners.isAlive(seen.owner))) return undefined;
      // Update the index first: processes ignore runs that the index shows with a live owner.
      await index.own(run, owner);
      const taken = await connection.call<[number, number] | null>(TAKE_OVER, [keys.info(run)], (isRetry) => [
        String(seen.epoch),
        owner,
        isRetry ? "1" : "0",
      ]);
      if (taken) return { owner, epoch: taken[0], seq: taken[1] };
      const now = await info(run);
      await repair(run, now);
      return undefined;
    },

    async orphans(limit: number): Promise<RunInfo[]> {
      const found: RunInfo[] = [];
      const alive = new Map<string, Promise<boolean>>();
      const isAlive = (owner: string) => {
        if (!alive.has(owner)) alive.set(owner, owners.isAlive(owner));
        return alive.get(owner)!;
      };
      const check = async (run: string, listed: string | undefined) => {
        const each = await info(run);
        const isOpen = each && each.endedAt === undefined && !each.dropped;
        if (isOpen && (each.owner === undefined || !(await isAlive(each.owner)))) found.push(each);
        else if (!isOpen || each.owner !== listed) await repair(run, each);
      };
      for (const [owner, runs] of await index.byOwner()) {
        const isListedAlive = owner !== undefined && (await isAlive(owner));
        // The index may be wrong: a takeover may have failed after it changed the index. So check some of the others too.
        const suspects = isListedAlive ? runs.filter(() => Math.random() < CHECKED) : runs;
        for (let from = 0; from < suspects.length && found.length < limit; from += AT_ONCE)
          await Promise.all(suspects.slice(from, from + AT_ONCE).map((run) => check(run, owner)));
      }
      return found.slice(0, limit);
    },

    /** Whether the run existed and is now gone. */
    async drop(run: string): Promise<boolean> {
      const where = [keys.info(run), keys.entries(run), keys.controls(run), keys.controlIds(run), keys.files(run)];
      const result = await connection.call<string>(DROP, where, [keys.file(run, "")]);
      if (result === "open") throw new Error(`run ${run} has not ended: only finished runs can be deleted`);
      const found = result === "unknown" ? undefined : await info(run);
      if (found) await forget(found);
      return result === "gone";
    },
  };
};

const matches = (info: RunInfo, { open, thread, user, agent }: RunQuery): boolean =>
  (!open || info.endedAt === undefined) &&
  (thread === undefined || info.thread === thread) &&
  (user === undefined || info.user === user) &&
  (agent === undefined || info.agent === agent);

const infoOf = (run: string, values: readonly (string | null)[]): RunInfo | undefined => {
  const [seq, thread, user, name = "", agent = name, startedAt, endedAt, outcome, dropped, owner, epoch] = values.map(
    (value) => value ?? undefined,
  );
  if (seq === undefined) return undefined;
  return {
    run,
    thread,
    user,
    name,
    agent,
    seq: Number(seq),
    startedAt: Number(startedAt),
    endedAt: endedAt === undefined ? undefined : Number(endedAt),
    outcome: outcome as RunOutcome | undefined,
    ...(dropped !== undefined && { dropped: true }),
    owner,
    epoch: Number(epoch),
  };
};
