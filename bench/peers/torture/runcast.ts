import { mkdirSync } from "node:fs";
import path from "node:path";
import { drivers } from "../../../src/torture.ts";
import { serveCommand } from "../../../test/torture/serve-command.ts";
import { startPostgres } from "../../postgres.ts";
import { startRedis } from "../../redis.ts";
import type { Peer, SetUp } from "./peer.ts";

const root = path.join(import.meta.dirname, "../../..");

/** `runcast serve` with each of its logs, used through its own protocol. */
export const setUp: SetUp = async ({ directory, port }) => {
  const [redis, postgres] = [await startRedis(), await startPostgres()];
  const { version } = (await import(path.join(root, "package.json"), { with: { type: "json" } })).default as {
    version: string;
  };
  const peer = async (name: string, log: string, stop?: () => unknown): Promise<Peer> => {
    const free = await port();
    const url = `http://127.0.0.1:${free}`;
    const own = path.join(directory, name);
    mkdirSync(own);
    return {
      name: `Runcast (${name})`,
      versions: `runcast ${version}`,
      setUp: `\`runcast serve --log ${name.toLowerCase()}\`, in its own protocol. The agent does not look for thinking tags in text.`,
      url,
      command: serveCommand(own, free, log),
      driver: drivers["native"]!({ url }),
      ...(stop && { stop }),
    };
  };
  return [
    await peer("memory", "memory"),
    await peer("SQLite", "sqlite"),
    redis ? await peer("Redis", redis.url, redis.stop) : "Runcast (Redis) needs redis-server, which is not installed",
    postgres
      ? await peer("Postgres", postgres.url, postgres.stop)
      : "Runcast (Postgres) needs postgres, which is not installed",
  ];
};
