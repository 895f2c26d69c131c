import { spawn } from "node:child_process";

/** Runs a command and gives its exit code. Other systems are measured meanwhile, so it must not block this process. */
export const runCommand = (program: string, args: readonly string[], cwd: string): Promise<number | null> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
    child.once("error", reject);
    child.once("close", resolve);
  });
