import { HttpRefusal } from "./refusals.ts";

const MINUTE = 60_000;
const MOST_ADDRESSES = 10_000;

/** Throws if an address asks more often than `perMinute`. A minute's worth may come at once; then they come back one by one. */
export const createRate = (perMinute: number): ((address: string, now: number) => void) => {
  const interval = MINUTE / perMinute;
  /** When each address will have all its requests back. */
  const restored = new Map<string, number>();
  return (address, now) => {
    const next = Math.max(now, restored.get(address) ?? 0) + interval;
    if (next - now > MINUTE + 1) {
      const seconds = Math.ceil((next - now - MINUTE) / 1000);
      throw new HttpRefusal(
        429,
        "too-many-requests",
        `more than ${perMinute} requests a minute came from this address`,
        "the setting limits.ratePerMinute says how many may come",
        { headers: { "retry-after": `${seconds}` }, retryable: true },
      );
    }
    if (restored.size >= MOST_ADDRESSES) for (const [other, when] of restored) if (when <= now) restored.delete(other);
    restored.set(address, next);
  };
};
