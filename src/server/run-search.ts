import type { Principal } from "../access.ts";
import type { RunQuery } from "../log.ts";
import type { RunRow } from "../protocol.ts";
import type { Owners } from "./owners.ts";
import type { Readings } from "./readings.ts";
import { fits, mayFit, queryOf, type RunFilter } from "./run-filter.ts";

export interface RunPage {
  readonly runs: readonly RunRow[];
  /** The id to continue from, if there may be more. */
  readonly next?: string;
}

/** Finds runs, newest first. A page can have fewer runs than `limit`, even none, and still have a `next`. */
export type RunSearch = (
  principal: Principal,
  query: RunQuery & { readonly withinMs?: number },
  filter: RunFilter,
) => Promise<RunPage>;

const PAGE = 200;
/** The most runs that one request examines: a search without results must not read every run. */
const MAX_LOOKED_AT = 1000;

export const createRunSearch =
  (owners: Owners, readings: Readings): RunSearch =>
  async (principal, { limit, before, thread, withinMs }, filter) => {
    const found: RunRow[] = [];
    const isPlain = filter.text === undefined && filter.state === undefined;
    let from = before;
    for (let looked = 0; ;) {
      const size = isPlain ? limit : PAGE;
      const query = { ...queryOf(filter), ...(thread !== undefined && { thread }), limit: size };
      const { runs, next } = await owners.list(principal, { ...query, ...(from !== undefined && { before: from }) });
      const users = new Map(runs.map(({ run, user }) => [run, user]));
      const matching = runs.filter((info) => mayFit(info, filter));
      // A filter needs the details.
      const deadline = isPlain && withinMs !== undefined ? { withinMs } : {};
      for (const row of await readings(principal).rows(matching, deadline)) {
        if (!fits(row, filter)) continue;
        const isMine = principal.user !== undefined && users.get(row.run) === principal.user;
        found.push(isMine ? { ...row, mine: true } : row);
        if (found.length < limit) continue;
        const isLast = next === undefined && row.run === runs.at(-1)?.run;
        return { runs: found, ...(!isLast && { next: row.run }) };
      }
      looked += size;
      if (next === undefined) return { runs: found };
      if (looked >= MAX_LOOKED_AT) return { runs: found, next };
      from = next;
    }
  };
