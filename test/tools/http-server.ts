import { once } from "node:events";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface TestServer {
  readonly port: number;
  /** `127.0.0.1:port`. */
  readonly host: string;
  readonly url: string;
  readonly seen: readonly Seen[];
  close(): Promise<void>;
}

/** A real server on a free local port that records its requests. */
export const startServer = async (
  respond: (request: Seen, response: ServerResponse) => void = (_, response) => void response.end("ok"),
): Promise<TestServer> => {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const one = { method: request.method!, url: request.url!, headers: request.headers, body };
    seen.push(one);
    respond(one, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    host: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}`,
    seen,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};
