import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { BackupFile } from "../../log.ts";
import type { Database } from "./database.ts";

/** How many pages to copy before yielding to other work. */
const PAGES_AT_ONCE = 256;
const TRIES = 200;
const WAIT_MS = 10;

/**
 * Yields the database as of the end of its copy, then the files it refers to. Files are stored before their rows, so
 * none is missing. Skips files of runs that are dropped in the meantime.
 */
export async function* backupOf({ sql, directory }: Database): AsyncGenerator<BackupFile> {
  const { backup } = await import("node:sqlite");
  if (typeof backup !== "function") throw new Error("a backup of a running log needs Node.js 22.16 or newer");
  const copy = path.join(directory, "unfinished", `backup-${randomBytes(6).toString("hex")}.db`);
  try {
    await unlessBusy(() => backup(sql, copy, { rate: PAGES_AT_ONCE }));
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

/** A write in progress when the copy starts makes Node.js reject with the code for "not an error". A retry succeeds. */
const unlessBusy = async (begin: () => Promise<unknown>): Promise<void> => {
  for (let tries = 1; ; tries++) {
    try {
      await begin();
      return;
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== 0 || tries === TRIES) throw error;
      await sleep(WAIT_MS);
    }
  }
};
