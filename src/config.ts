import { existsSync } from "node:fs";
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
import { configSchema } from "./config/schema.ts";
import { validateServer } from "./config/validate-server.ts";
import type { Dialect } from "./dialect.ts";
import { engineAddress, type Log, type Retention } from "./log.ts";
import { didYouMean } from "./did-you-mean.ts";
import { messageOf } from "./message-of.ts";
import { demoAgent } from "./models/demo.ts";
import type { RunnerOptions } from "./runner.ts";
import type { ServerOptions } from "./server.ts";
import type { Source } from "./source.ts";
import { mistakes } from "./strict-fields.ts";

export type { OpenedLog };

/** What `runcast.config.ts` exports as its default. Everything may be left out. */
export interface Config
  extends
    Pick<
      ServerOptions,
      "defaultAgent" | "host" | "port" | "basePath" | "key" | "keys" | "keyInPath" | "hosts" | "origins" | "publicUrl"
    >,
    Pick<ServerOptions, "jwt" | "frameAncestors" | "trustProxy" | "limits" | "secret" | "redact">,
    Pick<RunnerOptions, "timeoutMs" | "maxBytes" | "onEnd"> {
  /** By name. Default: the scripted demo. */
  readonly agents?: Readonly<Record<string, Source>>;
  /** A name, the URL of an engine that several servers share, or a log. Default: `sqlite`, in `.runcast/` beside the configuration. */
  readonly log?: Log | LogName | LogUrl;
  /** How long a server that gets SIGTERM waits for safe points at which another goes on with its runs. Default: 20 s. */
  readonly handOverMs?: number;
  /** What the server writes to its output: for people, or a JSON object a line. Default: `text`. */
  readonly logFormat?: "text" | "json";
  /** Whether JSON lines have the messages of errors, which may quote what a run holds. Default: no. */
  readonly logMessages?: boolean;
  /** How long finished runs are kept. Default: for ever. */
  readonly retention?: Retention;
  /** Private addresses, as `host:port`, that an MCP server may have which a client asks us to check. Default: none. */
  readonly allowPrivate?: readonly string[];
  /** A JavaScript module with cards for the page, beside the configuration: `./cards.js`. Default: none. */
  readonly cards?: string;
  /** Default: all that are built in. */
  readonly dialects?: readonly Dialect[];
}

/** Identity, for the types. */
export const defineConfig = (config: Config): Config => config;

/** A configuration that was read, checked and completed. */
export interface LoadedConfig extends Omit<Config, "agents" | "log" | "dialects"> {
  /** Absolute; undefined if there is none. */
  readonly file: string | undefined;
  readonly agents: Readonly<Record<string, Source>>;
  /** Whether the configuration has agents of its own, instead of the demo. */
  readonly hasOwnAgents: boolean;
  readonly dialects: readonly Dialect[];
  /** Opens the log: the one that is named here (`memory`, `sqlite`, a URL), or else the configuration's. */
  openLog(name?: string): Promise<OpenedLog>;
  /** Whether the configuration's log lies in `directory`. */
  readonly keepsFiles: boolean;
  /** Checks an MCP server for a client. */
  readonly validateServer: NonNullable<ServerOptions["validateServer"]>;
  /** Where a log that keeps files keeps them, unless it was given another place. */
  readonly directory: string;
}

/** A mistake in a configuration. The message names the file and the field, and says what is expected. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

export interface LoadOptions {
  /** Instead of `runcast.config.ts`, `.js` or `.mjs` in the directory. */
  readonly file?: string;
  /** How fast the demo plays. Default: 1. */
  readonly demoSpeed?: number;
}

const FILES = ["runcast.config.ts", "runcast.config.js", "runcast.config.mjs"];

/** Rejects with a ConfigError for a file that is missing, cannot be run, or says something wrong. */
export const loadConfig = async (directory: string, options: LoadOptions = {}): Promise<LoadedConfig> => {
  const file = options.file === undefined ? findFile(directory) : path.resolve(directory, options.file);
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
      throw new ConfigError(`there is no log ${shown}; there are: ${names.join(", ")}${didYouMean(wanted, names)}`);
    },
  };
};

const findCards = (cards: string, place: string, file: string | undefined): string => {
  const found = path.resolve(place, cards);
  if (existsSync(found)) return found;
  throw new ConfigError(`${path.basename(file ?? "")}: cards names ${cards}, but there is no such file`);
};

const findFile = (directory: string): string | undefined =>
  FILES.map((name) => path.resolve(directory, name)).find((file) => existsSync(file));

const importDefault = async (file: string): Promise<unknown> => {
  const name = path.basename(file);
  if (!existsSync(file)) throw new ConfigError(`${file}: there is no such file`);
  let module: { readonly default?: unknown };
  try {
    module = await import(pathToFileURL(file).href);
  } catch (error) {
    throw new ConfigError(`${name}${lineIn(file, error)}: cannot be run: ${messageOf(error)}`, { cause: error });
  }
  if (module.default === undefined)
    throw new ConfigError(`${name}: has no default export; write: export default defineConfig({ … })`);
  return module.default;
};

/** The line of the file that an error blames, as `:12`; empty if it blames none. */
const lineIn = (file: string, error: unknown): string => {
  const [, after = ""] = ((error as Error | undefined)?.stack ?? "").split(`${pathToFileURL(file).href}:`);
  const line = Number.parseInt(after, 10);
  return Number.isNaN(line) ? "" : `:${line}`;
};

/** Checks what a configuration file exports. `name` is for the messages. */
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
    const hint = didYouMean(defaultAgent, names) || `; there are: ${names.join(", ")}`;
    throw new ConfigError(`${name}: defaultAgent names ${defaultAgent}, which is not in agents${hint}`);
  }
  return result.data;
};
