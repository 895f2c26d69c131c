import type { FileHandle } from "node:fs/promises";
import type { Directory } from "./directory.ts";

export interface Found {
  /** Relative to the start of the walk. */
  readonly path: string;
  open(): Promise<FileHandle>;
}

/** Skipped unless requested: large, and rarely what a search is about. */
const SKIPPED = new Set(["node_modules", ".git"]);
const MAX_VISITED = 100_000;
const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 64;

/**
 * Visits the regular files below a directory in name order, until `visit` returns false. Never follows links. Resolves
 * with false if a limit was reached.
 */
export const walk = async (
  directory: Directory,
  { skip, signal }: { skip: boolean; signal: AbortSignal },
  visit: (found: Found) => boolean | Promise<boolean>,
): Promise<boolean> => {
  let visited = 0;
  let whole = true;

  const inside = async (at: Directory, prefix: string, depth: number): Promise<boolean> => {
    const entries = await at.list(MAX_ENTRIES);
    if (entries.length >= MAX_ENTRIES || depth > MAX_DEPTH) whole = false;
    for (const entry of depth > MAX_DEPTH ? [] : entries) {
      signal.throwIfAborted();
      visited += 1;
      if (visited > MAX_VISITED) return (whole = false);
      const path = prefix + entry.name;
      if (entry.isFile() && !(await visit({ path, open: () => at.file(entry.name) }))) return false;
      if (!entry.isDirectory() || (skip && SKIPPED.has(entry.name.toLowerCase()))) continue;
      // It may be gone or unreadable. Continue with the rest.
      const next = await at.directory(entry.name).catch(() => undefined);
      if (!next) continue;
      try {
        if (!(await inside(next, `${path}/`, depth + 1))) return false;
      } finally {
        await next.close();
      }
    }
    return true;
  };

  await inside(directory, "", 1);
  return whole;
};
