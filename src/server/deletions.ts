import { type Principal, actorOf, isAdmin } from "../access.ts";
import type { Log, RunQuery } from "../log.ts";
import type { Runner } from "../runner.ts";
import { Refusal } from "../source.ts";
import type { Audit } from "./audit.ts";
import type { Links } from "./links.ts";
import type { Owners } from "./owners.ts";
import { missing } from "./refusals.ts";

/** Deletes runs with their files and share links. Running ones are cancelled first. */
export interface Deletions {
  /** Throws a Refusal if the run does not exist for this principal. */
  run(principal: Principal, run: string): Promise<void>;
  /** Deletes all runs of a thread that the principal may delete. Returns how many. */
  thread(principal: Principal, thread: string): Promise<number>;
  /** Deletes all runs of a user. Throws a Refusal unless the principal is that user or has the right `admin`. */
  user(principal: Principal, user: string): Promise<number>;
}

export interface DeletionsOptions {
  readonly log: Log;
  readonly runner: Runner;
  readonly owners: Owners;
  readonly links: Links;
  readonly audit: Audit;
}

const BATCH = 100;

export const createDeletions = ({ log, runner, owners, links, audit }: DeletionsOptions): Deletions => {
  const remove = async (principal: Principal, run: string): Promise<void> => {
    const info = await owners.info(principal, "delete", run);
    const by = actorOf(principal);
    if (info.endedAt === undefined)
      await runner.cancel(run, { reason: "The run was deleted.", ...(by !== undefined && { by }) });
    await log.drop(run);
    await links.forget(run);
    audit.note(principal, "delete", run);
  };
  const removeAll = async (principal: Principal, query: Omit<RunQuery, "limit">): Promise<number> => {
    owners.allow(principal, "delete");
    const found: string[] = [];
    for (let before: string | undefined, isMore = true; isMore;) {
      const page = { ...query, limit: BATCH, ...(before !== undefined && { before }) };
      const { runs, next } = await owners.list(principal, page, "delete");
      found.push(...runs.map(({ run }) => run));
      before = next;
      isMore = next !== undefined;
    }
    let count = 0;
    for (const run of found)
      try {
        await remove(principal, run);
        count += 1;
      } catch (error) {
        // Lists may lag, so another request may already have deleted it.
        if (!(error instanceof Refusal) || (error.status !== 404 && error.status !== 410)) throw error;
      }
    return count;
  };
  return {
    run: remove,
    thread: (principal, thread) => removeAll(principal, { thread }),
    user: async (principal, user) => {
      owners.allow(principal, "delete");
      if (!isAdmin(principal) && principal.user !== user)
        throw missing(`there is no user ${user.slice(0, 100)}`, false);
      const count = await removeAll(principal, { user });
      audit.note(principal, "delete", user);
      return count;
    },
  };
};
