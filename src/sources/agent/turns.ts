/** Limits how many calls of one agent run concurrently. Sub-agents have their own turns, so a call that waits for one cannot block it. */
export interface Turns {
  /**
   * Resolves with a function that gives the turn back, or with undefined if the signal aborts first. Calls `onWait` if
   * no turn is free.
   */
  take(signal: AbortSignal, onWait: (most: number) => void): Promise<(() => void) | undefined>;
}

export const createTurns = (most: number): Turns => {
  const line = new Set<() => void>();
  let taken = 0;
  const giveBack = (): void => {
    const [next] = line;
    // Pass the turn on directly, so that no other call can take it in between.
    if (next) next();
    else taken--;
  };
  return {
    take: async (signal, onWait) => {
      if (signal.aborted) return undefined;
      if (taken < most) {
        taken++;
        return giveBack;
      }
      onWait(most);
      return await new Promise((resolve) => {
        const begin = () => leave(giveBack);
        const abort = () => leave(undefined);
        const leave = (turn: (() => void) | undefined) => {
          line.delete(begin);
          signal.removeEventListener("abort", abort);
          resolve(turn);
        };
        line.add(begin);
        signal.addEventListener("abort", abort);
      });
    },
  };
};
