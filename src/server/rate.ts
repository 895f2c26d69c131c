import { HttpRefusal } from "./refusals.ts";

const MINUTE = 60_000;
const MOST_ADDRESSES = 10_000;

/** How often something may happen from one address in a minute. A minute's worth may come at once; then they come back one by one. */
export interface Rate {
  /** Counts one. Throws the refusal if it was one too many, and does not count it then. */
  take(address: string): void;
  /** Throws the refusal if the next one would be too many. */
  check(address: string): void;
}

/** By a clock that nobody sets: a step of the machine's time neither locks anyone out nor lets anyone in. */
const steady = (): number => performance.now();

export const createRate = (perMinute: number, what: string, setting: string, now = steady): Rate => {
  const interval = MINUTE / perMinute;
  /** When each address will have all of its own back. */
  const restored = new Map<string, number>();
  const next = (address: string): number => Math.max(now(), restored.get(address) ?? 0) + interval;
  const check = (address: string): void => {
    const excess = next(address) - now() - MINUTE;
    if (excess <= 1) return;
    throw new HttpRefusal(
      429,
      "too-many-requests",
      `more than ${perMinute} ${what} a minute came from this address`,
      `the setting ${setting} says how many may come`,
      { headers: { "retry-after": `${Math.ceil(excess / 1000)}` }, retryable: true },
    );
  };
  return {
    check,
    take: (address) => {
      check(address);
      const when = next(address);
      if (restored.size >= MOST_ADDRESSES) makeRoom(restored, now());
      restored.set(address, when);
    },
  };
};

/** Forgets who has everything back; if nobody has, whoever came first. */
const makeRoom = (restored: Map<string, number>, now: number): void => {
  for (const [address, when] of restored) if (when <= now) restored.delete(address);
  for (const address of restored.keys()) if (restored.size >= MOST_ADDRESSES) restored.delete(address);
};
