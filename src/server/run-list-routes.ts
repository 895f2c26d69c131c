import { LOCAL, may, type Principal } from "../access.ts";
import type { RunInfo } from "../log.ts";
import type { RunListChanges } from "../protocol.ts";
import { isRunId } from "../run-id.ts";
import { Refusal } from "../source.ts";
import type { Owners } from "./owners.ts";
import type { PlainRoute } from "./plain-route.ts";
import type { Readings } from "./readings.ts";
import { type Changes, createRunChanges } from "./run-changes.ts";
import { fits, mayFit, queryOf, readFilter, type RunFilter } from "./run-filter.ts";
import { createRunPresence } from "./run-presence.ts";
import { createRunSearch } from "./run-search.ts";

/** How long a list waits for details of open runs that this process has not read yet, if the client accepts partial rows. */
const PARTIAL_MS = 100;
/** The most rows that one request checks. */
const MAX_SHOWN = 60;
const FILTER = ["state", "agent", "mine", "search"];

/** Lists of runs, and their changes. */
export const runListRoutes = (owners: Owners, readings: Readings): readonly PlainRoute[] => {
  const search = createRunSearch(owners, readings);
  // Noticed once for all users; each response contains only what its user may see.
  const { log, rows } = readings(LOCAL);
  const changes = createRunChanges(log, rows);
  const presence = createRunPresence(log);
  return [
    {
      method: "GET",
      path: "/runs",
      summary: "The stored runs, newest first. `before` is the last id of the previous page.",
      query: ["limit", "before", "thread", "open", "details", "partial", ...FILTER],
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
        const deadline = req.query("partial") === "1" && { withinMs: PARTIAL_MS };
        if (needsDetails || req.query("details") === "1")
          return json(await search(principal, { ...page, ...deadline }, filter));
        const { runs, ...rest } = await owners.list(principal, { ...page, ...queryOf(filter) });
        // Do not expose which process owns a run.
        return json({ runs: runs.map(({ owner: _owner, epoch: _epoch, ...known }) => known), ...rest });
      },
    },
    {
      method: "GET",
      path: "/changes",
      summary:
        "The runs that started, changed or ended after `since` (the `cursor` of the previous response), and which of `shown` no longer exist.",
      query: ["since", "shown", ...FILTER],
      handle: async ({ req, json, env: { principal } }) => {
        owners.allow(principal, "watch");
        const filter = readFilter((name) => req.query(name), principal);
        const shown = (req.query("shown") ?? "").split(",").filter(isRunId).slice(0, MAX_SHOWN);
        const mayWatch = (info: RunInfo) => may(principal, "watch", info);
        const [changed, gone] = await Promise.all([changes.since(req.query("since")), presence.gone(shown, mayWatch)]);
        return json(answerOf(changed, gone, principal, filter));
      },
    },
  ];
};

const answerOf = (
  { cursor, isReset, changed, open }: Changes,
  gone: readonly string[],
  principal: Principal,
  filter: RunFilter,
): RunListChanges => {
  const runs: RunListChanges["runs"][number][] = [];
  const left = [...gone];
  for (const { info, row } of changed) {
    if (!may(principal, "watch", info)) continue;
    if (!row || !mayFit(info, filter) || !fits(row, filter)) left.push(info.run);
    else if (gone.includes(info.run)) continue;
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
