import { createServer, type RequestListener } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** A reader that does not read gets no more than this beyond what the kernel holds for it. */
const SOCKET_BYTES = 32 * 1024;
const CLOSE_MS = 3000;

/** A port of our own. */
export interface Listening {
  listen(port: number, host: string): Promise<{ readonly url: string; readonly port: number }>;
  /** Takes no more connections. */
  stop(): void;
  /** Resolves when every connection is closed; those that do not end soon are cut. */
  closed(): Promise<void>;
}

export const createListening = (listener: RequestListener): Listening => {
  const server = createServer({ highWaterMark: SOCKET_BYTES }, (request, response) => {
    silent.delete(request.socket);
    request.socket.off("close", forget);
    listener(request, response);
  });
  // Browsers connect ahead of their requests. Node does not count such connections as idle when it closes.
  const silent = new Set<Socket>();
  const forget = function (this: Socket) {
    silent.delete(this);
  };
  server.on("connection", (socket: Socket) => silent.add(socket.on("close", forget)));
  const { promise: left, resolve } = Promise.withResolvers<void>();

  return {
    listen: async (wanted, host) => {
      await new Promise<void>((listening, reject) => {
        server.once("error", reject).listen(wanted, host, listening);
      });
      const { port } = server.address() as AddressInfo;
      return { url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`, port };
    },
    // A server that is stopped already answers with an error, and stays stopped.
    stop: () => void server.close(() => resolve()),
    closed: async () => {
      const deadline = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
      for (const socket of silent) socket.destroy();
      const idle = setInterval(() => server.closeIdleConnections(), 20);
      await left;
      clearTimeout(deadline);
      clearInterval(idle);
    },
  };
};
