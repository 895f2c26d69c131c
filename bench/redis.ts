import { spawn, spawnSync } from "node:child_process";
import { createServer, connect } from "node:net";
import { listen } from "./listen.ts";
import { pinned } from "./pinned.ts";

/** Starts a Redis on a free port, in memory only. Undefined if it is not installed. */
export const startRedis = async (): Promise<{ url: string; stop(): void } | undefined> => {
  const program = ["redis-server", "valkey-server"].find(
    (name) => spawnSync(name, ["--version"], { stdio: "ignore" }).status === 0,
  );
  if (!program) return undefined;
  const probe = createServer();
  const port = await listen(probe);
  await new Promise((resolve) => probe.close(resolve));
  const settings = ["--port", `${port}`, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
  const [command, ...args] = pinned(1, [program, ...settings]);
  const child = spawn(command!, args, { stdio: "ignore" });
  process.on("exit", () => child.kill("SIGKILL"));
  for (let attempt = 0; attempt < 100; attempt++) {
    if (await answers(port)) return { url: `redis://127.0.0.1:${port}`, stop: () => child.kill() };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  child.kill();
  throw new Error(`${program} did not start`);
};

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
