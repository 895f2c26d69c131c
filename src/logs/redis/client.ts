import type * as Library from "redis";

export type Argument = string | Buffer;

const PING_MS = 5000;
/** Longer than two pings: only a dead connection is silent for this long. */
const SILENCE_MS = 15_000;
/** How often to ask the Sentinels for the primary, in addition to their notifications. */
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

/** A single server, a cluster, or the primary that Sentinels report. */
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
 * `redis://` and `rediss://` name a single server, `redis+cluster://` one or more comma-separated nodes of a cluster,
 * and `redis+sentinel://…/name` one or more Sentinels and their name of the primary.
 */
export const createClient = (library: typeof Library, url: string): Client => {
  let isReady = false;
  const settings: Settings = {
    // `insist` resends calls, because it knows which ones may be repeated.
    disableOfflineQueue: true,
    // A timer per command costs more than the command. A dead connection is detected by its silence.
    commandOptions: { timeout: undefined as unknown as number },
    pingInterval: PING_MS,
    socket: {
      socketTimeout: SILENCE_MS,
      connectTimeout: 5000,
      // Fail immediately at startup, to report a wrong address. Later, retry indefinitely.
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

/** A client that follows the current primary. It polls the Sentinels and is notified of changes. */
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
    // One is reserved for commands, which it sends without waiting for replies.
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

/** Comma-separated hosts, and the credentials. */
const partsOf = (url: string) => {
  const [, user, hosts = "", path = ""] = /^redis\+\w+:\/\/(?:([^@]*)@)?([^/]*)\/?([^?#]*)/.exec(url) ?? [];
  const [username, password] = (user ?? "").split(":").map(decodeURIComponent);
  const login = { ...(username && { username }), ...(password && { password }) };
  return { login, hosts: hosts.split(","), path: decodeURIComponent(path) };
};
