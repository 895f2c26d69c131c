import { type CliCommand, CommandError, UsageError, helpRows, helpText, readInput } from "./command.ts";
import { ownCommand } from "./own-command.ts";
import { quietWarnings } from "./quiet-warnings.ts";
import { version } from "./version.ts";
import { didYouMean } from "../did-you-mean.ts";

/** Commands are loaded on demand, so `check` does not wait for the server's code to load. */
const commands: ReadonlyMap<string, () => Promise<CliCommand>> = new Map([
  ["serve", async () => (await import("./serve.ts")).serve],
  ["watch", async () => (await import("./watch.ts")).watch],
  ["replay", async () => (await import("./replay.ts")).replay],
  ["export", async () => (await import("./export.ts")).exportRun],
  ["backup", async () => (await import("./backup.ts")).backup],
  ["restore", async () => (await import("./restore.ts")).restore],
  ["runs", async () => (await import("./runs.ts")).runs],
  ["keys", async () => (await import("./keys.ts")).keys],
  ["init", async () => (await import("./init.ts")).init],
  ["check", async () => (await import("./check.ts")).check],
  ["torture", async () => (await import("./torture.ts")).torture],
]);

const overview = async (): Promise<string> => {
  const all = await Promise.all([...commands.values()].map((load) => load()));
  return [
    `Usage: ${ownCommand("[command]", "[options]")}`,
    "",
    "Makes an AI agent's work visible while it happens. Without a command, it starts the server.",
    "",
    ...helpRows(all.map(({ name, usage, summary }) => [`${name} ${usage}`.trim(), summary])),
    "",
    `${ownCommand("<command>", "--help")} lists a command's options. --version prints the version.`,
  ].join("\n");
};

/** Returns the exit code. */
export const main = async (args: readonly string[]): Promise<number> => {
  const [name, ...rest] = withCommand(args);
  quietWarnings();
  process.stdout.on("error", leave);
  // There is nowhere else to report it.
  process.stderr.on("error", ignore);
  const say = (text: string) => void process.stdout.write(`${text}\n`);
  const isHelp = name === "--help" || name === "-h" || name === "help";
  if (isHelp && rest.length === 0) {
    say(await overview());
    return 0;
  }
  if (name === "--version" || name === "-v") {
    say(version());
    return 0;
  }
  const wanted = isHelp ? rest[0]! : name;
  const command = await commands.get(wanted)?.();
  try {
    if (!command) throw new UsageError(`unknown command ${wanted}${didYouMean(wanted, commands.keys())}`);
    const { help, ...input } = isHelp ? { help: true, positionals: [], options: {} } : readInput(command, rest);
    if (help) {
      say(helpText(command));
      return 0;
    }
    if (command.outlivesReader) process.stdout.on("error", ignore).off("error", leave);
    return await command.run({ ...input, environment: process.env, directory: process.cwd() });
  } catch (error) {
    const about = command ? `runcast ${command.name}` : "runcast";
    if (error instanceof UsageError) {
      const help = command
        ? `${ownCommand(command.name, "--help")} lists the options`
        : `${ownCommand("help")} lists the commands`;
      process.stderr.write(`${about}: ${error.message}\n${help}\n`);
      return 2;
    }
    const text = error instanceof CommandError ? error.message : error instanceof Error ? error.stack : String(error);
    process.stderr.write(`${about}: ${text}\n`);
    return 1;
  }
};

const ABOUT = ["--help", "-h", "--version", "-v"];

/** Without a command, `runcast` does what `npm start` does in a clone. Options alone are those of `serve`. */
const withCommand = (args: readonly string[]): readonly [string, ...string[]] => {
  const [name, ...rest] = args;
  return name === undefined || (name.startsWith("-") && !ABOUT.includes(name)) ? ["serve", ...args] : [name, ...rest];
};

/** A reader that closes the pipe early (`| head`) is not an error. */
const leave = (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1);
const ignore = () => {};
