/** Until when a process may believe that owners live whose leases it renews itself at an engine elsewhere. */
export interface Beliefs {
  /** A renewal is under way: nothing is believed until what this answers is called, when the engine has taken it. */
  renew(owner: string, leaseMs: number): () => void;
  /** Whether the owner's lease has surely not run out: nobody else can have its runs. */
  isSurelyAlive(owner: string): boolean;
}

/** `ahead` is how far a test's clock is ahead, in milliseconds. */
export const createBeliefs = (ahead: () => number): Beliefs => {
  const believed = new Map<string, number>();
  return {
    renew(owner, leaseMs) {
      const sent = performance.now() + ahead();
      believed.delete(owner);
      return () => {
        // A tenth of the lease is left for clocks that run differently.
        if (leaseMs > 0) believed.set(owner, sent + leaseMs * 0.9);
      };
    },
    isSurelyAlive: (owner) => (believed.get(owner) ?? -Infinity) > performance.now() + ahead(),
  };
};
