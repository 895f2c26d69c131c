import type * as Library from "redis";

export type Argument = string | Buffer;

const PING_MS = 5000;
/** Longer than two pings: only a connection that is dead is silent for so long. */
const SILENCE_MS = 15_000;
/** How often Sentinels are asked who the primary is, beside what they tell. */
const SCAN_MS = 2000;

interface Settings {
  readonly disableOfflineQueue: true;
  readonly commandOptions: { readonly timeout: number };
  readonly pingInterval: number;
  readonly socket: {
    readonly socketTimeout: number;
    readonly connectTimeout: number;
    readonly reconnectStrategy: (tries: number, cause: Error) => number | Error;
  };
}

/** One server, a cluster, or the primary that Sentinels name. */
export interface Client {
  readonly isCluster: boolean;
  send<Reply>(key: string | undefined, words: readonly Argument[], bytes?: boolean): Promise<Reply>;
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>;
  on(event: string, listener: (error?: unknown) => void): unknown;
  connect(): Promise<unknown>;
  close(): Promise<unknown>;
  destroy(): void;
  duplicate(): Client;
}

/**
 * `redis://` and `rediss://` name one server, `redis+cluster://` one or more nodes of a cluster, apart by commas, and
 * `redis+sentinel://…/name` one or more Sentinels and what they call the primary.
 */
export const createClient = (library: typeof Library, url: string): Client => {
  let isReady = false;
  const settings: Settings = {
    // Calls are sent again by `insist`, which knows what may be repeated.
    disableOfflineQueue: true,
    // A timer for each command costs more than the command. A dead connection ends by its silence.
    commandOptions: { timeout: undefined as unknown as number },
    pingInterval: PING_MS,
    socket: {
      socketTimeout: SILENCE_MS,
      connectTimeout: 5000,
      // Fails at once at the start, so that a wrong address is told; later it goes on for as long as it takes.
      reconnectStrategy: (tries: number, cause: Error) => (isReady ? Math.min(2000, 50 * 2 ** tries) : cause),
    },
  };
  const buffers = { typeMapping: { [library.RESP_TYPES.BLOB_STRING]: Buffer } };
  const started = (
    client: { on(event: "ready" | "connect", listener: () => void): unknown },
    event: "ready" | "connect",
  ) => client.on(event, () => void (isReady = true));

  if (url.startsWith("redis+sentinel:")) return createSentinel(library, url, settings, buffers);
  if (!url.startsWith("redis+cluster:")) {
    const client = library.createClient({ ...settings, url });
    started(client, "ready");
    return {
      isCluster: false,
      send: (_key, words, bytes) =>
        client.sendCommand(words as Argument[], bytes ? buffers : undefined) as Promise<never>,
      subscribe: (channel, listener) => client.subscribe(channel, listener),
      on: (event, listener) => client.on(event, listener),
      connect: () => client.connect(),
      close: () => (client.isReady ? client.close() : Promise.resolve(client.destroy())),
      destroy: () => client.destroy(),
      duplicate: () => createClient(library, url),
    };
  }

  const { login, hosts } = partsOf(url);
  const defaults = { ...settings, ...login };
  const cluster = library.createCluster({
    rootNodes: hosts.map((host) => ({ ...defaults, url: `redis://${host}` })),
    defaults,
    commandOptions: settings.commandOptions,
  });
  started(cluster, "connect");
  return {
    isCluster: true,
    send: (key, words, bytes) =>
      cluster.sendCommand(key, false, words as Argument[], bytes ? buffers : undefined) as Promise<never>,
    subscribe: (channel, listener) => cluster.subscribe(channel, listener),
    on: (event, listener) => cluster.on(event, listener),
    connect: () => cluster.connect(),
    close: () => cluster.close(),
    destroy: () => cluster.destroy(),
    duplicate: () => createClient(library, url),
  };
};

/** The client that follows the primary, whoever that is. It asks the Sentinels, and hears from them when it changes. */
const createSentinel = (
  library: typeof Library,
  url: string,
  { commandOptions, ...settings }: Settings,
  buffers: { readonly typeMapping: object },
): Client => {
  const { login, hosts, path } = partsOf(url);
  const socket = { ...settings.socket, reconnectStrategy: (tries: number) => Math.min(2000, 50 * 2 ** tries) };
  const sentinel = library.createSentinel({
    name: path || "mymaster",
    sentinelRootNodes: hosts.map((host) => {
      const [, name = "", port = "26379"] = /^(.*?)(?::(\d+))?$/.exec(host) ?? [];
      return { host: name.replace(/^\[|\]$/g, ""), port: Number(port) };
    }),
    nodeClientOptions: { ...settings, ...login, socket },
    sentinelClientOptions: { pingInterval: PING_MS, socket },
    commandOptions,
    // One of them is for commands alone, which it then sends without waiting for answers.
    masterPoolSize: 2,
    reserveClient: true,
    scanInterval: SCAN_MS,
  });
  return {
    isCluster: false,
    send: (_key, words, bytes) =>
      sentinel.sendCommand(false, words as Argument[], bytes ? (buffers as never) : undefined),
    subscribe: (channel, listener) => sentinel.subscribe(channel, listener),
    on: (event, listener) =>
      event === "ready" ? sentinel.on("topology-change", () => listener()) : sentinel.on(event, listener),
    connect: () => sentinel.connect(),
    close: () => sentinel.close(),
    destroy: () => void sentinel.destroy().catch(() => {}),
    duplicate: () => createClient(library, url),
  };
};

/** Hosts apart by commas, and who logs in. */
const partsOf = (url: string) => {
  const [, user, hosts = "", path = ""] = /^redis\+\w+:\/\/(?:([^@]*)@)?([^/]*)\/?([^?#]*)/.exec(url) ?? [];
  const [username, password] = (user ?? "").split(":").map(decodeURIComponent);
  const login = { ...(username && { username }), ...(password && { password }) };
  return { login, hosts: hosts.split(","), path: decodeURIComponent(path) };
};
