import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Kills it, if it is running, and starts it again on the same port, with its data on disk. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a Redis on a free loopback port. By default, it stores nothing on disk. */
export const startRedis = async (...settings: string[]): Promise<RedisServer> => {
  const directory = await mkdtemp(path.join(tmpdir(), "runcast-redis-"));
  const port = await freePort();
  const options = ["--port", String(port), "--bind", "127.0.0.1", "--dir", directory, "--save", "", ...settings];
  const launch = () => spawn("redis-server", options, { stdio: ["ignore", "pipe", "inherit"] });
  let child = launch();
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  const end = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    kill();
    await exited;
  };
  await ready(child);
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    async restart() {
      await end();
      child = launch();
      await ready(child);
    },
    async stop() {
      process.removeListener("exit", kill);
      await end();
      await rm(directory, { recursive: true, force: true });
    },
  };
};

const ready = (child: ChildProcess) =>
  new Promise<void>((resolve, reject) => {
    let last = "";
    createInterface({ input: child.stdout! }).on("line", (line) => {
      last = line;
      if (line.includes("Ready to accept")) resolve();
    });
    child.once("error", reject);
    // On "close", its output has been read to the end.
    child.once("close", (code) => reject(new Error(`redis-server ended with ${code}: ${last}`)));
  });

export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
