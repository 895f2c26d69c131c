import type { Entry } from "../events.ts";
import { createState, fold } from "../state.ts";
import { type Violation, verify } from "../verify.ts";
import { counted, describeRun, timeText } from "../view.ts";
import { checkAgent, type Verdict } from "./check-agent.ts";
import { type CliCommand, type Input, UsageError } from "./command.ts";
import { readLogFile } from "./log-file.ts";
import { readLog } from "./read-log.ts";
import { oneLine } from "./terminal-text.ts";

export const check: CliCommand = {
  name: "check",
  usage: "<file|url|run>",
  positionals: [1, 1],
  summary: "Checks that a log is a complete and valid run, and explains the first error.",
  details:
    "Reads one JSON entry per line, or a stream saved by `curl -N`. Use - for standard input. Exits with 0 if the log is valid, and with 1 otherwise.",
  options: {
    key: { value: "key", help: "the server's key (or RUNCAST_KEY)" },
    agent: { help: "treats the address as an agent you wrote: sends it a message and checks the events it returns" },
    message: { value: "text", help: 'what --agent sends (default: "Hello")' },
  },
  run: async (input) => {
    const [what = ""] = input.positionals;
    if (input.options["agent"] !== undefined) return print(await checkAgentAt(what, input));
    if (input.options["message"] !== undefined) throw new UsageError("--message requires --agent");
    return print(checkText(await readLog(what, input), what === "-" ? "standard input" : what));
  },
};

const print = ({ ok, message }: Verdict): number => {
  (ok ? process.stdout : process.stderr).write(`${message}\n`);
  return ok ? 0 : 1;
};

const checkAgentAt = async (url: string, { options, environment }: Input): Promise<Verdict> => {
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw new UsageError(`${url} is not an agent's address: use one such as http://127.0.0.1:8000`);
  const key = options["key"] ?? environment["RUNCAST_KEY"];
  return await checkAgent(
    url,
    options["message"] ?? "Hello",
    key === undefined ? {} : { authorization: `Bearer ${key}` },
  );
};

/** Checks the text of a log and formats the verdict. */
export const checkText = (text: string, name: string): Verdict => {
  const seen: Entry[] = [];
  let line = 0;
  let problem: string | undefined;
  const entries = function* () {
    for (const found of readLogFile(text)) {
      line = found.line;
      if ("problem" in found) return void (problem = found.problem);
      seen.push(found.entry);
      yield found.entry;
    }
  };
  const violation: Violation | undefined = verify(entries());
  const place = `${name}:${line}`;
  if (problem !== undefined) return { ok: false, message: `${place}: ${oneLine(problem)}` };
  if (seen.length === 0) return { ok: false, message: `${name} has no entries` };
  if (violation) {
    const { seq, message } = violation;
    const isShort = seq > seen.at(-1)!.seq;
    const where = isShort ? `${place}: after seq ${seq - 1}` : `${place}: seq ${seq}`;
    const hint = isShort ? " (it was cut off, or the run has not ended)" : "";
    return { ok: false, message: `${where}: ${oneLine(message)}${hint}` };
  }
  return { ok: true, message: `ok: ${summary(seen)}` };
};

const summary = (entries: readonly Entry[]): string => {
  const count = (type: string) => entries.filter(({ event }) => event.type === type).length;
  const counts = [
    counted(entries.length, "entry"),
    counted(count("step-start"), "step"),
    counted(count("tool-start"), "call"),
  ];
  if (count("agent-start")) counts.push(counted(count("agent-start"), "sub-agent"));
  if (count("ask-start")) counts.push(counted(count("ask-start"), "ask"));
  const state = createState();
  for (const entry of entries) fold(state, entry);
  const { badge, time } = describeRun(state);
  const took = timeText(time, entries.at(-1)!.at);
  return `${counts.join(", ")}, ${badge.word}${took && ` in ${took}`}`;
};
