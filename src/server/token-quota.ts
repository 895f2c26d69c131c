import type { Event } from "../events.ts";
import type { Records } from "../records.ts";
import { createDailySums } from "./daily-sums.ts";
import type { Limits } from "./limits.ts";

/** Limits how many tokens models may read and write per day: per user, and in total. */
export interface TokenQuota {
  /** Counts the tokens of a step. A running run may exceed the limit. The next one is refused. */
  observe(user: string | undefined, event: Event): void;
  /** Throws a Refusal if the user, or all users together, reached the daily limit. */
  check(user: string | undefined): Promise<void>;
  /** Stores pending counts. */
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
    limitText: (limit) => `have reached the daily limit of ${limit} tokens`,
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
