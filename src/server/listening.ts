import { createServer, type RequestListener } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** The limit of data buffered for a stalled reader, beyond the kernel's buffer. */
const SOCKET_BYTES = 32 * 1024;
const CLOSE_MS = 3000;

/** A server with its own port. */
export interface Listening {
  listen(port: number, host: string): Promise<{ readonly url: string; readonly port: number }>;
  /** Accepts no more connections. */
  stop(): void;
  /** Resolves when every connection is closed. Connections that do not end soon are cut. */
  closed(): Promise<void>;
}

export const createListening = (listener: RequestListener): Listening => {
  const server = createServer({ highWaterMark: SOCKET_BYTES }, (request, response) => {
    silent.delete(request.socket);
    request.socket.off("close", forget);
    listener(request, response);
  });
  // Browsers open connections ahead of requests. Node does not count these as idle when it closes.
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
    // Closing an already closed server only passes an error to the callback.
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
