#!/usr/bin/env node
import { type Command, CommandError, UsageError, helpText, readInput } from "./cli/command.ts";
import { version } from "./cli/version.ts";
import { didYouMean } from "./did-you-mean.ts";

/** Each is loaded when it is wanted: to check a file nobody should wait for a server's code. */
const commands: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ["serve", async () => (await import("./cli/serve.ts")).serve],
  ["watch", async () => (await import("./cli/watch.ts")).watch],
  ["replay", async () => (await import("./cli/replay.ts")).replay],
  ["export", async () => (await import("./cli/export.ts")).exportRun],
  ["check", async () => (await import("./cli/check.ts")).check],
]);

const overview = async (): Promise<string> => {
  const all = await Promise.all([...commands.values()].map((load) => load()));
  return [
    "runcast <command> [options]",
    "",
    "Makes an AI agent's work visible while it happens.",
    "",
    ...all.map(({ name, usage, summary }) => `  ${`${name} ${usage}`.padEnd(20)}  ${summary}`),
    "",
    "runcast <command> --help says more about one; runcast --version says which this is.",
  ].join("\n");
};

const main = async ([name, ...rest]: readonly string[]): Promise<number> => {
  const say = (text: string) => void process.stdout.write(`${text}\n`);
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    const asked = await commands.get(rest[0] ?? "")?.();
    say(asked ? helpText(asked) : await overview());
    return name === undefined ? 2 : 0;
  }
  if (name === "--version" || name === "-v") {
    say(version());
    return 0;
  }
  const command = await commands.get(name)?.();
  try {
    if (!command) {
      const kind = name.startsWith("-") ? "option" : "command";
      throw new UsageError(`there is no ${kind} ${name}${didYouMean(name, commands.keys())}`);
    }
    const { help, ...input } = readInput(command, rest);
    if (help) {
      say(helpText(command));
      return 0;
    }
    if (command.outlivesReader) process.stdout.on("error", ignore).off("error", leave);
    return await command.run({ ...input, environment: process.env, directory: process.cwd() });
  } catch (error) {
    const about = command ? `runcast ${command.name}` : "runcast";
    if (error instanceof UsageError) {
      process.stderr.write(`${about}: ${error.message}\n${about} --help says what there is\n`);
      return 2;
    }
    const text = error instanceof CommandError ? error.message : error instanceof Error ? error.stack : String(error);
    process.stderr.write(`${about}: ${text}\n`);
    return 1;
  }
};

/** A reader that has had enough (`| head`) is no failure. */
const leave = (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1);
const ignore = () => {};
process.stdout.on("error", leave);
// There is no other place to tell it.
process.stderr.on("error", ignore);
process.exitCode = await main(process.argv.slice(2));
