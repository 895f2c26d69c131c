import { execFileSync, spawn } from "node:child_process";
import { chownSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { listen } from "./listen.ts";
import { pinned } from "./pinned.ts";

/** Starts a Postgres on a free port with default settings, so that a commit is on disk. Undefined if it is not installed. */
export const startPostgres = async (): Promise<{ url: string; stop(): void } | undefined> => {
  const programs = globSync("/usr/lib/postgresql/*/bin").at(-1) ?? onPath("postgres");
  if (programs === undefined) return undefined;
  const directory = mkdtempSync(path.join(tmpdir(), "runcast-bench-postgres-"));
  // Postgres refuses to run as root.
  const user = process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : undefined;
  if (user) chownSync(directory, user.uid, user.gid);
  const data = path.join(directory, "data");
  const options = { ...user, cwd: directory, env: { ...process.env, LC_ALL: "C.UTF-8" } };
  const initial = ["-D", data, "-U", "runcast", "-A", "trust", "-E", "UTF8"];
  execFileSync(path.join(programs, "initdb"), initial, { ...options, stdio: "ignore" });
  const probe = createServer();
  const port = await listen(probe);
  await new Promise((resolve) => probe.close(resolve));
  const [command, ...args] = pinned(1, [
    path.join(programs, "postgres"),
    ...["-D", data, "-p", `${port}`, "-k", directory, "-h", "127.0.0.1"],
  ]);
  const child = spawn(command!, args, { ...options, stdio: ["ignore", "ignore", "pipe"] });
  const stop = () => {
    child.kill("SIGQUIT");
    rmSync(directory, { recursive: true, force: true });
  };
  process.on("exit", stop);
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stderr }).on("line", (line) => line.includes("ready to accept") && resolve());
    child.once("exit", (code) => reject(new Error(`postgres ended with ${code}`)));
  });
  return { url: `postgres://runcast@127.0.0.1:${port}/postgres`, stop };
};

const onPath = (program: string): string | undefined => {
  try {
    return path.dirname(execFileSync("which", [program], { encoding: "utf8" }).trim());
  } catch {
    return undefined;
  }
};

const idOf = (flag: "-u" | "-g"): number => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
