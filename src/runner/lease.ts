import { randomBytes } from "node:crypto";
import type { Log } from "../log.ts";
import { messageOf } from "../message-of.ts";

/** The process could not renew its lease in time: another may have taken its runs over. */
export class LeaseLost extends Error {
  override name = "LeaseLost";
}

/** This process as an owner of runs. It lives as long as it renews its lease. */
export interface Lease {
  /** Who this process is. A new id after the lease was lost: what it owned before is no longer its own. */
  readonly owner: string;
  /** The same number as long as the lease has surely not run out in between; undefined if it may have run out by now. */
  readonly term: number | undefined;
  /** Renews the lease now. */
  renew(): Promise<void>;
  /** Resolves when the first heartbeat is stored: before that, nothing may be owned. */
  join(): Promise<void>;
  /** Ends the lease at once, so that what is still owned becomes an orphan. */
  leave(): Promise<void>;
}

export interface LeaseOptions {
  readonly log: Pick<Log, "heartbeat">;
  readonly leaseMs: number;
  readonly onLost: (error: LeaseLost) => void;
  readonly onProblem: (error: unknown) => void;
}

/**
 * Renews at a third of the lease. Only a log that does not take the heartbeat loses it: a process that was merely late (it
 * stood still, the machine slept) goes on, and finds out by its next append whether it was replaced.
 */
export const createLease = ({ log, leaseMs, onLost, onProblem }: LeaseOptions): Lease => {
  let owner = newOwner();
  let joined: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let renewedAt = -Infinity;
  let failure: unknown;
  let isRenewing = false;
  let term = 0;

  const renew = async (): Promise<void> => {
    const sentAt = performance.now();
    const sentAs = owner;
    isRenewing = true;
    try {
      // It had run out: whatever this process owned may be another's by now.
      if (!(await log.heartbeat(owner, leaseMs))) term++;
      if (sentAs === owner) renewedAt = sentAt;
      failure = undefined;
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      isRenewing = false;
    }
  };

  const tick = (): void => {
    const isFailing = failure !== undefined || isRenewing;
    if (isFailing && performance.now() - renewedAt > leaseMs) {
      const why = failure === undefined ? "the log does not answer" : messageOf(failure);
      owner = newOwner();
      renewedAt = performance.now();
      onLost(new LeaseLost(`the lease could not be renewed for ${leaseMs} ms: ${why}`));
    }
    if (!isRenewing) renew().catch(onProblem);
  };

  return {
    get owner() {
      return owner;
    },
    get term() {
      // A tenth of the lease is left for clocks that run differently.
      return performance.now() - renewedAt < leaseMs * 0.9 ? term : undefined;
    },
    renew,
    join() {
      joined ??= renew().then(
        () => {
          timer = setInterval(tick, leaseMs / 3).unref();
        },
        (error: unknown) => {
          joined = undefined;
          throw error;
        },
      );
      return joined;
    },
    async leave() {
      if (!joined) return;
      await joined.catch(() => {});
      clearInterval(timer);
      joined = undefined;
      await Promise.resolve(log.heartbeat(owner, 0)).catch(onProblem);
    },
  };
};

const newOwner = (): string => randomBytes(12).toString("base64url");
