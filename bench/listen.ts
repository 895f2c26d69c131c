import type { AddressInfo, Server } from "node:net";

/** Listens on a free loopback port. The backlog is large because the load client opens streams in waves. */
export const listen = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port: 0, host: "127.0.0.1", backlog: 2048 }, () => resolve((server.address() as AddressInfo).port));
  });
