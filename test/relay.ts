import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A plain TCP relay: a load balancer over several ports, or an unreliable network. */
export interface Relay {
  readonly port: number;
  readonly url: string;
  /** The number of open connections. */
  readonly open: number;
  /** Cuts the open connections for which `chosen` returns true. Default: all. */
  cut(chosen?: () => boolean): void;
  /** Stops forwarding over the open connections without closing them. */
  freeze(chosen?: () => boolean): void;
  /** Delays everything that is sent from now on. 0 turns this off. */
  delay(ms: number): void;
  close(): Promise<void>;
}

const CONNECT_TRIES = 100;

/** Each connection goes to the next port that accepts it. `ports` may change at any time. */
export const startRelay = async (ports: () => readonly number[]): Promise<Relay> => {
  const pairs = new Set<Pair>();
  let next = 0;
  let delayMs = 0;

  const server = createServer({ pauseOnConnect: true }, (client) => {
    client.on("error", () => client.destroy());
    void reach().then((upstream) => {
      if (!upstream || client.destroyed) {
        upstream?.destroy();
        return void client.destroy();
      }
      const pair: Pair = { sockets: [client, upstream], isFrozen: false };
      pairs.add(pair);
      const end = () => {
        pairs.delete(pair);
        client.destroy();
        upstream.destroy();
      };
      forward(pair, client, upstream, () => delayMs);
      forward(pair, upstream, client, () => delayMs);
      client.on("close", end);
      upstream.on("error", end).on("close", end);
      client.resume();
    });
  });

  const reach = async (): Promise<Socket | undefined> => {
    for (let tries = 0; tries < CONNECT_TRIES; tries++) {
      const known = ports();
      for (let index = 0; index < known.length; index++) {
        const socket = await reached(known[next++ % known.length]!);
        if (socket) return socket;
      }
      await sleep(50);
    }
    return undefined;
  };

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const each = (chosen: () => boolean, act: (pair: Pair) => void) => {
    for (const pair of [...pairs]) if (chosen()) act(pair);
  };
  const destroy = ({ sockets }: Pair) => sockets.forEach((socket) => socket.destroy());
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    get open() {
      return pairs.size;
    },
    cut: (chosen = () => true) => each(chosen, destroy),
    freeze: (chosen = () => true) => each(chosen, (pair) => void (pair.isFrozen = true)),
    delay: (ms) => void (delayMs = ms),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      each(() => true, destroy);
      await closed;
    },
  };
};

interface Pair {
  readonly sockets: readonly Socket[];
  isFrozen: boolean;
}

const reached = (port: number): Promise<Socket | undefined> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(socket));
    socket.once("error", () => {
      socket.destroy();
      resolve(undefined);
    });
  });

/** Keeps the order, however the delay changes. */
const forward = (pair: Pair, from: Socket, to: Socket, delayMs: () => number): void => {
  const held: { readonly at: number; readonly bytes: Buffer }[] = [];
  const write = (bytes: Buffer) => {
    if (to.destroyed || to.write(bytes)) return;
    from.pause();
    to.once("drain", () => from.resume());
  };
  const pump = () => {
    while (held.length > 0 && held[0]!.at <= performance.now()) write(held.shift()!.bytes);
    if (held.length > 0) setTimeout(pump, held[0]!.at - performance.now() + 1);
  };
  from.on("data", (bytes: Buffer) => {
    // Data sent into a half-open connection is lost.
    if (pair.isFrozen) return;
    const wait = delayMs();
    if (wait === 0 && held.length === 0) return write(bytes);
    held.push({ at: performance.now() + wait, bytes });
    if (held.length === 1) setTimeout(pump, wait);
  });
  from.on("end", () => {
    if (!pair.isFrozen) setTimeout(() => to.end(), delayMs());
  });
};
