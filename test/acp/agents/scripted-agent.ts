import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
    close: async () => {
      await provider.close();
      for (const folder of [home, cwd])
        rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
};
