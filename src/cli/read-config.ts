import path from "node:path";
import { ConfigError, type LoadOptions, type LoadedConfig, loadConfig } from "../config.ts";
import { CommandError } from "./command.ts";
import { sharePackages } from "./share-packages.ts";

/** Another process, or this one, has the log open. */
export class LogInUse extends CommandError {}

/** Loads the configuration of a directory. Errors in it, or in opening its log, become CommandErrors without a stack trace. */
export const readConfig = async (directory: string, options?: LoadOptions): Promise<LoadedConfig> => {
  sharePackages(path.resolve(directory, options?.file ?? "runcast.config.ts"));
  try {
    const config = await loadConfig(directory, options);
    return { ...config, openLog: (name) => openLog(config, name) };
  } catch (error) {
    throw error instanceof ConfigError ? new CommandError(error.message, { cause: error }) : error;
  }
};

const openLog = async (config: LoadedConfig, name: string | undefined) => {
  try {
    return await config.openLog(name);
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    throw new (code === "log-in-use" ? LogInUse : CommandError)(message, { cause: error });
  }
};
