import { writeFile } from "node:fs/promises";
import path from "node:path";
import { didYouMean } from "../did-you-mean.ts";
import { drivers, reportTable, type Result, torture as play, trials } from "../torture.ts";
import { messageOf } from "../message-of.ts";
import { type CliCommand, CommandError, UsageError } from "./command.ts";
import { LOCAL, authorization } from "./target.ts";
import { oneLine } from "./terminal-text.ts";

const STAGE_PORT = 4411;

export const torture: CliCommand = {
  name: "torture",
  usage: "<url>",
  positionals: [1, 1],
  summary: "Tests a server with cuts, stalls, kills, approvals and hostile text.",
  details: [
    `The server's agent must use the scripted model and tools that docs/torture.md describes. They are at http://127.0.0.1:${STAGE_PORT}; with --command, their address is in TORTURE_URL.`,
    "<url> is the address that the dialect's clients use. Each trial ends with a verdict: yes, no or n/a. Exits with 1 if any verdict is no.",
  ].join("\n"),
  options: {
    command: { value: "command", help: "starts the server; some trials kill and restart it" },
    dialect: { value: "name", help: `its protocol: ${Object.keys(drivers).join(", ")} (default: native)` },
    agent: { value: "name", help: "the agent to run (default: the server's default agent)" },
    key: { value: "key", help: "the server's key (or RUNCAST_KEY)" },
    only: { value: "text", help: "only trials whose name contains this text; repeatable" },
    seed: { value: "number", help: "repeats the trials of an earlier report" },
    short: { help: "smaller trials: about half a minute in total" },
    json: { value: "file", help: "writes the report to a file, with evidence for every no" },
    "model-port": {
      value: "port",
      help: `the port of the scripted model, without --command (default: ${STAGE_PORT})`,
    },
  },
  run: async ({ positionals: [address = ""], options, values = {}, environment, directory }) => {
    const { command, dialect = "native", agent, json } = options;
    if (!URL.canParse(address) || !/^https?:/.test(address))
      throw new UsageError(`${address} is not a URL; use one such as ${LOCAL}`);
    const url = address.replace(/\/+$/, "");
    const drive = Object.hasOwn(drivers, dialect) ? drivers[dialect] : undefined;
    const names = Object.keys(drivers);
    if (!drive)
      throw new UsageError(`unknown dialect ${dialect}; use one of ${names.join(", ")}${didYouMean(dialect, names)}`);
    const wanted = values["only"] ?? [""];
    const only = trials.map(({ name }) => name).filter((name) => wanted.some((part) => name.includes(part)));
    if (only.length === 0)
      throw new UsageError(
        `no trial name contains ${wanted.join(" or ")}. The trials: ${trials.map(({ name }) => name).join(" ")}`,
      );
    const seed = options["seed"] === undefined ? undefined : wholeNumber("--seed", options["seed"]);
    const headers = authorization({ token: undefined }, options["key"] ?? environment["RUNCAST_KEY"]);
    const port = wholeNumber("--model-port", options["model-port"] ?? String(STAGE_PORT));
    // The "exit" listener that kills the server runs only on a regular exit.
    for (const [signal, code] of [
      ["SIGINT", 130],
      ["SIGTERM", 143],
    ] as const)
      process.once(signal, () => process.exit(code));
    const results: Result[] = [];
    const played = play({
      url,
      driver: drive({ url, headers, ...(agent !== undefined && { agent }) }),
      headers,
      isShort: options["short"] !== undefined,
      ...(command === undefined ? { stagePort: port } : { command }),
      only,
      ...(seed !== undefined && { seed }),
    });
    try {
      for await (const result of played) {
        results.push(result);
        process.stderr.write(`${result.verdict.padEnd(3)} ${result.trial}\n`);
      }
    } catch (error) {
      // The command does not start, or the port is taken.
      throw new CommandError(messageOf(error));
    }
    process.stdout.write(
      `${reportTable(results.map((result) => ({ ...result, because: oneLine(result.because) })))}\n`,
    );
    if (json !== undefined)
      await writeFile(path.resolve(directory, json), `${JSON.stringify({ url, dialect, results }, null, 2)}\n`);
    return results.some(({ verdict }) => verdict === "no") ? 1 : 0;
  },
};

const wholeNumber = (name: string, text: string): number => {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 0) throw new UsageError(`${name} must be a whole number`);
  return number;
};
