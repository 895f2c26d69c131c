import { createHash } from "node:crypto";
import type { Records } from "../records.ts";
import { HttpRefusal } from "./refusals.ts";

/** Daily sums (by UTC day), per user and in total. Stored in the log's records, so all processes share them. */
export interface DailySums {
  add(user: string | undefined, amount: number): void;
  /** Throws a Refusal if this user, or all users together, reached the daily limit. */
  check(user: string | undefined): Promise<void>;
  /** Stores pending amounts. */
  close(): Promise<void>;
}

export interface DailySumsOptions {
  /** The kind of the records. */
  readonly kind: string;
  /** The code of the refusal. */
  readonly code: string;
  readonly maxPerUser: number;
  readonly most: number;
  /** The names of the settings with the limits. */
  readonly settings: { readonly user: string; readonly all: string };
  /** The text about a reached limit: "have used the 100 tokens that are allowed in a day". */
  readonly limitText: (most: number) => string;
  readonly onError: (error: unknown) => void;
  readonly now?: () => number;
}

const DAY = 86_400_000;
/** How long amounts of this process may stay unstored, and how long a sum that was read is cached. */
const STORE_MS = 2000;
const TOTAL = Symbol("total");
type Who = string | typeof TOTAL;

export const createDailySums = (records: Records, options: DailySumsOptions): DailySums => {
  const { kind, code, maxPerUser, most, settings, limitText, onError, now = Date.now } = options;
  /** Amounts of one day that are not stored yet. By user, because this is called for every append and hashing is slow. */
  const added = new Map<Who, number>();
  let addedOn = 0;
  const stored = new Map<string, { readonly sum: number; readonly at: number }>();
  let timer: NodeJS.Timeout | undefined;
  const today = () => Math.floor(now() / DAY);
  const idOf = (day: number, who: Who) => `${day}/${who === TOTAL ? "*" : hashOf(who)}`;

  const store = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const day = addedOn;
    const amounts = [...added];
    added.clear();
    const put = async ([who, amount]: [Who, number]) => {
      const id = idOf(day, who);
      const sum = await records.add(kind, id, amount, { ttlMs: 2 * DAY });
      stored.set(id, { sum, at: now() });
    };
    await Promise.all(amounts.map(put));
    for (const [id, { at }] of stored) if (now() - at > DAY) stored.delete(id);
  };
  const addTo = (who: Who, amount: number): void => {
    if (today() !== addedOn) {
      if (added.size > 0) void store().catch(onError);
      addedOn = today();
    }
    added.set(who, (added.get(who) ?? 0) + amount);
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
  const pending = (who: Who): number => (addedOn === today() ? (added.get(who) ?? 0) : 0);
  const checkSum = async (who: Who, limit: number, subject: string, setting: string): Promise<void> => {
    if (limit === Infinity || (await storedSum(idOf(today(), who))) + pending(who) < limit) return;
    throw new HttpRefusal(
      429,
      code,
      `${subject} ${limitText(limit)}`,
      `try again after midnight UTC, or raise the limits.${setting} setting`,
      { headers: { "retry-after": `${Math.ceil((DAY - (now() % DAY)) / 1000)}` }, retryable: true },
    );
  };

  return {
    add: (user, amount) => {
      if (most !== Infinity) addTo(TOTAL, amount);
      if (maxPerUser !== Infinity && user !== undefined) addTo(user, amount);
    },
    check: async (user) => {
      if (user !== undefined) await checkSum(user, maxPerUser, "your runs", settings.user);
      await checkSum(TOTAL, most, "the runs of this server", settings.all);
    },
    close: () => store().catch(onError),
  };
};

/** Records only accept certain ids, and a list of sums must not reveal users' ids. */
const hashOf = (user: string): string => createHash("sha256").update(user).digest("base64url").slice(0, 22);
