import { afterEach, beforeEach } from "vitest";
import type { Log } from "../../src/log.ts";
import { type CuttingProxy, startCuttingProxy } from "../cutting-proxy.ts";

interface Engine {
  readonly port: number;
  readonly url: string;
  stop(): Promise<unknown>;
}

/** A separate engine for each test, logs in it, and a proxy to it that can be cut. All are removed after the test. */
export const cutOffEngine = <Server extends Engine>(
  start: () => Promise<Server>,
  openAt: (port: number) => Promise<Log>,
) => {
  let server: Server;
  let proxy: CuttingProxy;
  const logs: Log[] = [];
  const open = async (port = server.port): Promise<Log> => {
    const log = await openAt(port);
    logs.push(log);
    return log;
  };

  beforeEach(async () => {
    server = await start();
    proxy = await startCuttingProxy(server.port);
  });
  afterEach(async () => {
    for (const log of logs.splice(0)) await log.close().catch(() => {});
    await proxy.close();
    await server.stop();
  });

  return {
    logs,
    open,
    openThroughProxy: () => open(Number(new URL(proxy.url).port)),
    get server() {
      return server;
    },
    cut: () => proxy.cut(),
    /**
     * Does this work while all connections are cut again and again. Each step of the work is cut three times at most:
     * a machine that needs longer than `everyMs` to connect would otherwise never finish it.
     */
    whileCutting: async (everyMs: number, work: (step: () => void) => Promise<void>): Promise<void> => {
      let left = 3;
      const cutting = setInterval(() => void (left-- > 0 && proxy.cut()), everyMs);
      try {
        await work(() => void (left = 3));
      } finally {
        clearInterval(cutting);
      }
    },
  };
};
