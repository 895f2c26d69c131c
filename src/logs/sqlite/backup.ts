import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import path from "node:path";
import type { BackupFile } from "../../log.ts";
import type { Database } from "./database.ts";

/** How much is copied before others get their turn. */
const PAGES_AT_ONCE = 256;

/**
 * The database as it is when its copy is complete, then the files that it tells of. A file is stored before anything tells of
 * it, so none is missing; those of a run that is dropped meanwhile are left out.
 */
export async function* backupOf({ sql, directory }: Database): AsyncGenerator<BackupFile> {
  const { backup } = await import("node:sqlite");
  if (typeof backup !== "function") throw new Error("a backup of a running log needs Node.js 22.16 or newer");
  const copy = path.join(directory, "unfinished", `backup-${randomBytes(6).toString("hex")}.db`);
  try {
    await backup(sql, copy, { rate: PAGES_AT_ONCE });
    yield { name: "log.db", size: (await stat(copy)).size, bytes: createReadStream(copy) };
    for (const { run, file } of sql.prepare("SELECT run, file FROM files").all()) {
      const from = path.join(directory, "files", String(run), String(file));
      const found = await stat(from).catch(() => undefined);
      if (found) yield { name: `files/${run}/${file}`, size: found.size, bytes: createReadStream(from) };
    }
  } finally {
    await rm(copy, { force: true });
  }
}
