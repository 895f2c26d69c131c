import { createReadStream, createWriteStream, existsSync, readdirSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { readArchive } from "../archive.ts";
import { type CliCommand, CommandError } from "./command.ts";
import { fileTrouble } from "./file-trouble.ts";
import { readConfig } from "./read-config.ts";

export const restore: CliCommand = {
  name: "restore",
  usage: "<file>",
  positionals: [1, 1],
  summary: "Restores a log from an archive created by runcast backup.",
  details: "Writes to the log's directory (.runcast/), which must be empty or not exist. Start the server afterwards.",
  options: { config: { value: "file", help: "the configuration (default: runcast.config.ts in this directory)" } },
  run: async ({ positionals: [file = ""], options, directory }) => {
    const named = options["config"];
    const config = await readConfig(directory, named === undefined ? {} : { file: named });
    const target = config.directory;
    if (!config.keepsFiles)
      throw new CommandError("this configuration's log is not in SQLite: restore it with the engine's own tools");
    if (!existsSync(file)) throw new CommandError(`there is no file ${file}`);
    if (existsSync(target) && readdirSync(target).length > 0)
      throw new CommandError(`${target} is not empty: move it out of the way first`);
    // Rename only when complete.
    const unfinished = `${target}.unfinished`;
    await rm(unfinished, { recursive: true, force: true });
    try {
      await unpack(file, unfinished);
      await rm(target, { recursive: true, force: true });
      await rename(unfinished, target);
    } catch (error) {
      await rm(unfinished, { recursive: true, force: true });
      if ("path" in (error as object)) throw fileTrouble(error, target, "write");
      throw new CommandError(`${file}: ${(error as Error).message}`, { cause: error });
    }
    const { log } = await config.openLog();
    await log.close();
    process.stdout.write(`restored to ${target}\n`);
    return 0;
  },
};

const unpack = async (file: string, directory: string): Promise<void> => {
  let count = 0;
  for await (const { name, bytes } of readArchive(createReadStream(file))) {
    const place = path.join(directory, name);
    await mkdir(path.dirname(place), { recursive: true, mode: 0o700 });
    await pipeline(bytes, createWriteStream(place));
    count += 1;
  }
  if (count === 0) throw new Error("this archive is empty");
};
