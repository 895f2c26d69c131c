import { lookup } from "node:dns/promises";
import path from "node:path";
import type { LoadedConfig } from "../config.ts";
import { CommandError } from "./command.ts";

export const notThisMachine = (host: string): CommandError =>
  new CommandError(`${host} is not an address of this machine; choose another: --host 127.0.0.1`);

/**
 * A server that others can reach needs a key. If the configuration does not mention one, RUNCAST_KEY is the key, so
 * a container needs no file. On a loopback address, RUNCAST_KEY is only for commands that call a server.
 */
export const withKey = async (
  config: LoadedConfig,
  host: string,
  { RUNCAST_KEY }: NodeJS.ProcessEnv,
): Promise<LoadedConfig> => {
  const { address } = await lookup(host).catch(() => {
    throw notThisMachine(host);
  });
  const isPublic = !/^(127\.|::1$)/.test(address);
  if (!isPublic || config.key !== undefined || config.keys !== undefined || config.jwt !== undefined) return config;
  const needs = `listening on ${host}, which others can reach, needs`;
  if ("key" in config)
    throw new CommandError(
      `${path.basename(config.file ?? "")}: key is undefined, and ${needs} one; ` +
        "set it (is an environment variable missing?), or listen on 127.0.0.1",
    );
  if (!RUNCAST_KEY)
    throw new CommandError(
      `${needs} a key: set RUNCAST_KEY (in the environment or in .env) or the key setting in runcast.config.ts, or listen on 127.0.0.1`,
    );
  if (!/^\S{8,}$/.test(RUNCAST_KEY))
    throw new CommandError("RUNCAST_KEY must have at least 8 characters and no spaces");
  return { ...config, key: RUNCAST_KEY };
};
