import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { text as readAll } from "node:stream/consumers";
import { CommandError, type Input, UsageError } from "./command.ts";
import { fetchLog } from "./fetch-log.ts";
import { fileTrouble } from "./file-trouble.ts";
import { isRunId } from "../run-id.ts";
import { parseRunAddress } from "./target.ts";

/** The text of a log: from a file, from a run on a server (by address or id), or from standard input for `-`. */
export const readLog = async (what: string, { options, environment }: Input): Promise<string> => {
  if (what === "-") return await readAll(process.stdin);
  const key = options["key"] ?? environment["RUNCAST_KEY"];
  const fromServer = async () => {
    const target = parseRunAddress(what, environment);
    if (target.run === undefined) throw new UsageError(`${what} does not name a run: use …/runs/<run>`);
    const response = await fetchLog(target, key);
    return await response.text().catch((error: Error) => {
      throw new CommandError(`the response from ${target.base} was cut off: ${error.message}`, { cause: error });
    });
  };
  if (/^https?:\/\//.test(what)) return await fromServer();
  if (isRunId(what) && !existsSync(what))
    return await fromServer().catch((error: unknown) => {
      if (!(error instanceof CommandError)) throw error;
      throw new CommandError(`there is no file ${what}, and it cannot be read as a run: ${error.message}`, {
        cause: error,
      });
    });
  return await readFile(what, "utf8").catch((error: unknown) => {
    throw fileTrouble(error, what, "read");
  });
};
