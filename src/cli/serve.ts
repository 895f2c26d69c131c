import { existsSync, statSync } from "node:fs";
import { createServer as createSocketServer } from "node:net";
import path from "node:path";
import type { LoadedConfig, OpenedLog } from "../config.ts";
import { messageOf } from "../message-of.ts";
import { page } from "../page.ts";
import type { EndedRun } from "../runner.ts";
import { type RuncastServer, createServer } from "../server.ts";
import { surviveStrayErrors } from "../stray-errors.ts";
import { counted } from "../view.ts";
import { type CliCommand, CommandError, UsageError } from "./command.ts";
import { greeting } from "./greeting.ts";
import { createJsonLines, type JsonLines } from "../json-lines.ts";
import { ownCommand } from "./own-command.ts";
import { LogInUse, readConfig } from "./read-config.ts";
import { type KeptRuns, keptRuns } from "./retention.ts";
import { unreadyAgents } from "./unready-agents.ts";
import { version } from "./version.ts";
import { withAssistant } from "./with-assistant.ts";
import { notThisMachine, withKey } from "./with-key.ts";

export const serve: CliCommand = {
  name: "serve",
  usage: "",
  positionals: [0, 0],
  summary: "Starts the server, with the agents in runcast.config.ts.",
  details: [
    "Without a configuration, it offers a scripted demo, and an assistant if it finds a model. It looks for --model, RUNCAST_MODEL, a provider whose key is set, and a model server on this machine, in this order.",
    "The port is --port, PORT, the configuration's port or 4400, in this order. Variables are also read from .env. RUNCAST_DEMO_SPEED sets how fast the demo plays.",
  ].join("\n"),
  options: {
    port: { value: "number", help: "0 uses any free port (default: 4400)" },
    host: {
      value: "address",
      help: "the address to listen on (default: 127.0.0.1); any other requires a key: RUNCAST_KEY, or one in the configuration",
    },
    origin: {
      value: "origin",
      help: "the origin of another page that may use this server, such as http://localhost:5173",
    },
    log: { value: "name", help: "memory, sqlite, or a URL: redis://…, postgres://… (default: sqlite, in .runcast/)" },
    "log-format": { value: "format", help: "text, or json: a line for each run, refusal and problem (default: text)" },
    model: { value: "name", help: "the assistant's model, as <provider>/<model>; demo: only the scripted demo" },
    config: { value: "file", help: "the configuration (default: runcast.config.ts in this directory)" },
  },
  outlivesReader: true,
  run: async ({ options, environment, directory }) => {
    const demoSpeed = speedOf(environment["RUNCAST_DEMO_SPEED"]);
    const file = options["config"];
    readVariables(directory);
    const read = await readConfig(directory, { demoSpeed, ...(file !== undefined && { file }) });
    const host = options["host"] ?? read.host ?? "127.0.0.1";
    const keyed = await withKey(read, host, environment);
    const { config, note } = await withAssistant(keyed, options["model"], environment);
    const flagged = options["port"];
    const asked = flagged === undefined ? portOf(environment["PORT"] || undefined, "PORT") : portOf(flagged, "--port");
    const port = asked ?? config.port ?? 4400;
    const opened = await openLog(config, options["log"], host, port);
    const lines = linesOf(options["log-format"] ?? config.logFormat, config.logMessages);
    const report = reporter(lines);
    surviveStrayErrors((error) => report(error, "uncaught error; the server continues: "));
    const settings = serverOptions(withOrigin(config, options["origin"]), opened, report, lines);
    const server = createServer({ ...settings, host, port });
    try {
      const recovered = await server.recover();
      const { url } = await listen(server, host, port);
      const kept = await keptRuns(config, opened.log);
      const dropped = await retain(kept, opened);
      const unready = await unreadyAgents(config.agents);
      const hasPage = settings.page !== undefined;
      const startup = { url, hasPage, recovered, dropped, kept: kept.text, environment, note, unready };
      const greetingText = await greeting(config, opened, startup);
      // Install the signal handlers first: a process that reads the greeting may stop this one immediately.
      const stopped = untilStopped(server, config, opened, kept, report, lines);
      if (lines) lines.line("info", "server-start", { url, version: version(), recovered, dropped });
      else process.stdout.write(greetingText);
      await stopped;
    } finally {
      await opened.log.close();
    }
    // A resource that an agent keeps open, such as a server it started, must not keep a stopped server alive.
    setTimeout(() => process.exit(), EXIT_GRACE_MS).unref();
    return 0;
  },
};

/** Variables that are already set take precedence over the file. */
const readVariables = (directory: string): void => {
  const file = path.join(directory, ".env");
  if (!existsSync(file)) return;
  try {
    process.loadEnvFile(file);
  } catch (error) {
    if (statSync(file).isDirectory()) throw new CommandError(`${file} is a directory, not a file; remove it`);
    throw new CommandError(`${file} cannot be read: ${messageOf(error)}`);
  }
};

const withOrigin = (config: LoadedConfig, origin: string | undefined): LoadedConfig => {
  if (origin === undefined) return config;
  if (URL.parse(origin)?.origin !== origin.replace(/\/$/, ""))
    throw new UsageError(`--origin must be an origin such as http://localhost:5173, not ${origin}`);
  return { ...config, origins: [...(config.origins ?? []), origin] };
};

/** Undefined for the text format. */
const linesOf = (format: string | undefined, withMessages = false): JsonLines | undefined => {
  if (format !== undefined && format !== "text" && format !== "json")
    throw new UsageError(`--log-format must be text or json, not ${format}`);
  return format === "json" ? createJsonLines((line) => void process.stdout.write(line), withMessages) : undefined;
};

