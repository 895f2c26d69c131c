import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "./redis.ts";

export interface Sentinels {
  /** `host:port`, separated by commas. */
  readonly hosts: string;
  stop(): Promise<void>;
}

/** Three Sentinels that monitor the primary on this loopback port, and replace it when two of them miss it for a second. */
export const startSentinels = async (name: string, primary: number): Promise<Sentinels> => {
  const directory = await mkdtemp(path.join(tmpdir(), "runcast-sentinel-"));
  const started = await Promise.all(
    [1, 2, 3].map(async (number) => {
      const port = await freePort();
      const file = path.join(directory, `${number}.conf`);
      const settings = [
        `port ${port}`,
        "bind 127.0.0.1",
        `dir ${directory}`,
        `sentinel monitor ${name} 127.0.0.1 ${primary} 2`,
        `sentinel down-after-milliseconds ${name} 1000`,
        `sentinel failover-timeout ${name} 5000`,
      ];
      await writeFile(file, `${settings.join("\n")}\n`);
      const child = spawn("redis-server", [file, "--sentinel"], { stdio: ["ignore", "pipe", "inherit"] });
      await new Promise<void>((resolve, reject) => {
        createInterface({ input: child.stdout }).on("line", (line) => line.includes("+monitor") && resolve());
        child.once("exit", (code) => reject(new Error(`the sentinel ended with ${code}`)));
      });
      return { port, child };
    }),
  );
  const kill = () => started.forEach(({ child }) => child.kill("SIGKILL"));
  process.once("exit", kill);
  return {
    hosts: started.map(({ port }) => `127.0.0.1:${port}`).join(","),
    async stop() {
      process.removeListener("exit", kill);
      const exited = started.map(({ child }) => once(child, "exit"));
      kill();
      await Promise.all(exited);
      await rm(directory, { recursive: true, force: true });
    },
  };
};
