import { randomUUID } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { type AgentFacts, Refusal, type Source } from "../source.ts";
import { mistakes, strictFields } from "../strict-fields.ts";
import { startProcess } from "./acp/agent-process.ts";
import { AgentRun } from "./acp/agent-run.ts";
import type { Session } from "./acp/connection.ts";
import { environmentOf } from "./acp/environment.ts";
import { endLeftBehind, ownerVariable } from "./acp/left-behind.ts";
import { Sessions, defaultSessionsFile } from "./acp/sessions.ts";
import { Terminals } from "./acp/terminals.ts";
import { workspaceAt } from "./acp/workspace.ts";

export interface AcpOptions {
  /** The program that implements the Agent Client Protocol on its standard streams, and its arguments. */
  readonly command: readonly [string, ...string[]];
  /** The agent's working directory. */
  readonly cwd: string;
  /**
   * Environment variables for the agent in addition to PATH, HOME and the like: names to copy from the server's
   * environment, or names and values. Keys are passed on only if they are listed here.
   */
  readonly env?: readonly string[] | Readonly<Record<string, string>>;
  /** Lets the agent run commands through Runcast, so their output is shown live. They start inside `cwd`. Default: true. */
  readonly terminals?: boolean;
  /** The file that maps threads to sessions. False keeps the mapping in memory only. Default: a file in the user's state directory. */
  readonly sessions?: string | false;
  /** How long the agent may take to start and open a session. Default: 60 s. */
  readonly startTimeoutMs?: number;
  /** The largest message that the agent may send. Default: 16 MB. */
  readonly maxMessageBytes?: number;
}

const START_TIMEOUT_MS = 60_000;
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** An agent that has finished may still be saving its session. */
const RETRY_MS = 1500;

/**
 * Creates an agent from any coding agent that implements the Agent Client Protocol, version 1: Claude Code, Codex,
 * Gemini CLI, opencode, Kimi Code and others. Each run has its own process, which ends with the run, together with
 * everything it started.
 *
 * - The agent runs as the server's user. `cwd` is its starting directory, not a sandbox.
 * - Runs of one thread continue the same session of the agent, even after a restart of the server.
 * - Its permission requests become approvals with all their options, its forms become asks, and its plan becomes
 *   `todos`.
 */
export const acp = (options: AcpOptions): Source => {
  checkOptions(options);
  endLeftBehind();
  const { command, startTimeoutMs = START_TIMEOUT_MS, maxMessageBytes = MAX_MESSAGE_BYTES } = options;
  const file = options.sessions === false ? undefined : (options.sessions ?? defaultSessionsFile());
  const sessions = new Sessions(file, [...command, options.cwd]);
  let about: AgentFacts = { description: `Coding agent (${path.basename(command[0])})` };

  const source: Source = async function* (request, context) {
    const cwd = folderOf(options.cwd);
    const env = { ...environmentOf(options.env ?? {}), ...ownerVariable() };
    const thread = await sessions.hold(request);
    try {
      const process = startProcess(command, cwd, env);
      const run = new AgentRun(
        {
          process,
          cwd,
          maxMessageBytes,
          startTimeoutMs,
          decoder: { newId: (kind) => `${kind}_${randomUUID().slice(0, 13)}`, workspace: workspaceAt(cwd) },
          thread,
          onSession: (session) => (about = { ...about, ...factsOf(session) }),
          ...(options.terminals !== false && { terminals: (onOutput) => new Terminals(cwd, env, onOutput) }),
        },
        context,
      );
      try {
        yield* run.events(request);
      } finally {
        thread.leave();
        await run.close();
        await process.stop(context.signal.aborted ? 0 : RETRY_MS);
      }
    } finally {
      thread.release();
    }
  };
  // Modes and models are unknown until the first session reports them.
  return Object.defineProperty(source, "about", { enumerable: true, get: () => about });
};

const factsOf = ({ mode, model }: Session): AgentFacts => ({
  ...(mode && { modes: mode.values }),
  ...(model && { models: model.values }),
  ...(model?.current !== undefined && { model: model.current }),
});

const text = z.string({ error: "must be a string" }).min(1, { error: "must not be empty" });
const ms = z.int({ error: "must be a whole number of milliseconds" }).positive({ error: "must be positive" });
const optionsSchema = strictFields(
  {
    command: z.array(text, { error: "must be a list: the program and its arguments" }).min(1, {
      error: "must name a program",
    }),
    cwd: text,
    env: z
      .union([z.array(text), z.record(text, z.string())], { error: "must be a list of names, or names and values" })
      .optional(),
    terminals: z.boolean({ error: "must be true or false" }).optional(),
    sessions: z.union([text, z.literal(false)], { error: "must be a path, or false" }).optional(),
    startTimeoutMs: ms.optional(),
    maxMessageBytes: z
      .int({ error: "must be a whole number of bytes" })
      .positive({ error: "must be positive" })
      .optional(),
  },
  { word: "option", expected: "an object" },
);

const checkOptions = (options: unknown): void => {
  const { error } = optionsSchema.safeParse(options);
  if (error)
    throw new TypeError(
      mistakes(error, "its options")
        .map((wrong) => `acp: ${wrong}`)
        .join("\n"),
    );
  if (process.platform === "win32") throw new TypeError("acp: needs Linux, macOS or another Unix");
};

const folderOf = (cwd: string): string => {
  try {
    const real = realpathSync(cwd);
    if (statSync(real).isDirectory()) return real;
  } catch {
    // Refused below.
  }
  throw new Refusal("no-folder", "The agent's working directory does not exist.", {
    status: 500,
    hint: "check the cwd option of acp()",
  });
};
