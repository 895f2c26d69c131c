import { type Action, type Principal, may, rightsFor } from "../access.ts";
import type { Log, RunInfo, RunQuery } from "../log.ts";
import { HttpRefusal, missing } from "./refusals.ts";

/** Holds what is asked of runs against who asks. */
export interface Owners {
  /** Throws the refusal for an action that the rights do not allow on any run. */
  allow(principal: Principal, action: Action): void;
  /** What is known of a run. Throws the refusal for one that is unknown, dropped, or not the principal's. */
  info(principal: Principal, action: Action, run: string): Promise<RunInfo>;
  /** The runs that the principal may do this with, newest first; `next` is where to go on. A page may hold fewer than `limit`. */
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
      // Nobody learns whether somebody else's run exists.
      if (!info || !may(principal, action, info)) throw missing(`there is no run ${run.slice(0, 100)}`, false);
      if (info.dropped) throw missing(`run ${run} was dropped`, true);
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
    `this key does not allow to ${action}`,
    `it needs the right ${rights} in the setting keys`,
  );
};
