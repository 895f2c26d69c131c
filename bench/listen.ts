import type { AddressInfo, Server } from "node:net";

/** A free loopback port; the backlog is wide because the load client opens streams in waves. */
export const listen = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port: 0, host: "127.0.0.1", backlog: 2048 }, () => resolve((server.address() as AddressInfo).port));
  });
