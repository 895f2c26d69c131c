import { randomBytes } from "node:crypto";
import type { Log } from "../log.ts";
import { messageOf } from "../message-of.ts";

/** The process could not renew its lease in time. Another process may have taken over its runs. */
export class LeaseLost extends Error {
  override name = "LeaseLost";
}

/** This process as an owner of runs. It counts as alive while it renews its lease. */
export interface Lease {
  /** The id of this process. It changes when the lease is lost, because the process then no longer owns its earlier runs. */
  readonly owner: string;
  /** Stays the same while the lease has certainly not expired in between. Undefined if it may have expired by now. */
  readonly term: number | undefined;
  /** Renews the lease now. */
  renew(): Promise<void>;
  /** Resolves when the first heartbeat of the current id is stored. Nothing may be owned before that. */
  join(): Promise<void>;
  /** Ends the lease immediately, so runs it still owns become orphans. */
  leave(): Promise<void>;
}

export interface LeaseOptions {
  readonly log: Pick<Log, "heartbeat">;
  readonly leaseMs: number;
  readonly onLost: (error: LeaseLost) => void;
  readonly onProblem: (error: unknown) => void;
}

/**
 * Renews three times per lease. The lease is lost only if the log does not store the heartbeat. A process that was
 * merely late (paused, or the machine slept) continues, and learns from its next append whether it was replaced.
 */
export const createLease = ({ log, leaseMs, onLost, onProblem }: LeaseOptions): Lease => {
  let owner = newOwner();
  /** The last id whose lease the log has. */
  let known: string | undefined;
  let joined: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let renewedAt = -Infinity;
  let failure: unknown;
  let renewing: Promise<void> | undefined;
  let term = 0;

  const send = async (): Promise<void> => {
    const sentAt = performance.now();
    const sentAs = owner;
    try {
      const wasAlive = await log.heartbeat(sentAs, leaseMs);
      failure = undefined;
      if (sentAs !== owner) {
        // The id changed in the meantime. End the lease of the old one, so no process waits for it to expire.
        await log.heartbeat(sentAs, 0);
        return await send();
      }
      // The lease had expired: another process may now own the runs of this one.
      if (!wasAlive || known !== owner) term++;
      known = owner;
      renewedAt = sentAt;
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  /** One at a time: if two overlapped, the second could finish first and hide the gap that only the first reports. */
  const renew = (): Promise<void> =>
    (renewing ??= send().finally(() => {
      renewing = undefined;
    }));

  // Leaves a tenth of the lease as a margin for clock drift.
  const sureTerm = (): number | undefined =>
    known === owner && performance.now() - renewedAt < leaseMs * 0.9 ? term : undefined;

  const tick = (): void => {
    const isFailing = failure !== undefined || renewing !== undefined;
    if (isFailing && performance.now() - renewedAt > leaseMs) {
      const why = failure === undefined ? "the log does not respond" : messageOf(failure);
      owner = newOwner();
      renewedAt = performance.now();
      onLost(new LeaseLost(`the lease could not be renewed for ${leaseMs} ms: ${why}`));
    }
    if (!renewing) renew().catch(onProblem);
  };

  return {
    get owner() {
      return owner;
    },
    get term() {
      return sureTerm();
    },
    async renew() {
      await renew();
      // That heartbeat may have been sent long ago.
      if (sureTerm() === undefined) await renew();
    },
    async join() {
      joined ??= renew().then(
        () => {
          timer = setInterval(tick, leaseMs / 3).unref();
        },
        (error: unknown) => {
          joined = undefined;
          throw error;
        },
      );
      await joined;
      if (known !== owner) await renew();
    },
    async leave() {
      if (!joined) return;
      await joined.catch(() => {});
      clearInterval(timer);
      joined = undefined;
      // A heartbeat that arrives after this one would make the process alive again. If it fails, the lease ends by itself.
      const isReachable = await Promise.resolve(renewing).then(
        () => true,
        () => false,
      );
      if (isReachable) await Promise.resolve(log.heartbeat(owner, 0)).catch(onProblem);
    },
  };
};

const newOwner = (): string => randomBytes(12).toString("base64url");
