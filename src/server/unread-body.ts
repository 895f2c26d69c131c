import type { IncomingMessage, ServerResponse } from "node:http";

/** How much of a body that nobody wants is read after the answer, and for how long. */
const MOST_BYTES = 256 * 1024;
const MOST_MS = 2000;

/**
 * Ends the connection of a client that goes on sending a body after it has its answer. Some of it is read first: a connection
 * that is closed while bytes are on their way takes the answer with it.
 */
export const boundUnreadBody = (request: IncomingMessage, response: ServerResponse): void => {
  const { headers, socket } = request;
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  // A request without a socket comes from another program's server.
  if (!hasBody || typeof socket.destroy !== "function") return;
  response.once("prefinish", () => {
    if (request.complete || socket.destroyed) return;
    let read = 0;
    const timer = setTimeout(() => socket.destroy(), MOST_MS);
    request.on("data", (bytes: Buffer) => {
      read += bytes.length;
      if (read > MOST_BYTES) socket.destroy();
    });
    // Otherwise Node reads the rest by itself and tells nobody, however much it is.
    request.read(0);
    request.once("end", () => clearTimeout(timer)).once("close", () => clearTimeout(timer));
  });
};
