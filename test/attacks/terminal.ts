import { spawn } from "node:child_process";
import { text as readAll } from "node:stream/consumers";
import { controlCharacters, hostileEvents, terminalCommands } from "../hostile-events.ts";
import { type Attack, rounds } from "./attack.ts";
import { BOB } from "./users.ts";
import { cli, node, readRun, startRun } from "./target.ts";

const watch = async (program: string, args: readonly string[]): Promise<string> => {
  const child = spawn(program, args, {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, RUNCAST_KEY: BOB },
  });
  return await readAll(child.stdout);
};

/** Sequences that our own view never sends: titles, the clipboard, C1 controls, direction changes, hidden characters. */
// eslint-disable-next-line no-control-regex
const FOREIGN = /\x1b\][^8]|\x9b|\x9d|\x08|[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;

export const terminal: Attack = {
  name: "terminal: a run with commands for the terminals of its viewers",
  needs: "script",
  prepare: async ({ url }) => {
    const run = await startRun(url, BOB, "player", JSON.stringify(hostileEvents(terminalCommands)));
    await readRun(url, BOB, run);
    const args = [...node, cli, "watch", `${url}/runs/${run}`];
    const inTerminal = [process.execPath, ...args].map((word) => `'${word}'`).join(" ");
    return (report, signal) =>
      rounds(signal, async () => {
        const lines = (await watch(process.execPath, args)).split("\n");
        report.expect(lines.length > 5, `only ${lines.length} lines were shown`);
        for (const line of lines)
          report.expect(!controlCharacters.test(line), `a line with controls: ${JSON.stringify(line)}`);
        const live = await watch("script", ["-qec", inTerminal, "/dev/null"]);
        report.expect(live.includes("red"), `the live view shows nothing: ${live.slice(0, 200)}`);
        report.expect(!FOREIGN.test(live), `the live view sends ${JSON.stringify(FOREIGN.exec(live)?.[0])}`);
      });
  },
};
