import { type Log, LogFenced, type Ownership } from "../log.ts";
import type { Lease } from "./lease.ts";

/**
 * Verifies that this process still owns the run before an action that cannot be undone. Ownership was valid when the
 * last entry was stored, but a process that was paused since then may have been replaced. Throws if it was.
 */
export type Claim = () => Promise<void>;

export const createClaim = (
  log: Pick<Log, "info">,
  run: string,
  as: Ownership,
  lease: Pick<Lease, "term" | "renew">,
): Claim => {
  let confirmed = lease.term;
  return async () => {
    // In the usual case no request is needed.
    if (confirmed !== undefined && lease.term === confirmed) return;
    if (lease.term === undefined) await lease.renew();
    const term = lease.term;
    const info = await log.info(run);
    if (info?.owner !== as.owner || info.epoch !== as.epoch)
      throw new LogFenced(run, as, {
        epoch: info?.epoch ?? 0,
        ...(info?.owner !== undefined && { owner: info.owner }),
      });
    confirmed = term;
  };
};
