import type { Log, RunInfo } from "../log.ts";

/** Finds which runs of a list are gone. `GET /changes` cannot report them, because a log keeps no history of its deletions. */
export interface RunPresence {
  /** The runs among these that were deleted, or that `mayWatch` refuses. */
  gone(runs: readonly string[], mayWatch: (info: RunInfo) => boolean): Promise<string[]>;
}

/** How long a response is reused, because many clients show the same rows. */
const KEPT_MS = 2000;
const MAX_KEPT = 5000;

export const createRunPresence = (log: Log, now: () => number = Date.now): RunPresence => {
  const kept = new Map<string, { readonly at: number; readonly info: Promise<RunInfo | undefined> }>();
  const find = (run: string): Promise<RunInfo | undefined> => {
    const found = kept.get(run);
    if (found && now() - found.at < KEPT_MS) return found.info;
    const info = Promise.resolve(log.info(run));
    info.catch(() => kept.delete(run));
    kept.delete(run);
    kept.set(run, { at: now(), info });
    for (const oldest of kept.keys()) {
      if (kept.size <= MAX_KEPT) break;
      kept.delete(oldest);
    }
    return info;
  };
  return {
    gone: async (runs, mayWatch) => {
      const infos = await Promise.all(runs.map(find));
      return runs.filter((_, index) => {
        const info = infos[index];
        return !info || info.dropped || !mayWatch(info);
      });
    },
  };
};
