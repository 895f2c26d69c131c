import { writeFile } from "node:fs/promises";
import path from "node:path";
import { didYouMean } from "../did-you-mean.ts";
import { drivers, reportTable, type Result, torture as play, trials } from "../torture.ts";
import { messageOf } from "../message-of.ts";
import { type CliCommand, CommandError, UsageError } from "./command.ts";
import { authorization } from "./target.ts";
import { oneLine } from "./terminal-text.ts";

const STAGE_PORT = 4411;

export const torture: CliCommand = {
  name: "torture",
  usage: "<url>",
  words: [1, 1],
  summary:
    "Puts a server through named trials: cuts, stalls, kills, approvals, hostile text; a yes, a no or a number each.",
  details: [
    "The server's agent must ask the kit's scripted model and have the kit's tools: docs/torture.md says how. A server that is",
    `started elsewhere finds the model at http://127.0.0.1:${STAGE_PORT}; one that --command starts finds it in TORTURE_URL.`,
    "The url is the one that a client of the dialect is given. Ends with 1 if any verdict is no.",
  ].join("\n"),
  options: {
    command: { value: "command", help: "starts the server, which is then killed and started again by some trials" },
    dialect: { value: "name", help: `how to speak to it: ${Object.keys(drivers).join(", ")} (default: native)` },
    agent: { value: "name", help: "the agent to ask (default: the server's own)" },
    key: { value: "key", help: "the server's key (or RUNCAST_KEY)" },
    only: { value: "words", help: "only trials whose name has these words; may be given more than once" },
    seed: { value: "number", help: "repeats what a seed has shown" },
    short: { help: "less of everything: about a minute" },
    json: { value: "file", help: "writes the report, with evidence for every no" },
    "model-port": {
      value: "port",
      help: `where the scripted model listens without --command (default: ${STAGE_PORT})`,
    },
  },
  run: async ({ words: [address = ""], options, values = {}, environment, directory }) => {
    const { command, dialect = "native", agent, json } = options;
    if (!URL.canParse(address) || !/^https?:/.test(address)) throw new UsageError(`${address} is no address`);
    const url = address.replace(/\/+$/, "");
    const drive = Object.hasOwn(drivers, dialect) ? drivers[dialect] : undefined;
    if (!drive) throw new UsageError(`there is no dialect ${dialect} here${didYouMean(dialect, Object.keys(drivers))}`);
    const wanted = values["only"] ?? [""];
    const only = trials.map(({ name }) => name).filter((name) => wanted.some((part) => name.includes(part)));
    if (only.length === 0)
      throw new UsageError(
        `no trial has ${wanted.join(" or ")} in its name: ${trials.map(({ name }) => name).join(" ")}`,
      );
    const seed = options["seed"] === undefined ? undefined : wholeNumber("--seed", options["seed"]);
    const headers = authorization({ token: undefined }, options["key"] ?? environment["RUNCAST_KEY"]);
    const port = wholeNumber("--model-port", options["model-port"] ?? String(STAGE_PORT));
    // The server that the command has started ends with this process.
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
