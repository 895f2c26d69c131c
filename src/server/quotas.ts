import { createHash } from "node:crypto";
import type { Entry } from "../events.ts";
import type { Log } from "../log.ts";
import type { Limits } from "./limits.ts";
import { HttpRefusal } from "./refusals.ts";

/** What runs may store in a day (of UTC): those of one user, and all of them. Counted in the log's records, for all processes. */
export interface Quotas {
  /** The same log; what is stored in it counts. */
  readonly log: Log;
  /** Throws the refusal for a start of a user who has stored what a day allows, or if everybody together has. */
  check(user: string | undefined): Promise<void>;
  /** The bytes of this run, which has not started, are the user's. */
  claim(run: string, user: string | undefined): void;
  /** Stores what has been counted. */
  close(): Promise<void>;
}

const KIND = "stored-bytes";
const DAY = 86_400_000;
/** Who reads a sum learns within so long what other processes have counted. */
const COUNT_MS = 2000;
const NOBODY = "";
const EVERYBODY = "*";

type QuotaLimits = Pick<Limits, "userBytesPerDay" | "bytesPerDay">;

export const createQuotas = (
  log: Log,
  { userBytesPerDay, bytesPerDay }: QuotaLimits,
  onError: (error: unknown) => void,
  now = Date.now,
): Quotas => {
  const { records } = log;
  const users = new Map<string, string>();
  /** By run: not counted yet. */
  const counted = new Map<string, number>();
  const sums = new Map<string, { readonly bytes: number; readonly at: number }>();
  let timer: NodeJS.Timeout | undefined;

  const idOf = (who: string) => `${Math.floor(now() / DAY)}/${who}`;
  const userOf = async (run: string): Promise<string> => {
    // A run that another process began.
    const found = users.get(run) ?? hashOf((await log.info(run))?.user);
    users.set(run, found);
    return found;
  };
  const add = async (who: string, bytes: number): Promise<void> => {
    const sum = await records.add(KIND, idOf(who), bytes, { ttlMs: 2 * DAY });
    sums.set(idOf(who), { bytes: sum, at: now() });
  };
  const store = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const taken = [...counted];
    counted.clear();
    const byUser = new Map<string, number>();
    let all = 0;
    for (const [run, bytes] of taken) {
      const user = await userOf(run);
      if (ended.delete(run)) users.delete(run);
      if (user !== NOBODY) byUser.set(user, (byUser.get(user) ?? 0) + bytes);
      all += bytes;
    }
    if (all > 0) await Promise.all([add(EVERYBODY, all), ...[...byUser].map(([user, bytes]) => add(user, bytes))]);
    for (const [id, { at }] of sums) if (now() - at > DAY) sums.delete(id);
  };
  const ended = new Set<string>();
  const count = (run: string, bytes: number): void => {
    counted.set(run, (counted.get(run) ?? 0) + bytes);
    timer ??= setTimeout(() => void store().catch(onError), COUNT_MS).unref();
  };
  const note = (run: string, entries: readonly Entry[]): void => {
    let bytes = 0;
    for (const { event } of entries) {
      bytes += "delta" in event ? 96 + event.delta.length : 48 + JSON.stringify(event).length;
      if (event.type === "run-start") users.set(run, hashOf(event.user?.id));
      else if (event.type === "run-end") ended.add(run);
    }
    count(run, bytes);
  };

  const sumOf = async (who: string): Promise<number> => {
    const id = idOf(who);
    const known = sums.get(id);
    if (known && now() - known.at < COUNT_MS) return known.bytes;
    const value = await records.get(KIND, id);
    const bytes = typeof value === "number" ? value : 0;
    sums.set(id, { bytes, at: now() });
    return bytes;
  };
  const checkSum = async (who: string, most: number, whose: string, setting: string): Promise<void> => {
    if ((await sumOf(who)) < most) return;
    const wait = Math.ceil((DAY - (now() % DAY)) / 1000);
    throw new HttpRefusal(
      429,
      "quota",
      `${whose} have stored the ${most} bytes that are allowed in a day`,
      `the setting limits.${setting} says how much that is; it counts anew at midnight UTC`,
      { headers: { "retry-after": `${wait}` }, retryable: true },
    );
  };

  return {
    log: {
      ...log,
      append: (run, entries, as) => {
        const stored = log.append(run, entries, as);
        note(run, entries);
        return stored;
      },
      put: async (run, bytes, file) => {
        const ref = await log.put(run, bytes, file);
        count(run, bytes.length);
        return ref;
      },
    },
    check: async (user) => {
      if (user !== undefined) await checkSum(hashOf(user), userBytesPerDay, "your runs", "userBytesPerDay");
      await checkSum(EVERYBODY, bytesPerDay, "the runs of this server", "bytesPerDay");
    },
    claim: (run, user) => {
      users.set(run, hashOf(user));
      // Known until they are counted: the run may never start.
      ended.add(run);
    },
    close: () => store().catch(onError),
  };
};

/** A user's id may be anything, and is nobody's business in a list of sums. */
const hashOf = (user: string | undefined): string =>
  user === undefined ? NOBODY : createHash("sha256").update(user).digest("base64url").slice(0, 22);
