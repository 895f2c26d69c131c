import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { LoadedConfig, OpenedLog } from "../config.ts";
import { exportHtml } from "../html-export.ts";
import { page } from "../page.ts";
import { lineSafe } from "../sse.ts";
import { type CliCommand, CommandError, UsageError } from "./command.ts";
import { Unreachable } from "./ask-server.ts";
import { fetchLog } from "./fetch-log.ts";
import { fileTrouble } from "./file-trouble.ts";
import { LogInUse, readConfig } from "./read-config.ts";
import { type RunAddress, parseRunAddress } from "./target.ts";
import { messageOf } from "../message-of.ts";

export const exportRun: CliCommand = {
  name: "export",
  usage: "<url|run>",
  positionals: [1, 1],
  summary: "Writes a run's log as one JSON entry per line, or as a page that plays it.",
  details:
    "Reads the run from its server (for a bare id: RUNCAST_URL, default http://127.0.0.1:4400). If no server is running there, reads a bare id from the log in this directory (.runcast/).",
  options: {
    html: { help: "writes one HTML file that plays the run offline; recognized secrets are removed" },
    output: { value: "file", help: "writes to this file instead of standard output" },
    key: { value: "key", help: "the server's key (or RUNCAST_KEY)" },
  },
  run: async ({ positionals: [what = ""], options, environment, directory }) => {
    const target = parseRunAddress(what, environment);
    if (target.run === undefined) throw new UsageError(`${what} does not name a run: use …/runs/<run>`);
    const format = options["html"] === undefined ? "jsonl" : "html";
    const bytes = await fromServer(target, options["key"] ?? environment["RUNCAST_KEY"], format).catch(
      async (error: unknown) => {
        if (!(error instanceof Unreachable) || !target.isBare) throw error;
        return await fromDirectory(directory, target.run!, error, format);
      },
    );
    const file = options["output"];
    // Open the file before reading: if both fail, the file is what the user can fix.
    const output = file === undefined ? process.stdout : await openFile(file);
    await pipeline(bytes, output, { end: file !== undefined }).catch((error: unknown) => {
      if (error instanceof CommandError) throw error;
      if (file !== undefined && (error as NodeJS.ErrnoException).syscall === "write")
        throw fileTrouble(error, file, "write");
      throw new CommandError(`only part of the run was written: ${messageOf(error)}`, { cause: error });
    });
    return 0;
  },
};

type Format = "jsonl" | "html";
type Bytes = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array>;

const openFile = async (file: string): Promise<Writable> => {
  try {
    return (await open(file, "w")).createWriteStream();
  } catch (error) {
    throw fileTrouble(error, file, "write");
  }
};

const fromServer = async (target: RunAddress, key: string | undefined, format: Format): Promise<Bytes> => {
  const { body } = await fetchLog(target, key, format);
  return (body as AsyncIterable<Uint8Array> | null) ?? [];
};

const fromDirectory = async (directory: string, run: string, unreachable: Error, format: Format): Promise<Bytes> => {
  const config = await readConfig(directory);
  if (config.keepsFiles && !existsSync(config.directory)) throw unreachable;
  const { log } = await openLog(config, run);
  const info = await log.info(run);
  if (!info || info.dropped) {
    await log.close();
    throw new CommandError(info ? `run ${run} was deleted` : `there is no run ${run}, and ${unreachable.message}`);
  }
  const lines = async function* () {
    try {
      if (format === "html") {
        const { redact } = config;
        yield await exportHtml(log, run, { script: await elementScript(), ...(redact && { redact }) });
        return;
      }
      for (let after = 0; ;) {
        const entries = await log.read(run, after, 256);
        if (entries.length === 0) return;
        after = entries.at(-1)!.seq;
        yield lineSafe(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
      }
    } finally {
      await log.close();
    }
  };
  return lines();
};

/** If the log is locked, the process that has it open is most likely the server of this run. */
const openLog = async (config: LoadedConfig, run: string): Promise<OpenedLog> => {
  try {
    return await config.openLog();
  } catch (error) {
    if (!(error instanceof LogInUse)) throw error;
    const address = `http://<host>:<port>/runs/${run}`;
    throw new CommandError(
      `the log in ${config.directory} is in use by a running server: export from that server, with ${address} or by setting RUNCAST_URL`,
      { cause: error },
    );
  }
};

const elementScript = async (): Promise<string> => {
  const found = await page()?.(new Request("http://localhost/element.js"));
  if (!found) throw new CommandError("the page was not built; build it with: npm run build");
  return await found.text();
};
