import { realpathSync, statSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { Refusal } from "../../source.ts";
import { type Directory, openRoot } from "./directory.ts";

/** Everything below one directory, by relative path. Closes what it opens when `use` is done. */
export interface Workspace {
  inDirectory<Result>(path: string, use: (directory: Directory) => Promise<Result>): Promise<Result>;
  /** Opens the parent directory of the path. Creates it if it is missing and `create` is set. */
  inParent<Result>(
    path: string,
    use: (directory: Directory, name: string) => Promise<Result>,
    options?: { create?: boolean },
  ): Promise<Result>;
  inFile<Result>(path: string, use: (file: FileHandle) => Promise<Result>): Promise<Result>;
}

export const createWorkspace = (directory: string, options: { held?: boolean } = {}): Workspace => {
  const root = realRoot(directory);

  const walk = async <Result>(
    names: readonly string[],
    create: boolean,
    use: (directory: Directory) => Promise<Result>,
  ): Promise<Result> => {
    let at = await openRoot(root, options.held);
    try {
      for (const name of names) {
        if (create && !(await at.stat(name))) await at.create(name);
        const next = await at.directory(name);
        await at.close();
        at = next;
      }
      return await use(at);
    } finally {
      await at.close();
    }
  };

  const workspace: Workspace = {
    inDirectory: (path, use) => walk(namesOf(path), false, use),
    inParent(path, use, { create = false } = {}) {
      const names = namesOf(path);
      const name = names.pop();
      if (!name) throw new Refusal("no-name", "The path names the workspace itself. Give the path of a file in it.");
      return walk(names, create, (directory) => use(directory, name));
    },
    inFile: (path, use) =>
      workspace.inParent(path, async (directory, name) => {
        const file = await directory.file(name);
        try {
          return await use(file);
        } finally {
          await file.close();
        }
      }),
  };
  return workspace;
};

/** The components of a relative path. Refuses anything that could refer to another location on some system. */
export const namesOf = (path: string): string[] => {
  const shown = JSON.stringify(path.slice(0, 200));
  const refuse = (why: string) => {
    throw new Refusal(
      "outside-workspace",
      `${shown} ${why} Give a path relative to the workspace, such as notes/today.md.`,
    );
  };
  if (path.includes("\0")) refuse("contains a zero byte.");
  if (path.includes("\\")) refuse("contains a backslash. Separate names with a slash.");
  if (path.startsWith("/") || /^[a-z]:/i.test(path)) refuse("is an absolute path.");
  if (path === "~" || path.startsWith("~/")) refuse("points to a home directory.");
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  if (names.length > MAX_DEPTH) refuse(`has more than ${MAX_DEPTH} levels.`);
  for (const name of names) {
    if (name === "..") refuse("contains '..', which leads out of a directory.");
    if (process.platform === "win32" && WINDOWS_SPECIAL.test(name))
      refuse("contains a name that is reserved for a device here.");
  }
  return names;
};

const MAX_DEPTH = 64;
const WINDOWS_SPECIAL = /:|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Whether a name refers to git's own directory, including on file systems that ignore case, trailing dots and spaces,
 * or invisible characters. A hook or a setting written there makes git run commands.
 */
export const isGitDirectory = (name: string): boolean => {
  const plain = name
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .toLowerCase();
  return /^(?:\.git|git~\d+)[. ]*(?::.*)?$/.test(plain);
};

const realRoot = (directory: string): string => {
  try {
    const root = realpathSync(directory);
    if (statSync(root).isDirectory()) return root;
  } catch (error) {
    throw new Error(`The workspace ${directory} cannot be used: create that directory first.`, { cause: error });
  }
  throw new Error(`The workspace ${directory} is not a directory.`);
};