type Report = (error: unknown, about?: string) => void;

const reporter =
  (lines: JsonLines | undefined): Report =>
  (error, about) => {
    if (lines) return lines.problem(error, about === undefined ? "problem" : "stray-error");
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`runcast: ${about ?? ""}${text}\n`);
  };

const serverOptions = (config: LoadedConfig, { log }: OpenedLog, report: Report, lines: JsonLines | undefined) => {
  const { agents, dialects, defaultAgent, key, keys, keyInPath, hosts, origins, basePath, publicUrl } = config;
  const { frameAncestors } = config;
  const { jwt, trustProxy, limits, secret, redact, onEnd, timeoutMs, maxBytes, prices, validateServer } = config;
  return {
    agents,
    dialects,
    log,
    version: version(),
    validateServer,
    ...present({
      page: page({ cards: config.cards }),
      defaultAgent,
      key,
      keys,
      jwt,
      keyInPath,
      hosts,
      origins,
      frameAncestors,
      trustProxy,
      basePath,
      publicUrl,
      limits,
      secret,
      redact,
    }),
    runner: {
      ...present({ timeoutMs, maxBytes, prices, observe: lines?.observe }),
      onEnd: (ended: EndedRun) => {
        lines?.runEnded(ended);
        return onEnd?.(ended);
      },
      onProblem: (error: unknown) => report(error),
    },
    ...(lines && { onRefused: lines.refused }),
    onProblem: ({ error }: { error: unknown }) => report(error),
  };
};

const present = <Value extends object>(value: Value) =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as {
    [Key in keyof Value]?: NonNullable<Value[Key]>;
  };

const openLog = async (
  config: LoadedConfig,
  name: string | undefined,
  host: string,
  port: number,
): Promise<OpenedLog> => {
  try {
    return await config.openLog(name);
  } catch (error) {
    if (!(error instanceof LogInUse)) throw error;
    const too = (await isTaken(host, port)) ? ` (port ${port} is also in use, probably by the same process)` : "";
    throw new CommandError(
      `the log in ${config.directory} is in use by another Runcast server${too}: stop that one, start this one in another directory, ` +
        "or keep its runs in memory: --log memory",
      { cause: error },
    );
  }
};

const isTaken = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createSocketServer();
    socket.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code === "EADDRINUSE"));
    socket.listen(port, host, () => socket.close(() => resolve(false)));
  });

const listen = async (server: RuncastServer, host: string, port: number): Promise<{ url: string }> => {
  try {
    return await server.listen();
  } catch (error) {
    await server.close().catch(() => {});
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE")
      throw new CommandError(
        `port ${port} is in use; choose another: ${ownCommand("serve", "--port", `${port === 65_535 ? 0 : port + 1}`)}`,
      );
    if (code === "EACCES")
      throw new CommandError(`you do not have permission to use port ${port}; choose one above 1023: --port 4400`);
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") throw notThisMachine(host);
    throw new CommandError(message, { cause: error });
  }
};

const HOUR = 3_600_000;

const retain = async ({ policy }: KeptRuns, { log }: OpenedLog): Promise<number> =>
  policy ? await log.retain(policy, Date.now()) : 0;

/** npm and its wrapper forward a terminal's Ctrl-C, so one press may arrive several times. */
const SAME_PRESS_MS = 500;

/** How long agents' hooks and connections may take after everything else is closed. */
const EXIT_GRACE_MS = 1000;

/** How long to wait on SIGTERM for runs to reach a safe point. */
const HAND_OVER_MS = 20_000;

/** How long all other cleanup may take. A log that does not respond must not keep the process alive. */
const CLOSE_MS = 15_000;

/** SIGINT interrupts runs, because the user wants them to stop. SIGTERM hands them over, because the process is being replaced. */
const untilStopped = async (
  server: RuncastServer,
  config: LoadedConfig,
  opened: OpenedLog,
  kept: KeptRuns,
  report: Report,
  lines: JsonLines | undefined,
): Promise<void> => {
  const timer = setInterval(() => void retain(kept, opened).catch((error: unknown) => report(error)), HOUR);
  const signal = await new Promise<NodeJS.Signals>((resolve) => {
    let pressed = 0;
    const stop = (by: NodeJS.Signals) => {
      if (pressed > 0 && Date.now() - pressed < SAME_PRESS_MS) return;
      if (pressed > 0) process.exit(130);
      pressed = Date.now();
      resolve(by);
    };
    process.on("SIGINT", stop).on("SIGTERM", stop);
  });
  clearInterval(timer);
  const { handOverMs = HAND_OVER_MS } = config;
  const isHandedOver = signal === "SIGTERM" && opened.log.isLasting && server.runner.active > 0;
  const runs = isHandedOver
    ? `; handing over ${counted(server.runner.active, "run")} for up to ${handOverMs / 1000} s`
    : "";
  if (lines) lines.line("info", "server-stop", { signal, runs: server.runner.active, handsOver: isHandedOver });
  else process.stdout.write(`runcast: stopping${runs}; press Ctrl-C again to stop immediately\n`);
  setTimeout(() => process.exit(1), (isHandedOver ? handOverMs : 0) + CLOSE_MS).unref();
  await server.close(isHandedOver ? { handOverMs } : {});
};

const portOf = (text: string | undefined, name: string): number | undefined => {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new UsageError(`${name} must be a number from 0 to 65535, not ${text}`);
  return port;
};

const speedOf = (text: string | undefined): number => {
  const speed = text === undefined ? 1 : text === "max" ? Infinity : Number(text);
  if (!(speed > 0)) throw new UsageError(`RUNCAST_DEMO_SPEED must be a number above 0, or max, not ${text}`);
  return speed;
};
