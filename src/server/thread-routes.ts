import { Refusal } from "../source.ts";
import { missing } from "./refusals.ts";
import type { Owners } from "./owners.ts";
import type { PlainRoute } from "./plain-route.ts";
import type { Readings } from "./readings.ts";
import { LOCAL } from "../access.ts";
import { createThreadList, type PageQuery } from "./thread-list.ts";

const MAX_LIMIT = 200;

/** The conversations of the signed-in user. */
export const threadRoutes = (owners: Owners, readings: Readings): readonly PlainRoute[] => {
  const threads = createThreadList(owners, readings(LOCAL).log);
  return [
    {
      method: "GET",
      path: "/threads",
      summary: "Your threads, most recently used first. `before` takes the `next` of the previous page.",
      query: ["limit", "before"],
      handle: async ({ req, json, env: { principal } }) =>
        json(
          await threads.list(
            principal,
            pageOf((name) => req.query(name)),
          ),
        ),
    },
    {
      method: "GET",
      path: "/threads/:thread",
      summary: "Your runs in a thread, newest first, each with the message that it answers.",
      query: ["limit", "before"],
      handle: async ({ req, json, env: { principal } }) => {
        const thread = req.param("thread") ?? "";
        const page = pageOf((name) => req.query(name));
        const found = await threads.runs(principal, thread, page);
        if (found.runs.length === 0 && page.before === undefined)
          throw missing(`there is no thread ${thread.slice(0, 100)}`, false);
        return json(found);
      },
    },
  ];
};

const pageOf = (query: (name: string) => string | undefined): PageQuery => {
  const limit = Number(query("limit") ?? 50);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw new Refusal("bad-request", `limit must be a whole number from 1 to ${MAX_LIMIT}`, {
      hint: "the default is 50",
    });
  const before = query("before");
  return { limit, ...(before && { before }) };
};
