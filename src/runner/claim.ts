import { type Log, LogFenced, type Ownership } from "../log.ts";
import type { Lease } from "./lease.ts";

/**
 * Makes sure that a run is still this process's before something is done that cannot be undone. What is stored was its own when it
 * was stored; a process that stood still since then may have been replaced. Throws if it was.
 */
export type Claim = () => Promise<void>;

export const createClaim = (
  log: Pick<Log, "info">,
  run: string,
  as: Ownership,
  lease: Pick<Lease, "term" | "renew">,
): Claim => {
  let sure = lease.term;
  return async () => {
    // The usual case asks nobody.
    if (sure !== undefined && lease.term === sure) return;
    if (lease.term === undefined) await lease.renew();
    const term = lease.term;
    const info = await log.info(run);
    if (info?.owner !== as.owner || info.epoch !== as.epoch)
      throw new LogFenced(run, as, {
        epoch: info?.epoch ?? 0,
        ...(info?.owner !== undefined && { owner: info.owner }),
      });
    sure = term;
  };
};
