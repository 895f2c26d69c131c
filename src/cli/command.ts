import { type ParseArgsConfig, parseArgs } from "node:util";
import { didYouMean } from "../did-you-mean.ts";
import { ownCommand } from "./own-command.ts";
import { wrap } from "./terminal-text.ts";

export interface CliCommand {
  readonly name: string;
  readonly summary: string;
  /** The text after the name in the usage line, such as `<file>`. */
  readonly usage: string;
  /** The minimum and maximum number of positional arguments. */
  readonly positionals: readonly [least: number, most: number];
  readonly details?: string;
  readonly options: Readonly<Record<string, Option>>;
  /** Whether the command keeps running after its standard output is closed. */
  readonly outlivesReader?: boolean;
  /** Returns the exit code. */
  run(input: Input): Promise<number>;
}

interface Option {
  /** The name of its value. Without one, the option is a switch. */
  readonly value?: string;
  readonly help: string;
}

export interface Input {
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, string | undefined>>;
  /** All values of each option, for options that may be repeated. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  readonly environment: NodeJS.ProcessEnv;
  readonly directory: string;
}

/** The command line is invalid. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The command line is valid, but the command failed. The message is meant for the user. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** Parses the arguments of a command. Throws a UsageError that names the problem and suggests a correction. */
export const readInput = (
  command: CliCommand,
  args: readonly string[],
): Pick<Input, "positionals" | "options" | "values"> & { help: boolean } => {
  const known: NonNullable<ParseArgsConfig["options"]> = { help: { type: "boolean", short: "h" } };
  for (const [name, { value }] of Object.entries(command.options)) known[name] = { type: value ? "string" : "boolean" };
  const { tokens } = parseArgs({
    args: [...args],
    options: known,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const positionals: string[] = [];
  const options: Record<string, string | undefined> = {};
  const values: Record<string, string[]> = {};
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const option = Object.hasOwn(known, token.name) ? known[token.name] : undefined;
    if (!option) {
      const names = Object.keys(known).map((name) => `--${name}`);
      throw new UsageError(`unknown option ${token.rawName}${didYouMean(token.rawName, names)}`);
    }
    if (option.type === "string" && token.value === undefined)
      throw new UsageError(`${token.rawName} needs a value: ${token.rawName} <${command.options[token.name]?.value}>`);
    if (option.type === "boolean" && token.value !== undefined) throw new UsageError(`${token.rawName} takes no value`);
    options[token.name] = token.value ?? "";
    (values[token.name] ??= []).push(token.value ?? "");
  }
  const help = options["help"] !== undefined;
  const [least, most] = command.positionals;
  if (!help && positionals.length < least) throw new UsageError(`${command.usage} is missing`);
  if (!help && positionals.length > most) throw new UsageError(`unexpected argument ${positionals[most]}`);
  return { positionals, options, values, help };
};

export const helpText = ({ name, usage, summary, details, options }: CliCommand): string => {
  const all: Readonly<Record<string, Option>> = { ...options, help: { help: "show this help" } };
  const rows = Object.entries(all).map(
    ([option, { value, help }]) => [`--${option}${value ? ` <${value}>` : ""}`, help] as const,
  );
  return [
    `Usage: ${ownCommand(name, ...(usage ? [usage] : []), "[options]")}`,
    "",
    summary,
    ...(details ? ["", ...wrap(details.replaceAll("\n", "\n\n"), helpWidth())] : []),
    "",
    ...helpRows(rows),
  ].join("\n");
};

/** Names and descriptions, in two columns. */
export const helpRows = (rows: readonly (readonly [name: string, help: string])[]): readonly string[] => {
  const left = Math.max(...rows.map(([name]) => name.length)) + 4;
  return rows.flatMap(([name, help]) =>
    wrap(help, Math.max(30, helpWidth() - left)).map(
      (line, index) => `${(index === 0 ? `  ${name}` : "").padEnd(left)}${line}`,
    ),
  );
};

const helpWidth = (): number => Math.min(process.stdout.columns || 100, 100);
