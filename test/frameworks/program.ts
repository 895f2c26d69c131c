import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A server in another language, in its own process. */
export interface Program {
  readonly url: string;
  readonly port: number;
  /** Kills it immediately, like a crash. */
  kill(): Promise<void>;
}

interface ProgramOptions {
  readonly command: readonly [string, ...string[]];
  /** Additional arguments that contain the port. */
  readonly args?: (port: number) => readonly string[];
  readonly cwd: string;
  readonly env: (port: number) => Readonly<Record<string, string>>;
  /** A path that responds when the server is ready. */
  readonly ready: string;
  readonly port?: number;
}

const START_MS = 120_000;

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
};

export const startProgram = async (options: ProgramOptions): Promise<Program> => {
  const { command, cwd, env, ready } = options;
  const port = options.port ?? (await freePort());
  const child = spawn(command[0], [...command.slice(1), ...(options.args?.(port) ?? [])], {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    env: {
      PATH: process.env["PATH"],
      HOME: cwd,
      PYTHONUNBUFFERED: "1",
      NO_PROXY: "127.0.0.1,localhost",
      ...env(port),
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (piece: string) => (output = (output + piece).slice(-4000)));
  const exited = once(child, "exit");
  const url = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + START_MS;
  const isReady = async (): Promise<boolean> =>
    await fetch(url + ready).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`the server did not start:\n${output}`);
    await sleep(100);
  }
  return {
    url,
    port,
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      process.kill(-child.pid!, "SIGKILL");
      await exited;
    },
  };
};
