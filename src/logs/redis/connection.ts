import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type * as Library from "redis";
import { engineAddress } from "../../log.ts";
import { type Argument, type Client, createClient } from "./client.ts";

/** A script, called by its hash. The server caches its text. */
export interface Script {
  readonly text: string;
  readonly hash: string;
}

export const script = (text: string): Script => ({ text, hash: createHash("sha1").update(text).digest("hex") });

/** The server did not answer in time. */
export class Unreachable extends Error {}

export interface RedisConnection {
  /** Whether keys have slots. */
  readonly isCluster: boolean;
  /** Runs a script on keys of one slot. Its values may depend on whether an earlier attempt may have been executed. */
  call<Reply>(
    script: Script,
    keys: readonly string[],
    values: readonly Argument[] | ((isRetry: boolean) => readonly Argument[]),
  ): Promise<Reply>;
  /** Sends an idempotent command. */
  command<Reply>(key: string, words: readonly Argument[], options?: { readonly bytes?: boolean }): Promise<Reply>;
  publish(channel: string, message: string): Promise<void>;
  close(): Promise<void>;
}

export interface ConnectionOptions {
  readonly url: string;
  readonly channel: string;
  readonly onMessage: (message: string) => void;
  /** Called when messages may have been missed. */
  readonly onGap: () => void;
}

/** How long a call waits for an unreachable server. */
const RETRY_MS = 30_000;

export const connect = async ({ url, channel, onMessage, onGap }: ConnectionOptions): Promise<RedisConnection> => {
  const library = await load();
  const client = createClient(library, url);
  const subscriber = client.duplicate();
  let hasConnected = false;
  for (const each of [client, subscriber]) each.on("error", () => {});
  const withHelp = (error: unknown) =>
    new Unreachable(`cannot reach Redis at ${engineAddress(url)}: ${reasonOf(error)}`, { cause: withoutUrl(error) });
  let closed = false;

  try {
    await client.connect();
    if (!client.isCluster) await checkVersion(client);
    await subscriber.connect();
    await subscriber.subscribe(channel, onMessage);
    hasConnected = true;
  } catch (error) {
    client.destroy();
    subscriber.destroy();
    throw withHelp(error);
  }
  // Messages published while disconnected are lost. The client resubscribes automatically.
  subscriber.on("ready", () => hasConnected && onGap());
  subscriber.on("node-ready", () => hasConnected && onGap());

  /** Sends until there is a reply. A broken connection does not reveal whether the call was executed. */
  const untilReply = async <Reply>(send: (isRetry: boolean) => Promise<Reply>): Promise<Reply> => {
    const start = performance.now();
    for (let tries = 0; ; tries++) {
      try {
        return await send(tries > 0);
      } catch (error) {
        if (!isTemporary(error, library)) throw error;
        if (closed || performance.now() - start > RETRY_MS) throw withHelp(error);
        await delay(Math.min(1000, 20 * 2 ** tries));
      }
    }
  };

  return {
    isCluster: client.isCluster,
    call: (wanted, keys, values) =>
      untilReply(async (isRetry) => {
        const args = [String(keys.length), ...keys, ...(typeof values === "function" ? values(isRetry) : values)];
        try {
          return await client.send(keys[0]!, ["EVALSHA", wanted.hash, ...args]);
        } catch (error) {
          if (!(error as Error).message?.startsWith("NOSCRIPT")) throw error;
          return await client.send(keys[0]!, ["EVAL", wanted.text, ...args]);
        }
      }),
    command: (key, words, { bytes = false } = {}) => untilReply(() => client.send(key, words, bytes)),
    publish: async (to, message) => {
      await untilReply(() => client.send(undefined, ["PUBLISH", to, message]));
    },
    async close() {
      closed = true;
      subscriber.destroy();
      await client.close();
    },
  };
};

const load = async (): Promise<typeof Library> => {
  try {
    return await import("redis");
  } catch (error) {
    throw new Error("a log in Redis needs the package redis: npm install redis", { cause: error });
  }
};

const checkVersion = async (client: Client) => {
  const info = await client.send<string>(undefined, ["INFO", "server"]);
  const [, version = ""] = /redis_version:(\S+)/.exec(info) ?? [];
  if (Number.parseInt(version, 10) < 7) throw new Error(`it is Redis ${version}, but Runcast needs Redis 7 or newer`);
};

/** Errors which mean that nothing was executed and a retry may succeed. */
const LATER = /^(LOADING|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|READONLY|BUSY|NOREPLICAS|MOVED|ASK) /;

const isTemporary = (error: unknown, { ErrorReply }: typeof Library): boolean =>
  error instanceof ErrorReply
    ? LATER.test(error.message)
    : error instanceof Error && !(error instanceof TypeError) && !(error instanceof RangeError);

const reasonOf = (error: unknown): string => {
  const { message, code, errors } = error as Error & { code?: string; errors?: Error[] };
  return message || errors?.[0]?.message || code || "no answer";
};

/** Some errors contain the request, including the password. */
const withoutUrl = (error: unknown): Error => new Error(reasonOf(error));
