import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { createProcessTree } from "../process-tree.ts";
import { Refusal } from "../source.ts";
import { type Tool, type ToolContext, type ToolResult, defineTool, toolResult } from "../tool.ts";
import { type Excerpt, createExcerpt } from "./shell/excerpt.ts";
import { hideSecrets, ownSecrets } from "./shell/hide-secrets.ts";
import { canStart, findIsolation, type Isolate, type Program } from "./shell/isolation.ts";
import { messageOf } from "../message-of.ts";

export interface ShellOptions {
  /**
   * Required, because a command can read and write all files that the server's user can. The workspace is its starting
   * directory, not a sandbox.
   */
  readonly enabled: true;
  /** The directory in which commands run. It must exist. */
  readonly workspace: string;
  /** Whether the user must allow a command. Default: always. */
  readonly approval?: Tool<ShellInput>["approval"];
  /** Ends the call as `timeout` and kills its processes. Default: two minutes. */
  readonly timeoutMs?: number;
  /**
   * Environment variables for the command in addition to PATH, HOME, LANG and TERM: names to copy from the server's
   * environment, or names and values.
   */
  readonly env?: readonly string[] | Readonly<Record<string, string>>;
  /**
   * Whether commands run in their own process namespace, where they see neither the server's process nor its
   * environment, and where nothing outlives the call. `auto`: if the machine supports it (Linux with `unshare`).
   * `required`: throws if it does not. Default: auto.
   */
  readonly isolation?: "auto" | "required" | "none";
}

const input = z
  .object({
    command: z.string().min(1).optional().describe("One program, such as git. Put its arguments into args"),
    args: z.array(z.string()).optional().describe("Passed to the program unchanged, without quoting or expansion"),
    script: z.string().min(1).optional().describe("Instead of command: a script for sh, with pipes, && and expansion"),
    directory: z.string().optional().describe("Where to run it, relative to the workspace. Default: the workspace"),
  })
  .refine((value) => (value.command === undefined) !== (value.script === undefined), "give either command or script")
  .refine((value) => !(value.script && value.args), "args belong to command, not to script");
export type ShellInput = z.infer<typeof input>;

/**
 * Runs commands. When the call ends, is cancelled or times out, everything that the command started ends, too. Without
 * isolation, a process that leaves its group, clears its environment and loses its parent can outlive the call.
 */
export const shell = (options: ShellOptions): Tool => {
  if (options.enabled !== true) {
    throw new Error("shell() runs commands as the server's own user. To allow that, pass enabled: true.");
  }
  if (process.platform === "win32") throw new Error("shell() needs Linux, macOS or another Unix.");
  const root = realpathSync(options.workspace);
  const isolate = isolationOf(options.isolation);
  return defineTool<ShellInput>({
    name: "run_command",
    description:
      "Runs a command in the workspace and returns its exit code and output (for long output, the beginning and the end). Give a program and its arguments as `command` and `args`, or a `script` for sh. It gets no input, so use options that do not prompt. Everything it starts ends with it, so a server or watcher cannot be left running.",
    input,
    doing: ({ command, args = [], script }) => `Running ${(script ?? [command, ...args].join(" ")).slice(0, 80)}…`,
    approval: options.approval ?? "always",
    timeoutMs: options.timeoutMs ?? 120_000,
    run: (given, context) => {
      const env = environmentOf(options.env);
      return run(given, context, { cwd: directoryOf(root, given.directory), env, isolate });
    },
  }) as Tool;
};

const isolationOf = (wanted: ShellOptions["isolation"] = "auto"): Isolate => {
  const isolate = wanted === "none" ? undefined : findIsolation();
  if (wanted !== "required" || isolate) return isolate;
  throw new Error(
    `shell({ isolation: "required" }) needs Linux with unshare and permission to create process namespaces; this machine lacks one of them.`,
  );
};

/** How much of each stream the model gets from the beginning, and the same amount from the end. */
const KEEP = 8_000;
/** How much output of one call is sent to viewers live. */
const MAX_LIVE = 1024 * 1024;
/** How long to wait for the last output after the command has ended if another process still holds its streams open. */
const DRAIN_MS = 200;

interface Place {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly isolate: Isolate;
}

