import type { Log } from "../log.ts";

/**
 * Runs whose start or takeover failed, or that were lost. This process may own them, but does not work on them, and no
 * other process takes over a run whose owner is alive. So each is released as soon as the log can do it.
 */
export interface Stranded {
  /** Releases the run now, or in one of the retries. Never rejects. */
  add(run: string): Promise<void>;
  /** Never rejects. */
  retry(): Promise<void>;
}

/** `ownerNow` is the id of this process. A run of an earlier id is an orphan anyway. */
export const createStranded = (
  log: Pick<Log, "info" | "release">,
  ownerNow: () => string,
  isActive: (run: string) => boolean,
  onProblem: (error: unknown) => void,
): Stranded => {
  const runs = new Set<string>();

  const release = async (run: string): Promise<void> => {
    if (isActive(run)) return;
    const info = await log.info(run);
    // It may only seem active: a client that repeats its start occupies the id until it finds the run in the log.
    if (isActive(run)) return;
    if (info?.owner === ownerNow() && info.endedAt === undefined)
      await log.release(run, { owner: info.owner, epoch: info.epoch });
    runs.delete(run);
  };

  return {
    async add(run) {
      runs.add(run);
      await release(run).catch(onProblem);
    },
    async retry() {
      // `add` reported why they are here.
      await Promise.all([...runs].map((run) => release(run).catch(() => {})));
    },
  };
};
