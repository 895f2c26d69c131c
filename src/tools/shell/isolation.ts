import { spawnSync } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";

/** A program with its arguments. */
export type Program = readonly [name: string, ...args: string[]];

/** Wraps a program so that it sees only its own processes, and all of them end with the first one. Undefined if unsupported. */
export type Isolate = ((program: Program) => Program) | undefined;

/** A new process and mount namespace. Users other than root need a user namespace for it, which keeps their user id. */
const NAMESPACE = ["--pid", "--fork", "--kill-child=SIGKILL", "--mount-proc"];
const FLAG_SETS: readonly (readonly string[])[] = [NAMESPACE, ["--user", "--map-current-user", ...NAMESPACE]];

/** The first process of a namespace ignores most signals and inherits orphans, which few programs handle. A shell does. */
const INIT = ["/bin/sh", "-c", '"$@"; exit $?', "sh"];

let found: { readonly isolate: Isolate } | undefined;

/** The machine's capability, detected once. Kernels and containers forbid namespaces in various ways, so it must be tried. */
export const findIsolation = (): Isolate => (found ??= { isolate: tryAll() }).isolate;

const tryAll = (): Isolate => {
  if (process.platform !== "linux") return undefined;
  const flags = FLAG_SETS.find((set) => spawnSync("unshare", [...set, "--", "true"], { timeout: 5000 }).status === 0);
  return flags && ((program) => ["unshare", ...flags, "--", ...INIT, ...program]);
};

/** Whether a program can be started. The wrapper would report a missing program only in its output. */
export const canStart = (name: string, search: string | undefined, directory: string): boolean => {
  const folders = name.includes("/") ? [directory] : (search ?? "/usr/local/bin:/usr/bin:/bin").split(":");
  return folders.some((folder) => {
    const file = path.resolve(directory, folder, name);
    try {
      accessSync(file, constants.X_OK);
      return statSync(file).isFile();
    } catch {
      return false;
    }
  });
};
