import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { createProcessTree } from "../../process-tree.ts";
import { Refusal } from "../../source.ts";
import { guardExit } from "./exit-guard.ts";

export interface AgentProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves with the reason why the process has ended. Never rejects. */
  readonly gone: Promise<Refusal>;
  /** Gives the agent this much time to exit, then kills it and everything it started. */
  stop(graceMs: number): Promise<void>;
}

const KEPT_ERRORS = 4000;
const SHOWN_ERRORS = 400;

export const startProcess = (
  [program = "", ...args]: readonly string[],
  cwd: string,
  variables: Readonly<Record<string, string>>,
): AgentProcess => {
  const mark = randomUUID();
  const env = { ...variables, RUNCAST_AGENT: mark };
  let child: ChildProcessByStdio<Writable, Readable, Readable>;
  try {
    // In its own process group, so all of it can be signalled together.
    child = spawn(program, args, { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  } catch (error) {
    throw notStarted(program, error);
  }
  const { pid } = child;
  const tree = pid === undefined ? undefined : createProcessTree(pid, `RUNCAST_AGENT=${mark}`);
  const release = pid === undefined ? undefined : guardExit(pid);

  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors = (errors + text).slice(-KEPT_ERRORS)));
  const gone = new Promise<Refusal>((resolve) => {
    child.once("error", (error) => resolve(notStarted(program, error)));
    child.once("close", (code, signal) => {
      const how = signal ? `was ended by ${signal}` : `ended with code ${code}`;
      const hint = lastLines(errors, Object.values(variables));
      const text = `The agent's process ${how} before the agent answered.`;
      resolve(new Refusal("agent-exited", text, { status: 502, retryable: true, ...(hint && { hint }) }));
    });
  });

  let stopping: Promise<void> | undefined;
  const stop = async (graceMs: number): Promise<void> => {
    child.stdin.end();
    await Promise.race([gone, sleep(graceMs, undefined, { ref: false })]);
    // Even if the agent has exited: processes that it started may still run.
    await tree?.kill();
    child.stdout.destroy();
    child.stderr.destroy();
    release?.();
  };
  return { stdin: child.stdin, stdout: child.stdout, gone, stop: (ms) => (stopping ??= stop(ms)) };
};

const notStarted = (program: string, cause: unknown): Refusal => {
  const isMissing = (cause as NodeJS.ErrnoException).code === "ENOENT";
  return new Refusal(
    "agent-not-started",
    isMissing ? `The program ${program} was not found.` : `The program ${program} could not be started.`,
    { status: 502, hint: "install the coding agent, and check the command and cwd options of acp()", cause },
  );
};

/** Shorter values would also match ordinary words. */
const SHORTEST_SECRET = 8;

/** The end of the process's stderr, without the values of its environment. */
const lastLines = (text: string, values: readonly string[]): string => {
  const hidden = values.filter((value) => value.length >= SHORTEST_SECRET && !value.includes("/"));
  const clean = hidden.reduce((rest, value) => rest.replaceAll(value, "[hidden]"), text);
  return clean.trim().slice(-SHOWN_ERRORS);
};
