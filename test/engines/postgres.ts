import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { findProgram } from "../components.ts";
import { freePort } from "./redis.ts";

const run = promisify(execFile);

export interface PostgresServer {
  readonly url: string;
  readonly port: number;
  /** Kills it, if it is running, like a crash, and starts it again on the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a Postgres with an empty database on a free loopback port. Postgres refuses to run as root, so it then runs as another user. */
export const startPostgres = async (place = tmpdir()): Promise<PostgresServer> => {
  const programs = path.dirname(findProgram("postgres")!);
  const directory = await mkdtemp(path.join(place, "runcast-postgres-"));
  const user = process.getuid?.() === 0 ? await userOf("postgres") : undefined;
  if (user) await chown(directory, user.uid, user.gid);
  const data = path.join(directory, "data");
  const port = await freePort();
  const options = { ...user, cwd: directory, env: { ...process.env, LC_ALL: "C.UTF-8" } };
  await run(
    path.join(programs, "initdb"),
    ["-D", data, "-U", "runcast", "-A", "trust", "-E", "UTF8", "--no-sync"],
    options,
  );
  const settings = [
    "-D",
    data,
    "-p",
    String(port),
    "-k",
    directory,
    "-h",
    "127.0.0.1",
    "-c",
    "fsync=off",
    "-c",
    "shared_buffers=32MB",
  ];
  const launch = async () => {
    const started = spawn(path.join(programs, "postgres"), settings, {
      ...options,
      stdio: ["ignore", "ignore", "pipe"],
    });
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: started.stderr }).on(
        "line",
        (line) => /ready to accept connections/.test(line) && resolve(),
      );
      started.once("exit", (code) => reject(new Error(`postgres ended with ${code}`)));
    });
    return started;
  };
  let child = await launch();
  const kill = () => void child.kill("SIGQUIT");
  process.once("exit", kill);
  const end = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    kill();
    await exited;
  };
  return {
    port,
    url: `postgres://runcast@127.0.0.1:${port}/postgres`,
    async restart() {
      await end();
      child = await launch();
    },
    async stop() {
      process.removeListener("exit", kill);
      await end();
      await rm(directory, { recursive: true, force: true });
    },
  };
};

const userOf = async (name: string) => {
  const [uid, gid] = await Promise.all(
    ["-u", "-g"].map(async (flag) => Number((await run("id", [flag, name])).stdout)),
  );
  return { uid: uid!, gid: gid! };
};
