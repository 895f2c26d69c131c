import { randomBytes } from "node:crypto";
import { createReadStream, mkdirSync, readdirSync, rmSync } from "node:fs";
import { mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import type { FileRef } from "../../events.ts";
import { checkRunId, checkText, edges, LogMissing, type StoredFile } from "../../log.ts";
import type { Database } from "./database.ts";
import type { Runs } from "./runs.ts";

export interface FilesParts {
  readonly database: Database;
  readonly runs: Runs;
  readonly during: (work: () => void) => Promise<void>;
}

/** Bytes alongside the log, at `files/<run>/<file>`. The database stores their metadata. */
export const openFiles = ({ database: { sql, directory }, runs, during }: FilesParts) => {
  const insert = sql.prepare("INSERT INTO files (run, file, mediaType, name, size) VALUES (?, ?, ?, ?, ?)");
  const select = sql.prepare("SELECT mediaType, name, size FROM files WHERE run = ? AND file = ?");
  const remove = sql.prepare("DELETE FROM files WHERE run = ?");
  const removeOne = sql.prepare("DELETE FROM files WHERE run = ? AND file = ?");
  const root = path.join(directory, "files");
  const halfWritten = path.join(directory, "unfinished");

  return {
    async put(run: string, bytes: Uint8Array, { mediaType, name }: { mediaType: string; name?: string }) {
      checkRunId(run);
      checkText("mediaType", mediaType ?? null);
      checkText("name", name);
      if (runs.find(run)?.info.dropped) throw new LogMissing(run, true);
      const file = randomBytes(12).toString("base64url");
      const temporary = path.join(halfWritten, file);
      const final = path.join(root, run, file);
      const size = bytes.length;
      const ref: FileRef = { file, mediaType, bytes: size, name, ...edges(bytes, mediaType) };
      try {
        await writeFile(temporary, bytes);
        await mkdir(path.dirname(final), { recursive: true });
        await rename(temporary, final);
        await during(() => insert.run(run, file, mediaType, name ?? null, size));
      } catch (error) {
        await Promise.all([rm(temporary, { force: true }), rm(final, { force: true })]);
        throw error;
      }
      return ref;
    },

    async get(
      run: string,
      file: string,
      range: { start?: number; end?: number } = {},
    ): Promise<StoredFile | undefined> {
      const row = select.get(run, file);
      if (!row) return undefined;
      const from = path.join(root, run, file);
      const found = await stat(from).catch(() => undefined);
      if (!found) return undefined;
      const size = Number(row.size);
      const start = Math.max(0, range.start ?? 0);
      const end = Math.min(size, range.end ?? size);
      const name = (row.name as string | null) ?? undefined;
      return { mediaType: row.mediaType as string, name, size, bytes: stream(from, start, end) };
    },

    async discard(run: string, files: readonly string[]): Promise<void> {
      // Only delete files with a row, which a name with a path cannot have.
      const known = files.filter((file) => Number(removeOne.run(run, file).changes) > 0);
      for (const file of known) await rm(path.join(root, run, file), { force: true });
    },

    /** Deletes only the rows. If the process dies before `removeBytes`, the next open removes the bytes. */
    removeRows(run: string): boolean {
      return Number(remove.run(run).changes) > 0;
    },
    async removeBytes(run: string): Promise<void> {
      checkRunId(run);
      await rm(path.join(root, run), { recursive: true, force: true });
    },
  };
};

/**
 * Removes leftovers of a killed process: half-written files, files without a row, and files of runs that never started or are gone.
 */
export const removeStrays = ({ sql, directory }: Database, runs: Runs): void => {
  const root = path.join(directory, "files");
  rmSync(path.join(directory, "unfinished"), { recursive: true, force: true });
  mkdirSync(path.join(directory, "unfinished"));
  mkdirSync(root, { recursive: true });
  sql.exec("DELETE FROM files WHERE run NOT IN (SELECT run FROM runs WHERE dropped IS NULL)");
  const rows = sql.prepare("SELECT file FROM files WHERE run = ?");
  for (const run of readdirSync(root)) {
    const info = runs.find(run)?.info;
    if (!info || info.dropped) {
      rmSync(path.join(root, run), { recursive: true, force: true });
      continue;
    }
    if (info.endedAt !== undefined) continue;
    const known = new Set(rows.all(run).map(({ file }) => file));
    for (const file of readdirSync(path.join(root, run)))
      if (!known.has(file)) rmSync(path.join(root, run, file), { force: true });
  }
};

async function* stream(from: string, start: number, end: number): AsyncIterable<Uint8Array> {
  if (start < end) yield* createReadStream(from, { start, end: end - 1 });
}
