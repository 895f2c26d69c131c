import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { open, rename, unlink } from "node:fs/promises";
import { Refusal } from "../../source.ts";
import { type Directory, requireFile } from "./directory.ts";

/** The version of a file when it was read, to detect later changes. */
export interface Version {
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
}

/**
 * Writes a file atomically: to a temporary file in the same directory, which is then renamed. No reader sees a partial
 * file, and a link that appears at that path is replaced, not followed. With `expected`, refuses if the file is no
 * longer that version.
 */
export const replaceFile = async (
  directory: Directory,
  name: string,
  content: string,
  { expected, signal }: { expected?: Version; signal: AbortSignal },
): Promise<"created" | "changed"> => {
  const before = await directory.stat(name);
  if (before) requireFile(before, name);
  const temporary = `.runcast-${randomBytes(8).toString("hex")}.tmp`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  const file = await open(directory.entry(temporary), flags, before ? before.mode & 0o777 : 0o666).catch(unwritable);
  try {
    try {
      // Verify before the first byte: if a path was swapped, nothing but an empty file has been created there.
      await directory.verify();
      await file.writeFile(content, { signal });
      if (before) await file.chmod(before.mode & 0o777);
    } finally {
      await file.close();
    }
    signal.throwIfAborted();
    if (expected) await requireVersion(directory, name, expected);
    await directory.verify();
    await rename(directory.entry(temporary), directory.entry(name));
  } catch (error) {
    await unlink(directory.entry(temporary)).catch(() => undefined);
    throw error instanceof Refusal || signal.aborted ? error : unwritable(error as NodeJS.ErrnoException);
  }
  return before ? "changed" : "created";
};

const requireVersion = async (directory: Directory, name: string, expected: Version): Promise<void> => {
  const now = await directory.stat(name);
  const isSame = now?.ino === expected.ino && now.size === expected.size && now.mtimeMs === expected.mtimeMs;
  if (!isSame)
    throw new Refusal("changed", `${name} was changed by someone else in the meantime. Read it again, then edit it.`);
};

const unwritable = (error: NodeJS.ErrnoException): never => {
  if (error instanceof Refusal) throw error;
  const reasons: Record<string, string> = {
    ENOSPC: "the disk is full",
    EDQUOT: "the disk quota is used up",
    EROFS: "the workspace is read-only",
    EACCES: "permission denied",
    EPERM: "permission denied",
    ENAMETOOLONG: "the name is too long",
    EISDIR: "there is a directory with that name",
  };
  const code = error.code ?? "EUNKNOWN";
  throw new Refusal(code.toLowerCase(), `The file was not written: ${reasons[code] ?? code}.`, { cause: error });
};
