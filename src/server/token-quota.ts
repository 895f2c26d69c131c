import type { Event } from "../events.ts";
import type { Records } from "../records.ts";
import { createDailySums } from "./daily-sums.ts";
import type { Limits } from "./limits.ts";

/** What models may read and write in a day: for one user, and for everybody. */
export interface TokenQuota {
  /** Counts what a step took. A run that is at work goes on over the limit; the next one is refused. */
  observe(user: string | undefined, event: Event): void;
  /** Throws the refusal for a start over the limit. */
  check(user: string | undefined): Promise<void>;
  /** Stores what has been counted. */
  close(): Promise<void>;
}

export const createTokenQuota = (
  records: Records,
  { userTokensPerDay, tokensPerDay }: Pick<Limits, "userTokensPerDay" | "tokensPerDay">,
  onError: (error: unknown) => void,
  now = Date.now,
): TokenQuota => {
  const sums = createDailySums(records, {
    kind: "tokens",
    code: "token-quota",
    maxPerUser: userTokensPerDay,
    most: tokensPerDay,
    settings: { user: "userTokensPerDay", all: "tokensPerDay" },
    taken: (most) => `have used the ${most} tokens that are allowed in a day`,
    onError,
    now,
  });
  return {
    observe: (user, event) => {
      if (event.type !== "step-end" || !event.usage) return;
      const tokens = (event.usage.input ?? 0) + (event.usage.output ?? 0);
      if (tokens > 0) sums.add(user, Math.ceil(tokens));
    },
    check: sums.check,
    close: sums.close,
  };
};
