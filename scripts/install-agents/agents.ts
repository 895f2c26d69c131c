import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";

/** A coding agent that tests run, pinned to a version known to pass. */
export interface PinnedAgent {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  /** The program inside the package, and its arguments. */
  readonly program: string;
  readonly args: readonly string[];
  /** Whether the program is not a Node.js script. */
  readonly isNative?: boolean;
  /** Whether the installation needs the package's own scripts. */
  readonly needsScripts?: boolean;
}

export const agents: readonly PinnedAgent[] = [
  {
    name: "gemini",
    package: "@google/gemini-cli",
    version: "0.61.0",
    program: "bundle/gemini.js",
    args: ["--acp"],
  },
  {
    name: "kimi",
    package: "@moonshot-ai/kimi-code",
    version: "2.1.0",
    program: "dist/main.mjs",
    args: ["acp"],
  },
  {
    name: "claude",
    package: "@agentclientprotocol/claude-agent-acp",
    version: "0.99.1",
    program: "dist/index.js",
    args: [],
    needsScripts: true,
  },
  {
    name: "codex",
    package: "@agentclientprotocol/codex-acp",
    version: "2.6.0",
    program: "dist/index.js",
    args: [],
    needsScripts: true,
  },
  {
    name: "opencode",
    package: "opencode-ai",
    version: "1.18.33",
    program: "bin/opencode.exe",
    args: ["acp"],
    isNative: true,
    needsScripts: true,
  },
];

/** Outside the checkout, so that one installation serves every later run on this machine. */
export const homeOf = ({ name }: { readonly name: string }): string =>
  path.join(
    process.env["RUNCAST_AGENTS_HOME"] ??
      path.join(process.env["XDG_CACHE_HOME"] ?? path.join(homedir(), ".cache"), "runcast/agents"),
    name,
  );

/** The command that starts the agent. Undefined if this version is not installed. */
export const commandOf = (agent: PinnedAgent): readonly [string, ...string[]] | undefined => {
  const folder = path.join(homeOf(agent), "node_modules", agent.package);
  const program = path.join(folder, agent.program);
  if (!existsSync(program)) return undefined;
  const { version } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as { version: string };
  if (version !== agent.version) return undefined;
  return agent.isNative ? [program, ...agent.args] : [process.execPath, program, ...agent.args];
};
