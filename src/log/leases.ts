import type { Ownership, RunInfo } from "../log.ts";

/**
 * Leases for a log that only one process has open. They exist only in memory, because they end with the process. `now`
 * must be monotonic: if it jumped with the system clock, a live owner would lose its runs.
 */
export const createLeases = (now: () => number = () => performance.now()) => {
  const ends = new Map<string, number>();
  const isAlive = (owner: string) => (ends.get(owner) ?? -Infinity) > now();
  const isFree = ({ owner }: RunInfo) => owner === undefined || !isAlive(owner);

  return {
    heartbeat(owner: string, leaseMs: number): boolean {
      const wasAlive = isAlive(owner);
      for (const [other, end] of ends) if (end <= now()) ends.delete(other);
      if (leaseMs > 0) ends.set(owner, now() + leaseMs);
      else ends.delete(owner);
      return wasAlive;
    },
    /** Whether `owner` may take over the run. */
    mayTake: (info: RunInfo, owner: string): boolean => isOpen(info) && (info.owner === owner || isFree(info)),
    mayRelease: (info: RunInfo, as: Ownership): boolean =>
      isOpen(info) && info.owner === as.owner && info.epoch === as.epoch,
    isOrphan: (info: RunInfo): boolean => isOpen(info) && isFree(info),
  };
};

const isOpen = ({ endedAt, dropped }: RunInfo): boolean => endedAt === undefined && !dropped;
