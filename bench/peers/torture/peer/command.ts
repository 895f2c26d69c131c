import { spawn } from "node:child_process";

/** npm can search for a set of versions forever. */
const LIMIT_MS = 5 * 60_000;

/** Runs a command and returns its exit code. Other systems are measured meanwhile, so it must not block this process. */
export const runCommand = (program: string, args: readonly string[], cwd: string): Promise<number | null> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ["ignore", "ignore", "inherit"], timeout: LIMIT_MS });
    child.once("error", reject);
    child.once("close", resolve);
  });
