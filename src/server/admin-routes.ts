import type { Context } from "hono";
import { writeArchive } from "../archive.ts";
import type { Log } from "../log.ts";
import { Refusal } from "../source.ts";
import type { Audit } from "./audit.ts";
import { AUDITED } from "./audit.ts";
import { type DeleteRoutesOptions, deleteRoutes } from "./delete-routes.ts";
import { streamOf } from "./files.ts";
import { type KeyRoutesOptions, keyRoutes } from "./key-routes.ts";
import { needAdmin } from "./need-admin.ts";
import type { Env, PlainRoute } from "./plain-route.ts";
import { HttpRefusal } from "./refusals.ts";

export interface AdminRoutesOptions extends KeyRoutesOptions, DeleteRoutesOptions {
  readonly log: Log;
  readonly audit: Audit;
  readonly onError: (error: unknown, path: string) => void;
}

/** Routes for the operator of the server. */
export const adminRoutes = (options: AdminRoutesOptions): readonly PlainRoute[] => {
  const { log, audit, onError } = options;
  let isBackingUp = false;
  return [
    ...keyRoutes(options),
    ...deleteRoutes(options),
    {
      method: "GET",
      path: "/admin/audit",
      summary: "With admin: who started, watched, answered, cancelled, shared and deleted what, newest first.",
      query: ["limit", "before", "who", "action", "what"],
      handle: async ({ env, req, json }) => {
        needAdmin(env.principal);
        const limit = Number(req.query("limit") ?? 100);
        const before = req.query("before");
        const wanted = { who: req.query("who"), action: req.query("action"), what: req.query("what") };
        if (!Number.isInteger(limit) || limit < 1 || limit > 1000)
          throw new Refusal("bad-request", "limit must be a whole number from 1 to 1000", {
            hint: "the default is 100",
          });
        if (wanted.action !== undefined && !AUDITED.some((action) => action === wanted.action))
          throw new Refusal("bad-request", "unknown action", { hint: `use one of ${AUDITED.join(", ")}` });
        const { entries, next } = await audit.list({ limit, ...(before && { before }) });
        // Filters within the page. The client continues with `next` for more.
        const fitting = entries.filter((entry) =>
          Object.entries(wanted).every(([field, value]) => value === undefined || entry[field as "who"] === value),
        );
        return json({ entries: fitting, ...(next !== undefined && { next }) });
      },
    },
    {
      // Not a GET, because any page can make a browser send one.
      method: "POST",
      path: "/admin/backup",
      summary: "All stored data as a tar archive, without stopping runs. For a SQLite log.",
      handle: (context: Context<Env>) => {
        needAdmin(context.env.principal);
        const files = log.backup?.();
        if (!files)
          throw new Refusal("no-backup", `Runcast cannot back up the log ${log.name}`, {
            status: 501,
            hint: "use the engine's tools, such as pg_dump for Postgres, and RDB or AOF files for Redis",
          });
        if (isBackingUp)
          throw new HttpRefusal(
            409,
            "backing-up",
            "a backup is already in progress",
            "try again when it has finished",
            {
              retryable: true,
              headers: { "retry-after": "10" },
            },
          );
        audit.note(context.env.principal, "backup", log.name);
        const archive = async function* () {
          isBackingUp = true;
          try {
            yield* writeArchive(files);
          } finally {
            isBackingUp = false;
          }
        };
        const cut = (error: unknown) => {
          context.env.outgoing.destroy();
          onError(error, context.req.path);
        };
        return new Response(streamOf(archive(), cut), {
          headers: { "content-type": "application/x-tar", "content-disposition": 'attachment; filename="runcast.tar"' },
        });
      },
    },
  ];
};
