import { createHash } from "node:crypto";
import type { Records } from "../records.ts";
import { HttpRefusal } from "./refusals.ts";

/** What users take of something in a day (of UTC), and all of them together. Summed in the log's records, for all processes. */
export interface DailySums {
  add(user: string | undefined, amount: number): void;
  /** Throws the refusal if this user, or everybody together, has taken what a day allows. */
  check(user: string | undefined): Promise<void>;
  /** Stores what has been added. */
  close(): Promise<void>;
}

export interface DailySumsOptions {
  /** The kind of the records. */
  readonly kind: string;
  /** The code of the refusal. */
  readonly code: string;
  readonly maxPerUser: number;
  readonly most: number;
  /** The settings that say so. */
  readonly settings: { readonly user: string; readonly all: string };
  /** "have used the 100 tokens that are allowed in a day" */
  readonly taken: (most: number) => string;
  readonly onError: (error: unknown) => void;
  readonly now?: () => number;
}

const DAY = 86_400_000;
/** Who reads a sum learns within so long what other processes have added. */
const STORE_MS = 2000;
const EVERYBODY = "*";

export const createDailySums = (records: Records, options: DailySumsOptions): DailySums => {
  const { kind, code, maxPerUser, most, settings, taken, onError, now = Date.now } = options;
  /** Not stored yet. */
  const added = new Map<string, number>();
  const stored = new Map<string, { readonly sum: number; readonly at: number }>();
  let timer: NodeJS.Timeout | undefined;
  const idOf = (who: string) => `${Math.floor(now() / DAY)}/${who}`;

  const store = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const amounts = [...added];
    added.clear();
    const put = async ([id, amount]: [string, number]) => {
      const sum = await records.add(kind, id, amount, { ttlMs: 2 * DAY });
      stored.set(id, { sum, at: now() });
    };
    await Promise.all(amounts.map(put));
    for (const [id, { at }] of stored) if (now() - at > DAY) stored.delete(id);
  };
  const addTo = (who: string, amount: number): void => {
    const id = idOf(who);
    added.set(id, (added.get(id) ?? 0) + amount);
    timer ??= setTimeout(() => void store().catch(onError), STORE_MS).unref();
  };
  const storedSum = async (id: string): Promise<number> => {
    const known = stored.get(id);
    if (known && now() - known.at < STORE_MS) return known.sum;
    const value = await records.get(kind, id);
    const sum = typeof value === "number" ? value : 0;
    stored.set(id, { sum, at: now() });
    return sum;
  };
  const checkSum = async (who: string, limit: number, whose: string, setting: string): Promise<void> => {
    const id = idOf(who);
    if (limit === Infinity || (await storedSum(id)) + (added.get(id) ?? 0) < limit) return;
    throw new HttpRefusal(
      429,
      code,
      `${whose} ${taken(limit)}`,
      `try again after midnight UTC; the setting limits.${setting} says how much that is`,
      { headers: { "retry-after": `${Math.ceil((DAY - (now() % DAY)) / 1000)}` }, retryable: true },
    );
  };

  return {
    add: (user, amount) => {
      if (most !== Infinity) addTo(EVERYBODY, amount);
      if (maxPerUser !== Infinity && user !== undefined) addTo(hashOf(user), amount);
    },
    check: async (user) => {
      if (user !== undefined) await checkSum(hashOf(user), maxPerUser, "your runs", settings.user);
      await checkSum(EVERYBODY, most, "the runs of this server", settings.all);
    },
    close: () => store().catch(onError),
  };
};

/** A user's id may be anything, and is nobody's business in a list of sums. */
const hashOf = (user: string): string => createHash("sha256").update(user).digest("base64url").slice(0, 22);
