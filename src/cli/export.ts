import { createWriteStream, existsSync } from "node:fs";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Command, CommandError, UsageError } from "./command.ts";
import { Unreachable, fetchLog } from "./fetch-log.ts";
import { readConfig } from "./read-config.ts";
import { type Target, parseTarget } from "./target.ts";

export const exportRun: Command = {
  name: "export",
  usage: "<url|run>",
  words: [1, 1],
  summary: "Writes a run's log, one JSON entry a line.",
  details:
    "Asks the server (for a bare id: RUNCAST_URL, default http://127.0.0.1:4400); where none runs, looks into .runcast/ here.",
  options: {
    output: { value: "file", help: "writes there instead of to standard output" },
    key: { value: "key", help: "the server's key (or RUNCAST_KEY)" },
  },
  run: async ({ words: [what = ""], options, environment, directory }) => {
    const target = parseTarget(what, environment);
    if (target.run === undefined) throw new UsageError(`${what} names no run: use …/runs/<run>`);
    const bytes = await fromServer(target, options["key"] ?? environment["RUNCAST_KEY"]).catch(
      async (error: unknown) => {
        if (!(error instanceof Unreachable) || !target.isBare) throw error;
        return await fromDirectory(directory, target.run!, error);
      },
    );
    const file = options["output"];
    const output: Writable = file === undefined ? process.stdout : createWriteStream(file);
    await pipeline(bytes, output, { end: file !== undefined });
    return 0;
  },
};

const fromServer = async (target: Target, key: string | undefined): Promise<Readable> => {
  const { body } = await fetchLog(target, key);
  return body ? Readable.fromWeb(body as import("node:stream/web").ReadableStream) : Readable.from([]);
};

const fromDirectory = async (directory: string, run: string, unreachable: Error): Promise<Readable> => {
  const config = await readConfig(directory);
  if (!existsSync(config.directory)) throw unreachable;
  const { log } = config.openLog();
  const info = await log.info(run);
  if (!info || info.dropped) {
    await log.close();
    throw new CommandError(info ? `run ${run} was dropped` : `there is no run ${run}, and ${unreachable.message}`);
  }
  const lines = async function* () {
    try {
      for (let after = 0; ;) {
        const entries = await log.read(run, after, 256);
        if (entries.length === 0) return;
        after = entries.at(-1)!.seq;
        yield entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
      }
    } finally {
      await log.close();
    }
  };
  return Readable.from(lines());
};
