import type { Context } from "hono";
import { type Principal, isAdmin } from "../access.ts";
import { writeArchive } from "../archive.ts";
import type { Log } from "../log.ts";
import { Refusal } from "../source.ts";
import { streamOf } from "./files.ts";
import type { Env, PlainRoute } from "./plain-route.ts";
import { HttpRefusal } from "./refusals.ts";

export interface AdminRoutesOptions {
  readonly log: Log;
  readonly onError: (error: unknown, path: string) => void;
}

/** Throws the refusal for whoever has not the right `admin`. */
export const needAdmin = (principal: Principal): void => {
  if (isAdmin(principal)) return;
  throw new HttpRefusal(403, "not-allowed", "this needs the right admin", "use a key that has it in the setting keys");
};

/** For whoever runs the server. */
export const adminRoutes = ({ log, onError }: AdminRoutesOptions): readonly PlainRoute[] => {
  let isBackingUp = false;
  return [
    {
      // Not a GET: any page can make a browser send one.
      method: "POST",
      path: "/admin/backup",
      summary: "Everything that is stored, as a tar archive, while runs go on. For a log in SQLite.",
      handle: (context: Context<Env>) => {
        needAdmin(context.env.principal);
        const files = log.backup?.();
        if (!files)
          throw new Refusal("no-backup", `the log ${log.name} is not backed up by Runcast`, {
            status: 501,
            hint: "use the tools of its engine, such as pg_dump for Postgres, and RDB or AOF files for Redis",
          });
        if (isBackingUp)
          throw new HttpRefusal(409, "backing-up", "a backup is being made", "try again when it is done", {
            retryable: true,
            headers: { "retry-after": "10" },
          });
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
