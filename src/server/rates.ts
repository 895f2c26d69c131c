import type { IncomingMessage } from "node:http";
import type { Limits } from "./limits.ts";
import { clientAddress } from "./client-address.ts";
import { createRate } from "./rate.ts";

/** Each kind of request has its own limit, so many reads cannot prevent a stop, and many starts cannot prevent reads. */
export type RequestKind = "start" | "control" | "read";

/** Rate limits per address, separate for each kind. Throw a Refusal. */
export interface Rates {
  count(request: IncomingMessage, kind: RequestKind): void;
  /** Called before a key or token is checked. After too many wrong ones, refuses right and wrong ones alike for a while. */
  mayGuess(request: IncomingMessage): void;
  guessedWrong(request: IncomingMessage): void;
  /** Whether this key was accepted from this address before. Its holder is not guessing, even if others at the address are. */
  isKnown(request: IncomingMessage, key: string): boolean;
  guessedRight(request: IncomingMessage, key: string): void;
}

const MAX_KNOWN = 10_000;

export const createRates = (limits: Limits, proxies: number, now?: () => number): Rates => {
  const { startsPerMinute, controlsPerMinute, readsPerMinute, wrongKeysPerMinute } = limits;
  const rates = {
    start: createRate(startsPerMinute, "starts", "limits.startsPerMinute", now),
    control: createRate(controlsPerMinute, "cancels and answers", "limits.controlsPerMinute", now),
    read: createRate(readsPerMinute, "reads", "limits.readsPerMinute", now),
  };
  const known = new Set<string>();
  const nameOf = (request: IncomingMessage, key: string) => `${clientAddress(request, proxies)} ${key}`;
  const guesses = createRate(wrongKeysPerMinute, "wrong keys", "limits.wrongKeysPerMinute", now);
  return {
    count: (request, kind) => rates[kind].take(clientAddress(request, proxies)),
    mayGuess: (request) => guesses.check(clientAddress(request, proxies)),
    guessedWrong: (request) => guesses.take(clientAddress(request, proxies)),
    isKnown: (request, key) => known.has(nameOf(request, key)),
    guessedRight: (request, key) => {
      known.add(nameOf(request, key));
      // Keep the most recent ones.
      if (known.size > MAX_KNOWN) known.delete(known.values().next().value!);
    },
  };
};
