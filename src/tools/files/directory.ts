import type { Dirent, Stats } from "node:fs";
import { constants, readlinkSync } from "node:fs";
import { type FileHandle, lstat, mkdir, open, opendir, readlink, realpath } from "node:fs/promises";
import path from "node:path";
import { Refusal } from "../../source.ts";

/**
 * A directory of the workspace. It stays the directory that was opened, even if its path later refers to another one.
 *
 * Guarantees by platform:
 *
 * - Linux (`held`): each component of a path is opened through `/proc/self/fd/<directory>/<name>` without following
 *   links, so no path is resolved twice, and a link that is placed anywhere in it, at any moment, has no effect. The
 *   type is read from the opened handle before any read, so a pipe or a device is never opened for reading. Writes and
 *   renames also go through the handle.
 * - Other platforms (`named`): each component is checked not to be a link, the file is opened without following a link
 *   in the last component, and afterwards all components are checked again and the path must still name the opened
 *   file. An attacker who can swap a component for a link and back, twice and at the right moments during those calls,
 *   could still direct one read or one rename outside. If other users of the machine are hostile, use Linux.
 * - Not covered on any platform: a hard link to an outside file that was placed in the workspace is a file of the
 *   workspace. Writing replaces it.
 */
export interface Directory {
  /** A path that refers to this name in exactly this directory. */
  entry(name: string): string;
  stat(name: string): Promise<Stats | undefined>;
  /** At most `limit` entries, sorted by name. */
  list(limit: number): Promise<readonly Dirent[]>;
  /** Opens a regular file for reading. Refuses other types. */
  file(name: string): Promise<FileHandle>;
  directory(name: string): Promise<Directory>;
  create(name: string): Promise<void>;
  /** Throws if the directory has left the workspace since it was opened. */
  verify(): Promise<void>;
  close(): Promise<void>;
}

/** Uses handles if the system supports them, unless `held` overrides that. */
export const openRoot = async (root: string, held = canHold()): Promise<Directory> =>
  held ? heldDirectory(await open(root, O_PATH | constants.O_DIRECTORY), root, "") : namedDirectory(root, root, "");

const canHold = (): boolean => {
  if (process.platform !== "linux") return false;
  try {
    readlinkSync("/proc/self/exe");
    return true;
  } catch {
    return false;
  }
};

// Missing from Node's constants. The value is the same on every architecture that Node supports.
const O_PATH = 0o10000000;
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

const heldDirectory = (handle: FileHandle, root: string, shown: string): Directory => {
  const here = `/proc/self/fd/${handle.fd}`;
  const step = async (name: string): Promise<{ held: FileHandle; stats: Stats }> => {
    const held = await open(`${here}/${name}`, O_PATH | NO_FOLLOW).catch(unopened(join(shown, name)));
    return { held, stats: await held.stat() };
  };
  return {
    ...shared((name) => `${here}/${name}`, here, shown),
    async file(name) {
      const { held, stats } = await step(name);
      try {
        requireFile(stats, join(shown, name));
        // The handle's own link, which refers to the file that was just checked.
        const file = await open(`/proc/self/fd/${held.fd}`, constants.O_RDONLY).catch(unopened(join(shown, name)));
        if (isWithin(root, await readlink(`/proc/self/fd/${file.fd}`))) return file;
        await file.close();
        throw moved(join(shown, name));
      } finally {
        await held.close();
      }
    },
    async directory(name) {
      const { held, stats } = await step(name);
      try {
        requireDirectory(stats, join(shown, name));
        return heldDirectory(held, root, join(shown, name));
      } catch (error) {
        await held.close();
        throw error;
      }
    },
    async verify() {
      if (!isWithin(root, await readlink(here))) throw moved(shown);
    },
    close: () => handle.close(),
  };
};

const isWithin = (root: string, location: string): boolean =>
  location === root || location.startsWith(root.endsWith(path.sep) ? root : root + path.sep);

