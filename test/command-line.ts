import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { text as readAll } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll } from "vitest";

export const root = path.join(import.meta.dirname, "..");
const cli = path.join(root, "src/cli.ts");

interface Options {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  readonly input?: string;
}

/** The command as users run it. Leftover processes are stopped after each test, and directories are removed after the last one. */
export const useCommandLine = () => {
  let directory: string;
  beforeAll(async () => void (directory = await mkdtemp(path.join(tmpdir(), "runcast-cli-"))));
  afterAll(() => rm(directory, { recursive: true, force: true }));

  const children: ChildProcessWithoutNullStreams[] = [];
  afterEach(async () => {
    for (const child of children.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  });

  /** Any program that runs on this Node.js. */
  const run = (args: readonly string[], { cwd = directory, env = {} }: Options = {}) => {
    const { PORT: _, FORCE_COLOR: __, RUNCAST_KEY: ___, RUNCAST_URL: ____, ...inherited } = process.env;
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...args], {
      cwd,
      env: { ...inherited, RUNCAST_DEMO_SPEED: "50", RUNCAST_MODEL: "demo", ...env },
    });
    children.push(child);
    return child;
  };

  const launch = (args: readonly string[], options: Options = {}) => run([cli, ...args], options);

  const runcast = async (args: readonly string[], options: Options = {}) => {
    const child = launch(args, options);
    child.stdin.end(options.input);
    return await ended(child);
  };

  /** A server in its own directory, and its output until it was ready. */
  const serve = async (args: readonly string[] = [], options: Options = {}) => {
    const child = launch(["serve", "--port", "0", ...args], options);
    return { child, ...(await greeting(child)) };
  };

  const home = (name: string): Promise<string> => mkdtemp(path.join(directory, `${name}-`));

  return { run, launch, runcast, serve, home };
};

/** A program's whole output and its exit code. */
export const ended = async (child: ChildProcessWithoutNullStreams) => {
  const [out, error] = await Promise.all([readAll(child.stdout), readAll(child.stderr)]);
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return { out, error, code: child.exitCode };
};

export const greeting = async (child: ChildProcessWithoutNullStreams) => {
  let printed = "";
  child.stdout.setEncoding("utf8");
  while (!printed.includes("  try ")) {
    const [chunk] = (await Promise.race([once(child.stdout, "data"), once(child, "exit")])) as [string];
    if (typeof chunk !== "string") throw new Error(`the server ended: ${await readAll(child.stderr)}`);
    printed += chunk;
  }
  const url = /http:\/\/\S+/.exec(printed)![0];
  return { printed, url };
};

/** A port on which something other than Runcast listens, until `close`. */
export const occupyPort = async () => {
  const busy = createServer().listen(0, "127.0.0.1");
  await once(busy, "listening");
  return { port: (busy.address() as AddressInfo).port, close: () => new Promise((resolve) => busy.close(resolve)) };
};

/** A port that refuses connections until `close`: a connection of this process occupies it. */
export const refusePort = async () => {
  const server = createServer((socket) => socket.resume()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect({ host: "127.0.0.1", port: (server.address() as AddressInfo).port });
  await once(client, "connect");
  const close = async (): Promise<void> => {
    client.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port: client.localPort!, close };
};

/** A port on which nothing listens. */
export const freePort = async (): Promise<number> => {
  const { port, close } = await occupyPort();
  await close();
  return port;
};
