/** Limits how many calls of one agent run concurrently. Sub-agents have their own slots, so a call that waits for one cannot block it. */
export interface CallSlots {
  /**
   * Resolves with a function that releases the slot, or with undefined if the signal aborts first. Calls `onWait` if no
   * slot is free.
   */
  take(signal: AbortSignal, onWait: (most: number) => void): Promise<(() => void) | undefined>;
}

export const createCallSlots = (most: number): CallSlots => {
  const waiting = new Set<() => void>();
  let taken = 0;
  const release = (): void => {
    const [next] = waiting;
    // Pass the slot on directly, so no other call can take it in between.
    if (next) next();
    else taken--;
  };
  return {
    take: async (signal, onWait) => {
      if (signal.aborted) return undefined;
      if (taken < most) {
        taken++;
        return release;
      }
      onWait(most);
      return await new Promise((resolve) => {
        const begin = () => leave(release);
        const abort = () => leave(undefined);
        const leave = (slot: (() => void) | undefined) => {
          waiting.delete(begin);
          signal.removeEventListener("abort", abort);
          resolve(slot);
        };
        waiting.add(begin);
        signal.addEventListener("abort", abort);
      });
    },
  };
};
