import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Source } from "../../../src/source.ts";
import { acp } from "../../../src/sources/acp.ts";
import { startProvider } from "./provider.ts";
import { setUps } from "./setups.ts";

export const NOTES = "first line\nsecond line\nthird line\n";

export interface ScriptedAgent {
  readonly source: Source;
  readonly home: string;
  /** Where it works, with the files that the stories need. */
  readonly cwd: string;
  /** Writes these files as they are before each story. */
  reset(): void;
  /** The agent's processes, with those that it started, or only those of one program. */
  processes(program?: string): readonly number[];
  close(): Promise<void>;
}

/** A real coding agent whose model is scripted, with a home directory and a working directory of its own. */
export const startScriptedAgent = async (
  name: string,
  command: readonly [string, ...string[]],
): Promise<ScriptedAgent> => {
  const home = mkdtempSync(path.join(tmpdir(), `runcast-${name}-home-`));
  const cwd = mkdtempSync(path.join(tmpdir(), `runcast-${name}-`));
  const provider = await startProvider(cwd);
  const env = { HOME: home, ...setUps[name]!(home, provider.url, cwd) };
  return {
    source: acp({ command, cwd, env, sessions: path.join(home, "sessions.json") }),
    home,
    cwd,
    reset: () => {
      writeFileSync(path.join(cwd, "notes.txt"), NOTES);
      writeFileSync(path.join(cwd, "other.txt"), "something else\n");
    },
    processes: (program) => processesOf(home, program),
    close: async () => {
      await provider.close();
      for (const folder of [home, cwd])
        rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
};

/** Found by their home directory, not by command line: some agents change theirs, and other tests may run the same commands. */
const processesOf = (home: string, program?: string): readonly number[] =>
  readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const isIts = readFileSync(`/proc/${pid}/environ`, "utf8").includes(`HOME=${home}\0`);
      const [started = ""] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      return isIts && (program === undefined || path.basename(started) === program) ? [Number(pid)] : [];
    } catch {
      return [];
    }
  });
