import { execFile, execFileSync } from "node:child_process";
import { cpSync, existsSync, symlinkSync } from "node:fs";
import path from "node:path";

export const root = path.join(import.meta.dirname, "../..");

/** The files that a clone would have if everything here were committed. */
const files = (): readonly string[] =>
  execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root, encoding: "utf8" })
    .split("\0")
    .filter((file) => file !== "" && existsSync(path.join(root, file)));

/** Copies the files of a clone, or some of them. */
export const copyCheckout = (directory: string, isWanted: (file: string) => boolean = () => true): void => {
  for (const file of files()) if (isWanted(file)) cpSync(path.join(root, file), path.join(directory, file));
};

export interface Output {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

/** Runs a command line to its end. Not synchronous: the registry that it may use is in this process. */
export const runCommand = (command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Output> =>
  new Promise((resolve) => {
    execFile("sh", ["-euc", command], { cwd, env, maxBuffer: 1e8 }, (failure, out, error) =>
      resolve({ code: failure === null ? 0 : Number(failure.code ?? 1), out, error }),
    );
  });

/** Throws what it printed if it fails. */
export const mustRun = async (command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> => {
  const { code, out, error } = await runCommand(command, cwd, env);
  if (code !== 0) throw new Error(`${command} failed with ${code}\n${out}${error}`);
  return out;
};

/** Stands for `npm install` where that would take too long. */
export const linkPackages = (directory: string): void =>
  symlinkSync(path.join(root, "node_modules"), path.join(directory, "node_modules"));

/**
 * The environment of someone who never used Runcast: no keys, no settings, and the Node.js that runs the tests. `home`
 * replaces the user's settings and caches of npm.
 */
export const freshEnvironment = (own: Readonly<Record<string, string>> = {}, home?: string): NodeJS.ProcessEnv => {
  const kept = ["HOME", "LANG", "TMPDIR", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "NODE_EXTRA_CA_CERTS"];
  return {
    ...Object.fromEntries(kept.map((name) => [name, process.env[name]])),
    PATH: [path.dirname(process.execPath), process.env["PATH"]].join(path.delimiter),
    ...(home !== undefined && { HOME: home }),
    // Any free port: 4400 may be taken.
    PORT: "0",
    NO_UPDATE_NOTIFIER: "1",
    ...own,
  };
};
