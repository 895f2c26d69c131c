import { createWriteStream, existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { writeArchive } from "../archive.ts";
import { type CliCommand, CommandError } from "./command.ts";
import { Unreachable, askServer } from "./ask-server.ts";
import { fileTrouble } from "./file-trouble.ts";
import { ownCommand } from "./own-command.ts";
import { readConfig } from "./read-config.ts";
import { LOCAL, serverAddress } from "./target.ts";

export const backup: CliCommand = {
  name: "backup",
  usage: "<file>",
  positionals: [1, 1],
  summary: "Saves all runs in a SQLite log to one tar archive while the server is running.",
  details: [
    "Uses the server at --url, RUNCAST_URL or http://127.0.0.1:4400, with a key that has the admin right. If no server is running there, it reads the log in this directory (.runcast/).",
    "For Redis and Postgres, use their own backup tools.",
  ].join("\n"),
  options: {
    url: { value: "address", help: `the server (default: ${LOCAL})` },
    key: { value: "key", help: "a key with the admin right (or RUNCAST_KEY)" },
  },
  run: async ({ positionals: [file = ""], options, environment, directory }) => {
    if (existsSync(file)) throw new CommandError(`${file} already exists; choose another name`);
    const base = serverAddress(options["url"], environment);
    const key = options["key"] ?? environment["RUNCAST_KEY"];
    const { bytes, close } = await fromServer(base, key).catch(async (error: unknown) => {
      if (!(error instanceof Unreachable) || options["url"] !== undefined) throw error;
      return await fromDirectory(directory, error);
    });
    // Rename only when complete.
    const unfinished = `${file}.unfinished`;
    try {
      await pipeline(bytes, createWriteStream(unfinished, { mode: 0o600 }));
      await rename(unfinished, file);
    } catch (error) {
      await rm(unfinished, { force: true });
      if ("path" in (error as object)) throw fileTrouble(error, file, "write");
      throw new CommandError(`the backup was cut off: ${(error as Error).message}`, { cause: error });
    } finally {
      await close();
    }
    process.stdout.write(`saved in ${file}; to restore it in another directory, run: ${ownCommand("restore", file)}\n`);
    return 0;
  },
};

interface Archive {
  readonly bytes: Readable;
  readonly close: () => Promise<void>;
}

const fromServer = async (base: string, key: string | undefined): Promise<Archive> => {
  const { body } = await askServer({ base }, "/admin/backup", { method: "POST", key });
  return { bytes: Readable.fromWeb(body as import("node:stream/web").ReadableStream), close: async () => {} };
};

const fromDirectory = async (directory: string, unreachable: Error): Promise<Archive> => {
  const config = await readConfig(directory);
  if (config.keepsFiles && !existsSync(config.directory)) throw unreachable;
  const { log } = await config.openLog();
  const files = log.backup?.();
  if (files) return { bytes: Readable.from(writeArchive(files)), close: () => log.close() };
  await log.close();
  throw new CommandError(`Runcast cannot back up the log ${log.name}: use the engine's own backup tools`);
};
