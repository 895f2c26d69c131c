import type { IncomingMessage, ServerResponse } from "node:http";

/** How much of an unwanted body is read after the response, and for how long. */
const MAX_BYTES = 256 * 1024;
const MAX_MS = 2000;

/**
 * Closes the connection of a client that keeps sending a body after its response. Reads some of it first, because
 * closing a connection with bytes in flight can discard the response.
 */
export const boundUnreadBody = (request: IncomingMessage, response: ServerResponse): void => {
  const { headers, socket } = request;
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  // A request without a socket comes from another program's server.
  if (!hasBody || typeof socket.destroy !== "function") return;
  response.once("prefinish", () => {
    if (request.complete || socket.destroyed) return;
    let read = 0;
    const timer = setTimeout(() => socket.destroy(), MAX_MS);
    request.on("data", (bytes: Buffer) => {
      read += bytes.length;
      if (read > MAX_BYTES) socket.destroy();
    });
    // Otherwise, Node silently reads the rest, regardless of its size.
    request.read(0);
    request.once("end", () => clearTimeout(timer)).once("close", () => clearTimeout(timer));
  });
};
