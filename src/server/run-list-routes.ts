import { LOCAL, may, type Principal } from "../access.ts";
import type { RunListChanges } from "../protocol.ts";
import { Refusal } from "../source.ts";
import type { Owners } from "./owners.ts";
import type { PlainRoute } from "./plain-route.ts";
import type { Readings } from "./readings.ts";
import { type Changes, createRunChanges } from "./run-changes.ts";
import { fits, mayFit, queryOf, readFilter, type RunFilter } from "./run-filter.ts";
import { createRunSearch } from "./run-search.ts";

const FILTER = ["state", "agent", "mine", "search"];

/** Lists of runs, and their changes. */
export const runListRoutes = (owners: Owners, readings: Readings): readonly PlainRoute[] => {
  const search = createRunSearch(owners, readings);
  // Noticed once for all users; each response contains only what its user may see.
  const { log, rows } = readings(LOCAL);
  const changes = createRunChanges(log, rows);
  return [
    {
      method: "GET",
      path: "/runs",
      summary: "The stored runs, newest first. `before` is the last id of the previous page.",
      query: ["limit", "before", "thread", "open", "details", ...FILTER],
      handle: async ({ req, json, env: { principal } }) => {
        const limit = Number(req.query("limit") ?? 50);
        if (!Number.isInteger(limit) || limit < 1 || limit > 500)
          throw new Refusal("bad-request", "limit must be a whole number from 1 to 500", { hint: "the default is 50" });
        const before = req.query("before");
        const thread = req.query("thread");
        const page = { limit, ...(before && { before }), ...(thread && { thread }) };
        const filter = readFilter((name) => req.query(name), principal);
        // Only the details contain the message and the open asks.
        const needsDetails = filter.text !== undefined || (filter.state !== undefined && filter.state !== "open");
        if (needsDetails || req.query("details") === "1") return json(await search(principal, page, filter));
        const { runs, ...rest } = await owners.list(principal, { ...page, ...queryOf(filter) });
        // Do not expose which process owns a run.
        return json({ runs: runs.map(({ owner: _owner, epoch: _epoch, ...known }) => known), ...rest });
      },
    },
    {
      method: "GET",
      path: "/changes",
      summary: "The runs that began, changed or ended since `since`, which takes the `cursor` of the last answer.",
      query: ["since", ...FILTER],
      handle: async ({ req, json, env: { principal } }) => {
        owners.allow(principal, "watch");
        const filter = readFilter((name) => req.query(name), principal);
        return json(answerOf(await changes.since(req.query("since")), principal, filter));
      },
    },
  ];
};

const answerOf = (
  { cursor, isReset, changed, open }: Changes,
  principal: Principal,
  filter: RunFilter,
): RunListChanges => {
  const runs: RunListChanges["runs"][number][] = [];
  const left: string[] = [];
  for (const { info, row } of changed) {
    if (!may(principal, "watch", info)) continue;
    if (!row || !mayFit(info, filter) || !fits(row, filter)) left.push(info.run);
    else runs.push(principal.user !== undefined && info.user === principal.user ? { ...row, mine: true } : row);
  }
  const seen = open.filter(({ info }) => may(principal, "watch", info));
  const waiting = seen.filter(({ row }) => row?.asks?.length).length;
  return {
    cursor,
    ...(isReset && { reset: true }),
    runs,
    left,
    ...(!isReset && { open: { working: seen.length - waiting, waiting } }),
    may: {
      answer: may(principal, "answer"),
      cancel: may(principal, "cancel"),
      everyone: principal.user !== undefined && principal.rights.includes("admin"),
    },
  };
};
