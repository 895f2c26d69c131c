import type { IncomingMessage } from "node:http";
import type { Limits } from "./limits.ts";
import { clientAddress } from "./client-address.ts";
import { createRate } from "./rate.ts";

/** What a request is, for its limit: those who watch much can still stop a run, and those who start much can still watch. */
export type RequestKind = "start" | "control" | "read";

/** How often an address may ask, each kind for itself. Throws the refusal. */
export interface Rates {
  count(request: IncomingMessage, kind: RequestKind): void;
  /** Before a key or token is looked at: whoever guesses gets no answer for a while, right or wrong. */
  mayGuess(request: IncomingMessage): void;
  guessedWrong(request: IncomingMessage): void;
  /** Whether this key was right from this address before: whoever has used it is no guesser, whatever others there do. */
  isKnown(request: IncomingMessage, key: string): boolean;
  guessedRight(request: IncomingMessage, key: string): void;
}

const MOST_KNOWN = 10_000;

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
      // Those who came last stay.
      if (known.size > MOST_KNOWN) known.delete(known.values().next().value!);
    },
  };
};
