import { setTimeout as sleep } from "node:timers/promises";
import type { Entry } from "../events.ts";
import { type CliCommand, CommandError, type Input, UsageError } from "./command.ts";
import { readLogFile } from "./log-file.ts";
import { hasColor } from "./color.ts";
import { oneLine } from "./terminal-text.ts";
import { readLog } from "./read-log.ts";
import { createViewer } from "./viewer.ts";
import { describeRun } from "../view.ts";
import { messageOf } from "../message-of.ts";

export const replay: CliCommand = {
  name: "replay",
  usage: "<file|url|run>",
  positionals: [1, 1],
  summary: "Replays a run's log with its original timing.",
  options: {
    speed: { value: "number|max", help: "speed factor (default: 1); max plays without waiting" },
    from: { value: "seq", help: "shows everything up to this entry immediately" },
    key: { value: "key", help: "the server's key (or RUNCAST_KEY)" },
  },
  run: async (input) => {
    const { options, environment } = input;
    const [file = ""] = input.positionals;
    const speed = speedOf(options["speed"] ?? "1");
    const from = fromOf(options["from"] ?? "0");
    const entries = await read(file, input);
    const first = entries.find(({ seq }) => seq > from)?.at ?? 0;
    const began = Date.now();
    const clock = () => (speed === Infinity ? 0 : first + (Date.now() - began) * speed);
    const viewer = createViewer({ output: process.stdout, color: hasColor(process.stdout, environment), clock });
    const stop = new AbortController();
    const interrupt = () => stop.abort();
    // Restore the terminal when interrupted.
    process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
    try {
      for (const entry of entries) {
        const wait = entry.seq <= from || speed === Infinity ? 0 : (entry.at - first) / speed - (Date.now() - began);
        if (wait >= 1) await sleep(wait, undefined, { signal: stop.signal });
        viewer.add(entry);
      }
    } catch (error) {
      if (stop.signal.aborted) return 130;
      throw new CommandError(`${file}: ${oneLine(messageOf(error))}`);
    } finally {
      process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
      viewer.end();
    }
    return describeRun(viewer.state).hasSucceeded ? 0 : 1;
  },
};

const read = async (file: string, input: Input): Promise<Entry[]> => {
  const entries = [...readLogFile(await readLog(file, input))].map((found) => {
    if ("problem" in found) throw new CommandError(`${file}:${found.line}: ${oneLine(found.problem)}`);
    return found.entry;
  });
  if (entries.length === 0) throw new CommandError(`${file} has no entries`);
  return entries;
};

const speedOf = (text: string): number => {
  const speed = text === "max" ? Infinity : Number(text);
  if (!(speed > 0)) throw new UsageError(`--speed must be a number above 0, or max, not ${text}`);
  return speed;
};

const fromOf = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new UsageError(`--from must be the seq of an entry, not ${text}`);
  return Number(text);
};
