import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { z } from "zod";
import { dialects } from "./config/dialects.ts";
import {
  type LogName,
  type LogUrl,
  type OpenedLog,
  isLogName,
  isLogUrl,
  logs,
  logUrls,
  openLogAt,
} from "./config/logs.ts";
import { loadErrorText } from "./config/load-error.ts";
import { configSchema } from "./config/schema.ts";
import { validateServer } from "./config/validate-server.ts";
import type { Dialect } from "./dialect.ts";
import { engineAddress, type Log, type Retention } from "./log.ts";
import { didYouMean } from "./did-you-mean.ts";
import { demoAgent } from "./models/demo.ts";
import type { RunnerOptions } from "./runner.ts";
import type { ServerOptions } from "./server.ts";
import type { Source } from "./source.ts";
import { mistakes } from "./strict-fields.ts";

export type { OpenedLog };

/** The default export of `runcast.config.ts`. All fields are optional. */
export interface Config
  extends
    Pick<
      ServerOptions,
      "defaultAgent" | "host" | "port" | "basePath" | "key" | "keys" | "keyInPath" | "hosts" | "origins" | "publicUrl"
    >,
    Pick<ServerOptions, "jwt" | "frameAncestors" | "trustProxy" | "limits" | "secret" | "redact">,
    Pick<RunnerOptions, "timeoutMs" | "maxBytes" | "onEnd" | "prices"> {
  /** Agents by name. Default: the scripted demo. */
  readonly agents?: Readonly<Record<string, Source>>;
  /** A name, the URL of an engine that several servers share, or a log. Default: `sqlite`, in `.runcast/` next to the configuration. */
  readonly log?: Log | LogName | LogUrl;
  /** How long a server waits on SIGTERM for its runs to reach a safe point where another server can continue them. Default: 20 s. */
  readonly handOverMs?: number;
  /** The format of the server's output: text for people, or one JSON object per line. Default: `text`. */
  readonly logFormat?: "text" | "json";
  /** Whether JSON lines include error messages, which may quote the content of a run. Default: false. */
  readonly logMessages?: boolean;
  /** How long finished runs are kept. Default: 30 days for a new log, forever for a log with older runs. */
  readonly retention?: Retention;
  /** Private addresses, as `host:port`, of MCP servers that clients may ask the server to validate. Default: none. */
  readonly allowPrivate?: readonly string[];
  /** A JavaScript module with cards for the page, relative to the configuration: `./cards.js`. Default: none. */
  readonly cards?: string;
  /** Default: all built-in dialects. */
  readonly dialects?: readonly Dialect[];
}

/** Returns its argument. Provides types for the configuration. */
export const defineConfig = (config: Config): Config => config;

/** A loaded and validated configuration with defaults. */
export interface LoadedConfig extends Omit<Config, "agents" | "log" | "dialects"> {
  /** Absolute path. Undefined if there is no file. */
  readonly file: string | undefined;
  readonly agents: Readonly<Record<string, Source>>;
  /** Whether the configuration defines agents, rather than using the demo. */
  readonly hasOwnAgents: boolean;
  readonly dialects: readonly Dialect[];
  /** Opens the log: the named one (`memory`, `sqlite`, a URL), or the configured one. */
  openLog(name?: string): Promise<OpenedLog>;
  /** Whether the configured log is stored in `directory`. */
  readonly keepsFiles: boolean;
  /** Checks an MCP server for a client. */
  readonly validateServer: NonNullable<ServerOptions["validateServer"]>;
  /** The default directory of a log that stores files. */
  readonly directory: string;
}

/** An error in a configuration. The message names the file and the field, and states what is expected. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

export interface LoadOptions {
  /** A file to use instead of `runcast.config.ts`, `.js`, or `.mjs` in the directory. */
  readonly file?: string;
  /** The playback speed of the demo. Default: 1. */
  readonly demoSpeed?: number;
}

const FILES = ["runcast.config.ts", "runcast.config.js", "runcast.config.mjs"];

/** Rejects with a ConfigError if the file is missing, fails to run, or is invalid. */
export const loadConfig = async (directory: string, options: LoadOptions = {}): Promise<LoadedConfig> => {
  const file = options.file === undefined ? findConfigFile(directory) : path.resolve(directory, options.file);
  const checked = file === undefined ? {} : checkConfig(await importDefault(file), path.basename(file));
  const { agents = { demo: demoAgent({ speed: options.demoSpeed ?? 1 }) }, log = "sqlite", ...rest } = checked;
  const place = file === undefined ? directory : path.dirname(file);
  const home = path.join(place, ".runcast");
  return {
    dialects,
    ...rest,
    ...(rest.cards !== undefined && { cards: findCards(rest.cards, place, file) }),
    file,
    agents,
    hasOwnAgents: checked.agents !== undefined,
    directory: home,
    validateServer: validateServer(checked.allowPrivate),
    keepsFiles: log === "sqlite",
    openLog: async (name) => {
      const wanted = name ?? log;
      if (typeof wanted !== "string") return { log: wanted };
      if (isLogName(wanted)) return logs[wanted](home);
      if (isLogUrl(wanted)) return await openLogAt(wanted);
      const names = [...Object.keys(logs), ...logUrls];
      const shown = engineAddress(wanted);
      throw new ConfigError(`there is no log ${shown}; use one of ${names.join(", ")}${didYouMean(wanted, names)}`);
    },
  };
};

const findCards = (cards: string, place: string, file: string | undefined): string => {
  const found = path.resolve(place, cards);
  if (existsSync(found)) return found;
  throw new ConfigError(`${path.basename(file ?? "")}: cards names ${cards}, but there is no such file`);
};

/** The configuration in a directory, as an absolute path. Undefined if there is none. */
export const findConfigFile = (directory: string): string | undefined =>
  FILES.map((name) => path.resolve(directory, name)).find((file) => existsSync(file));

const importDefault = async (file: string): Promise<unknown> => {
  const name = path.basename(file);
  if (!existsSync(file)) throw new ConfigError(`${file}: there is no such file`);
  if (statSync(file).isDirectory()) throw new ConfigError(`${file}: this is a directory, not a file`);
  let module: { readonly default?: unknown };
  try {
    module = await import(pathToFileURL(file).href);
  } catch (error) {
    throw new ConfigError(loadErrorText(file, error), { cause: error });
  }
  if (module.default === undefined)
    throw new ConfigError(`${name}: has no default export; write: export default defineConfig({ … })`);
  return module.default;
};

/** Validates what a configuration file exports. `name` is used in messages. */
export const checkConfig = (config: unknown, name: string): z.infer<typeof configSchema> => {
  const result = configSchema.safeParse(config);
  if (!result.success)
    throw new ConfigError(
      mistakes(result.error, "the configuration")
        .map((text) => `${name}: ${text}`)
        .join("\n"),
    );
  const { agents, defaultAgent } = result.data;
  if (defaultAgent !== undefined && agents && !Object.hasOwn(agents, defaultAgent)) {
    const names = Object.keys(agents);
    const hint = didYouMean(defaultAgent, names) || `; use one of ${names.join(", ")}`;
    throw new ConfigError(`${name}: defaultAgent names ${defaultAgent}, which is not in agents${hint}`);
  }
  return result.data;
};
