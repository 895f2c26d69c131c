import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * What happens to a connection: cut after this many bytes of the response (0: when its first byte would arrive, so that
 * the request has certainly been read), never forwarded to the server ("unreached"), or left intact (undefined).
 */
export type Cut = number | "unreached" | undefined;

export interface CuttingProxy {
  readonly url: string;
  /** The number of connections so far. */
  readonly connections: number;
  /** The number of response bytes forwarded by each connection. */
  readonly passed: readonly number[];
  /** Cuts all open connections. */
  cut(): void;
  close(): Promise<void>;
}

/** Forwards TCP on loopback to `port`, and cuts connections as `cutOf` specifies. Connections are counted from 0. */
export const startCuttingProxy = async (
  port: number,
  cutOf: (connection: number) => Cut = () => undefined,
): Promise<CuttingProxy> => {
  const sockets = new Set<Socket>();
  const passed: number[] = [];

  const server = createServer((client) => {
    const index = passed.push(0) - 1;
    const cut = cutOf(index);
    track(sockets, client);
    // Accepted and then closed without a response, so that the client cannot know whether its request arrived.
    if (cut === "unreached") return void client.once("data", () => client.destroy());
    const upstream = track(sockets, connect(port, "127.0.0.1"));
    client.pipe(upstream);
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
    upstream.on("data", (bytes) => {
      const room = (cut ?? Infinity) - passed[index]!;
      const piece = bytes.subarray(0, room);
      passed[index]! += piece.length;
      if (bytes.length <= room) return void (client.write(piece) || holdBack(upstream, client));
      upstream.pause();
      // Everything before the cut arrives, and nothing after it.
      client.write(piece, () => client.destroy());
    });
    upstream.on("end", () => client.end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return passed.length;
    },
    passed,
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
};

const track = (sockets: Set<Socket>, socket: Socket): Socket => {
  sockets.add(socket);
  return socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket));
};

const holdBack = (upstream: Socket, client: Socket): void => {
  upstream.pause();
  client.once("drain", () => upstream.resume());
};
