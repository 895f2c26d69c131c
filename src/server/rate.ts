import { HttpRefusal } from "./refusals.ts";

const MINUTE = 60_000;
const MAX_ADDRESSES = 10_000;

/** A limit per address and minute. A full minute's worth may be used in a burst, and is then restored gradually. */
export interface Rate {
  /** Counts one. Throws a Refusal without counting if the limit is exceeded. */
  take(address: string): void;
  /** Throws a Refusal if the next one would exceed the limit. */
  check(address: string): void;
}

/** A monotonic clock: changes of the system time neither lock clients out nor let them in. */
const steady = (): number => performance.now();

export const createRate = (perMinute: number, what: string, setting: string, now = steady): Rate => {
  const interval = MINUTE / perMinute;
  /** When each address will have its full allowance back. */
  const restored = new Map<string, number>();
  const next = (address: string): number => Math.max(now(), restored.get(address) ?? 0) + interval;
  const check = (address: string): void => {
    const excess = next(address) - now() - MINUTE;
    if (excess <= 1) return;
    throw new HttpRefusal(
      429,
      "too-many-requests",
      `this address sent more than ${perMinute} ${what} a minute`,
      `the ${setting} setting sets this limit`,
      { headers: { "retry-after": `${Math.ceil(excess / 1000)}` }, retryable: true },
    );
  };
  return {
    check,
    take: (address) => {
      check(address);
      const when = next(address);
      if (restored.size >= MAX_ADDRESSES) makeRoom(restored, now());
      restored.set(address, when);
    },
  };
};

/** Forgets addresses with their full allowance, or else the oldest ones. */
const makeRoom = (restored: Map<string, number>, now: number): void => {
  for (const [address, when] of restored) if (when <= now) restored.delete(address);
  for (const address of restored.keys()) if (restored.size >= MAX_ADDRESSES) restored.delete(address);
};
