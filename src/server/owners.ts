import { type Action, type Principal, may, rightsFor } from "../access.ts";
import type { Log, RunInfo, RunQuery } from "../log.ts";
import { HttpRefusal, missing } from "./refusals.ts";

/** Checks whether a principal may act on runs. */
export interface Owners {
  /** Throws a Refusal if the principal's rights do not allow the action on any run. */
  allow(principal: Principal, action: Action): void;
  /** The run's info. Throws a Refusal if the run is unknown or dropped, or the principal may not act on it. */
  info(principal: Principal, action: Action, run: string): Promise<RunInfo>;
  /** Runs that the principal may act on, newest first. `next` is the cursor for the next page. A page may have fewer than `limit`. */
  list(principal: Principal, query: RunQuery, action?: Action): Promise<{ runs: RunInfo[]; next?: string }>;
}

export const createOwners = (log: Log): Owners => {
  const allow = (principal: Principal, action: Action): void => {
    if (!may(principal, action)) throw notAllowed(action);
  };
  return {
    allow,
    info: async (principal, action, run) => {
      allow(principal, action);
      const info = await log.info(run);
      // Do not reveal whether another user's run exists.
      if (!info || !may(principal, action, info)) throw missing(`there is no run ${run.slice(0, 100)}`, false);
      if (info.dropped) throw missing(`run ${run} was deleted`, true);
      return info;
    },
    list: async (principal, query, action = "watch") => {
      if (!may(principal, action)) return { runs: [] };
      const { user, rights } = principal;
      const isLimited = user !== undefined && !rights.includes("admin");
      const found = await log.list({ ...query, limit: query.limit + 1, ...(isLimited && { user }) });
      const page = found.slice(0, query.limit);
      const next = found.length > query.limit ? page.at(-1)?.run : undefined;
      const runs = page.filter((info) => may(principal, action, info));
      return { runs, ...(next !== undefined && { next }) };
    },
  };
};

const notAllowed = (action: Action): HttpRefusal => {
  const rights = rightsFor(action).join(" or ");
  return new HttpRefusal(
    403,
    "not-allowed",
    `this key does not allow you to ${action}`,
    `it needs the ${rights} right in the keys setting`,
  );
};
