import { createHash } from "node:crypto";
import type { Event } from "../events.ts";
import type { Records } from "../records.ts";
import type { Limits } from "./limits.ts";
import { HttpRefusal } from "./refusals.ts";

/** What models may read and write in a day (of UTC): for one user, and for everybody. Counted in the log's records, for all processes. */
export interface TokenQuota {
  /** Counts what a step took. A run that is at work goes on over the limit; the next one is refused. */
  observe(user: string | undefined, event: Event): void;
  /** Throws the refusal for a start over the limit. */
  check(user: string | undefined): Promise<void>;
  /** Stores what has been counted. */
  close(): Promise<void>;
}

const KIND = "tokens";
const DAY = 86_400_000;
/** Who reads a sum learns within so long what other processes have counted. */
const COUNT_MS = 2000;
const EVERYBODY = "*";

type QuotaLimits = Pick<Limits, "userTokensPerDay" | "tokensPerDay">;

export const createTokenQuota = (
  records: Records,
  { userTokensPerDay, tokensPerDay }: QuotaLimits,
  onError: (error: unknown) => void,
  now = Date.now,
): TokenQuota => {
  const counted = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  const idOf = (who: string) => `${Math.floor(now() / DAY)}/${who}`;

  const store = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const taken = [...counted];
    counted.clear();
    await Promise.all(taken.map(([id, tokens]) => records.add(KIND, id, tokens, { ttlMs: 2 * DAY })));
  };
  const count = (who: string, tokens: number): void => {
    const id = idOf(who);
    counted.set(id, (counted.get(id) ?? 0) + tokens);
    timer ??= setTimeout(() => void store().catch(onError), COUNT_MS).unref();
  };
  const sumOf = async (who: string): Promise<number> => {
    const value = await records.get(KIND, idOf(who));
    return (typeof value === "number" ? value : 0) + (counted.get(idOf(who)) ?? 0);
  };
  const checkSum = async (who: string, most: number, whose: string, setting: string): Promise<void> => {
    if (most === Infinity || (await sumOf(who)) < most) return;
    throw new HttpRefusal(
      429,
      "token-quota",
      `${whose} have used the ${most} tokens that are allowed in a day`,
      `try again after midnight UTC; the setting limits.${setting} says how many that are`,
      { headers: { "retry-after": `${Math.ceil((DAY - (now() % DAY)) / 1000)}` }, retryable: true },
    );
  };

  return {
    observe: (user, event) => {
      if (event.type !== "step-end" || !event.usage) return;
      const tokens = (event.usage.input ?? 0) + (event.usage.output ?? 0);
      if (!(tokens > 0)) return;
      if (tokensPerDay !== Infinity) count(EVERYBODY, Math.ceil(tokens));
      if (userTokensPerDay !== Infinity && user !== undefined) count(hashOf(user), Math.ceil(tokens));
    },
    check: async (user) => {
      if (user !== undefined) await checkSum(hashOf(user), userTokensPerDay, "your runs", "userTokensPerDay");
      await checkSum(EVERYBODY, tokensPerDay, "the runs of this server", "tokensPerDay");
    },
    close: () => store().catch(onError),
  };
};

/** A user's id may be anything, and is nobody's business in a list of sums. */
const hashOf = (user: string): string => createHash("sha256").update(user).digest("base64url").slice(0, 22);