const namedDirectory = (here: string, root: string, shown: string): Directory => {
  const verify = async (): Promise<void> => {
    for (let at = here; at !== root; at = path.dirname(at)) {
      if (!(await lstat(at)).isDirectory()) throw moved(shown);
    }
    if (!isWithin(root, await realpath(here))) throw moved(shown);
  };
  return {
    ...shared((name) => path.join(here, name), here, shown),
    verify,
    async file(name) {
      const at = path.join(here, name);
      requireFile(await lstat(at).catch(unopened(join(shown, name))), join(shown, name));
      const flags = constants.O_RDONLY | NO_FOLLOW | (constants.O_NONBLOCK ?? 0);
      const file = await open(at, flags).catch(unopened(join(shown, name)));
      try {
        const opened = await file.stat();
        requireFile(opened, join(shown, name));
        await verify();
        const named = await lstat(at).catch(unopened(join(shown, name)));
        if (named.ino !== opened.ino || named.dev !== opened.dev) throw moved(join(shown, name));
        return file;
      } catch (error) {
        await file.close();
        throw error;
      }
    },
    async directory(name) {
      const at = path.join(here, name);
      requireDirectory(await lstat(at).catch(unopened(join(shown, name))), join(shown, name));
      const inner = namedDirectory(at, root, join(shown, name));
      await inner.verify();
      return inner;
    },
    close: () => Promise.resolve(),
  };
};

const shared = (entry: (name: string) => string, here: string, shown: string) => ({
  entry,
  stat: async (name: string): Promise<Stats | undefined> => lstat(entry(name)).catch(absent(join(shown, name))),
  async list(limit: number): Promise<readonly Dirent[]> {
    const entries: Dirent[] = [];
    for await (const found of await opendir(here).catch(unopened(shown))) {
      entries.push(found);
      if (entries.length >= limit) break;
    }
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  },
  create: async (name: string): Promise<void> => {
    await mkdir(entry(name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") unopened(join(shown, name))(error);
    });
  },
});

const join = (directory: string, name: string): string => (directory ? `${directory}/${name}` : name);

export const requireFile = (stats: Stats, shown: string): void => {
  if (stats.isFile()) return;
  if (stats.isDirectory())
    throw new Refusal("is-directory", `${shown} is a directory. Use list_files to look into it.`);
  throw notPlain(stats, shown);
};

const requireDirectory = (stats: Stats, shown: string): void => {
  if (stats.isDirectory()) return;
  if (stats.isFile()) throw new Refusal("not-directory", `${shown} is a file, not a directory.`);
  throw notPlain(stats, shown);
};

const notPlain = (stats: Stats, shown: string): Refusal =>
  stats.isSymbolicLink()
    ? new Refusal(
        "is-link",
        `${shown} is a symbolic link, and links are not followed. Use the path of the file itself.`,
      )
    : new Refusal("not-a-file", `${shown} is a pipe, socket or device, not a file. It cannot be read or written.`);

const moved = (shown: string): Refusal =>
  new Refusal("moved", `${shown || "The workspace"} was moved or replaced while it was being used. Try again.`);

const absent =
  (shown: string) =>
  (error: NodeJS.ErrnoException): undefined => {
    if (error.code !== "ENOENT") unopened(shown)(error);
  };

const unopened =
  (shown: string) =>
  (error: NodeJS.ErrnoException): never => {
    const name = shown || "The workspace";
    const reasons: Record<string, string> = {
      ENOENT: `${name} does not exist. Use list_files or glob_files to see which files exist.`,
      EACCES: `${name} cannot be opened: permission denied.`,
      EPERM: `${name} cannot be opened: permission denied.`,
      ENOTDIR: `Part of the path ${name} is not a directory.`,
      ELOOP: `${name} is a symbolic link, and links are not followed. Use the path of the file itself.`,
      ENAMETOOLONG: `A name in the path ${name.slice(0, 80)}… is too long.`,
    };
    const code = error.code ?? "EUNKNOWN";
    throw new Refusal(code.toLowerCase(), reasons[code] ?? `${name} cannot be opened (${code}).`, { cause: error });
  };
