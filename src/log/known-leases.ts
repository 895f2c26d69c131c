/** What a process may assume of owners whose leases it renews at a remote engine. */
export interface KnownLeases {
  /**
   * Call before sending a renewal. The owner counts as alive only once the returned function is called, after the
   * engine's reply, with whether the lease was still valid.
   */
  renew(owner: string, leaseMs: number): (wasAlive: boolean) => void;
  /** Whether the owner's lease has certainly not expired, which means that no other process can have its runs. */
  isSurelyAlive(owner: string): boolean;
  /** Stays the same while the lease has not expired in between. After a gap, other processes may have the owner's runs. */
  termOf(owner: string): number;
}

/** `ahead` is how far a test's clock is ahead, in milliseconds. */
export const createKnownLeases = (ahead: () => number): KnownLeases => {
  const aliveUntil = new Map<string, number>();
  const terms = new Map<string, number>();
  return {
    renew(owner, leaseMs) {
      const sent = performance.now() + ahead();
      aliveUntil.delete(owner);
      return (wasAlive) => {
        if (leaseMs <= 0) return;
        if (!wasAlive) terms.set(owner, (terms.get(owner) ?? 0) + 1);
        // Reserve a tenth of the lease for clock drift.
        aliveUntil.set(owner, sent + leaseMs * 0.9);
      };
    },
    isSurelyAlive: (owner) => (aliveUntil.get(owner) ?? -Infinity) > performance.now() + ahead(),
    termOf: (owner) => terms.get(owner) ?? 0,
  };
};
