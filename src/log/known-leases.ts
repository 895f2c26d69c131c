/** Until when a process may assume that an owner is alive whose lease it renews at a remote engine. */
export interface KnownLeases {
  /** Call before sending a renewal. The owner counts as alive only once the returned function is called, after the engine's reply. */
  renew(owner: string, leaseMs: number): () => void;
  /** Whether the owner's lease has certainly not expired, which means that no other process can have its runs. */
  isSurelyAlive(owner: string): boolean;
}

/** `ahead` is how far a test's clock is ahead, in milliseconds. */
export const createKnownLeases = (ahead: () => number): KnownLeases => {
  const aliveUntil = new Map<string, number>();
  return {
    renew(owner, leaseMs) {
      const sent = performance.now() + ahead();
      aliveUntil.delete(owner);
      return () => {
        // Reserve a tenth of the lease for clock drift.
        if (leaseMs > 0) aliveUntil.set(owner, sent + leaseMs * 0.9);
      };
    },
    isSurelyAlive: (owner) => (aliveUntil.get(owner) ?? -Infinity) > performance.now() + ahead(),
  };
};
