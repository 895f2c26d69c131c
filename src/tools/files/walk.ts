import type { FileHandle } from "node:fs/promises";
import type { Directory } from "./directory.ts";

export interface Found {
  /** Relative to where the walk began. */
  readonly path: string;
  open(): Promise<FileHandle>;
}

/** What is passed over unless it is asked for: large, and seldom what somebody looks for. */
const SKIPPED = new Set(["node_modules", ".git"]);
const MAX_VISITED = 100_000;
const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 64;

/**
 * Visits the regular files below a directory in order of their names, until `visit` answers false; links are never followed.
 * Resolves with false if there was more than it may look at.
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
      // It may have gone, or may not be ours to read: what can be seen is still worth seeing.
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
