/** How many calls of one agent run at a time. Sub-agents have turns of their own: a call that waits for one cannot block it. */
export interface Turns {
  /** Resolves with what gives the turn back, or with nothing if the signal aborts first. `onWait` is called if there is none now. */
  take(signal: AbortSignal, onWait: (most: number) => void): Promise<(() => void) | undefined>;
}

export const createTurns = (most: number): Turns => {
  const line = new Set<() => void>();
  let taken = 0;
  const giveBack = (): void => {
    const [next] = line;
    // Handed on, so that nobody can take it in between.
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
