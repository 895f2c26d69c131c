import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import { setTimeout as sleep } from "node:timers/promises";

/** A server that the kit starts with a command, so that it can kill it. */
export interface ServerProcess {
  /** Kills it with all its child processes, like a crash. */
  kill(): Promise<void>;
  /** Starts it and resolves when it responds. */
  start(): Promise<void>;
  readonly isRunning: boolean;
  /** The end of its output. */
  readonly output: string;
}

const READY_MS = 180_000;
const ANSWER_MS = 2000;
const MAX_CHARACTERS = 8000;

export const createServerProcess = (
  command: string,
  url: string,
  environment: Readonly<Record<string, string>>,
): ServerProcess => {
  let child: ChildProcess | undefined;
  let output = "";
  const keep = (bytes: Buffer) => void (output = (output + bytes.toString()).slice(-MAX_CHARACTERS));
  const signal = () => {
    try {
      // Kills the whole process group: the shell and the server.
      if (child?.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has already exited.
    }
  };
  const hasEnded = () => child === undefined || child.exitCode !== null || child.signalCode !== null;
  return {
    get isRunning() {
      return !hasEnded();
    },
    get output() {
      return output;
    },
    async start() {
      process.once("exit", signal);
      const env = { ...process.env, ...environment };
      const started = spawn(command, { shell: true, detached: true, env, stdio: ["ignore", "pipe", "pipe"] });
      child = started;
      started.stdout.on("data", keep);
      started.stderr.on("data", keep);
      for (const until = Date.now() + READY_MS; !(await answers(url)); await sleep(100)) {
        if (hasEnded())
          throw new Error(`the command exited before the server responded at ${url}: ${output.slice(-1000)}`);
        if (Date.now() > until) throw new Error(`the server does not respond at ${url}: ${output.slice(-1000)}`);
      }
    },
    async kill() {
      process.removeListener("exit", signal);
      if (hasEnded()) return;
      const ended = once(child!, "exit");
      signal();
      await ended;
    },
  };
};

/** Any response counts. Each request has its own connection, so that no later request gets one that is about to close. */
const answers = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { request } = url.startsWith("https:") ? https : http;
    const asked = request(url, { agent: false, timeout: ANSWER_MS }, (response) => {
      response.destroy();
      resolve(true);
    });
    asked.on("timeout", () => asked.destroy());
    asked.on("error", () => resolve(false));
    asked.on("close", () => resolve(false));
    asked.end();
  });