const run = async (
  { command, args = [], script }: ShellInput,
  context: ToolContext,
  { cwd, env: variables, isolate }: Place,
): Promise<ToolResult> => {
  context.signal.throwIfAborted();
  const call = randomUUID();
  const program: Program = script === undefined ? [command!, ...args] : ["/bin/sh", "-c", script];
  const env: Record<string, string> = { ...variables, RUNCAST_CALL: call };
  if (!canStart(program[0], env["PATH"], cwd)) throw notStarted(program[0], "ENOENT");
  const child = start(isolate?.(program) ?? program, { cwd, env });
  const began = performance.now();
  // Values that were passed to the command on purpose may be printed.
  const given = new Set(Object.values(variables));
  const secrets = ownSecrets().filter((secret) => !given.has(secret));
  const stdout = createExcerpt(KEEP, hideSecrets(secrets));
  const stderr = createExcerpt(KEEP, hideSecrets(secrets));
  const live = createLive(context);
  const ended = exitOf(child, program[0]);
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  child.stdout?.on("data", (chunk: Buffer) => live(stdout.push(chunk), "stdout"));
  child.stderr?.on("data", (chunk: Buffer) => live(stderr.push(chunk), "stderr"));

  const tree = child.pid === undefined ? undefined : createProcessTree(child.pid, `RUNCAST_CALL=${call}`);
  const aborted = Promise.withResolvers<void>();
  const abort = () => aborted.resolve();
  context.signal.addEventListener("abort", abort);
  try {
    await Promise.race([ended, aborted.promise]);
    if (!context.signal.aborted) await Promise.race([closed, aborted.promise, wait(DRAIN_MS)]);
  } finally {
    context.signal.removeEventListener("abort", abort);
    await tree?.kill();
    child.stdout?.destroy();
    child.stderr?.destroy();
  }
  context.signal.throwIfAborted();
  live(stdout.end(), "stdout");
  live(stderr.end(), "stderr");
  return report(await ended, { stdout, stderr, seconds: (performance.now() - began) / 1000 });
};

/** In its own process group, so all of it can be signalled together. */
const start = ([name, ...args]: Program, options: { cwd: string; env: Record<string, string> }) => {
  try {
    return spawn(name, args, { ...options, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    throw new Refusal("not-started", `The command could not be started: ${messageOf(error)}`, { cause: error });
  }
};

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const exitOf = (child: ChildProcess, program: string): Promise<Exit> => {
  const exit = new Promise<Exit>((resolve, reject) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
    child.once("error", (error: NodeJS.ErrnoException) => reject(notStarted(program, error.code, error)));
  });
  exit.catch(() => undefined);
  return exit;
};

const notStarted = (program: string, code: string | undefined, cause?: unknown): Refusal => {
  const hint = /\s/.test(program) ? "command is one program: put its arguments into args, or use script." : "";
  const what =
    code === "ENOENT" ? `There is no program ${program} here.` : `${program} could not be started (${code}).`;
  return new Refusal("not-started", `${what} ${hint}`.trim(), { cause });
};

const report = (
  { code, signal }: Exit,
  { stdout, stderr, seconds }: { stdout: Excerpt; stderr: Excerpt; seconds: number },
): ToolResult => {
  const end = signal ? `Ended by ${signal}` : `Exit code ${code}`;
  const parts = [`${end} after ${seconds.toFixed(1)} s.`];
  for (const [name, { text }] of Object.entries({ stdout, stderr })) if (text) parts.push(`${name}:\n${text}`);
  if (parts.length === 1) parts.push("No output.");
  return toolResult(parts.join("\n"), {
    value: { exitCode: code, signal, stdoutBytes: stdout.bytes, stderrBytes: stderr.bytes },
    isError: code !== 0,
  });
};

/** Sends output to viewers live, up to a limit: a command that prints endlessly must not fill the log. */
const createLive = (context: ToolContext): ((text: string, stream: "stdout" | "stderr") => void) => {
  let left = MAX_LIVE;
  return (text, stream) => {
    if (left <= 0 || text === "" || context.signal.aborted) return;
    left -= text.length;
    context.output(text, stream);
    if (left <= 0) context.output("\n[The rest of the output is not shown.]\n", stream);
  };
};

const directoryOf = (root: string, directory = "."): string => {
  try {
    const real = realpathSync(path.resolve(root, directory));
    const isInside = real === root || real.startsWith(root.endsWith(path.sep) ? root : root + path.sep);
    if (isInside && statSync(real).isDirectory()) return real;
  } catch {
    // Refused below.
  }
  throw new Refusal("no-directory", `${directory} is not a directory in the workspace. Give one relative to it.`);
};

const environmentOf = (env: ShellOptions["env"] = {}): Record<string, string> => {
  const names = ["PATH", "HOME", "LANG", "TERM", ...(Array.isArray(env) ? (env as readonly string[]) : [])];
  const taken = names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  return { ...Object.fromEntries(taken), ...(Array.isArray(env) ? {} : env) };
};

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
