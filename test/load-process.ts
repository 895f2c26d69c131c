import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type Socket, connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

export interface LoadServer {
  readonly url: string;
  readonly port: number;
  /** Memory after a garbage collection, in bytes. */
  memory(): Promise<{ rss: number; used: number }>;
  stop(): Promise<void>;
}

/** Starts test/fixtures/load-server.ts in a separate process. */
export const startLoadServer = async (log: "memory" | "sqlite"): Promise<LoadServer> => {
  const directory = mkdtempSync(path.join(tmpdir(), "runcast-load-"));
  const child: ChildProcess = fork(path.join(import.meta.dirname, "fixtures/load-server.ts"), [log, directory], {
    execArgv: ["--expose-gc", "--disable-warning=ExperimentalWarning"],
  });
  const [{ url }] = (await once(child, "message")) as [{ url: string }];
  let last: Promise<unknown> = Promise.resolve();
  return {
    url,
    port: Number(new URL(url).port),
    memory() {
      const ask = async () => {
        const answer = once(child, "message");
        child.send("memory");
        return (await answer)[0] as { rss: number; used: number };
      };
      // Sequentially: a response does not name its request.
      const next = last.then(ask);
      last = next;
      return next;
    },
    async stop() {
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

/** Opens a stream manually. Until it is resumed, only what the kernel buffers is read. */
export const openStream = async (port: number, run: string): Promise<Socket> => {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.pause();
  socket.write(`GET /runs/${run}/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  return socket;
};
