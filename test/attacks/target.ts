import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

export const ADMIN = "the-key-of-the-admin";
export const ALICE = "the-key-of-alice";
export const BOB = "the-key-of-bob";
/** What Alice has said, and nobody else may read. */
export const SECRET = "alice-has-said-this-in-private";

/** A server in a process of its own, and what an attacker knows of it. */
export interface Target {
  readonly url: string;
  readonly port: number;
  /** A run of Alice, at work. */
  readonly run: string;
  /** What the server itself could not handle. */
  readonly problems: readonly string[];
  close(): Promise<void>;
}

export const startTarget = async (): Promise<Target> => {
  const directory = await mkdtemp(path.join(tmpdir(), "runcast-attack-"));
  const fixture = path.join(import.meta.dirname, "../fixtures/attacked-server.ts");
  const child: ChildProcess = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", fixture, directory], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const problems: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  createInterface({ input: child.stdout! }).on("line", (line) => {
    if (line.startsWith("URL ")) resolve(line.slice(4));
    else if (line.startsWith("PROBLEM ")) problems.push(line.slice(8));
  });
  const url = await promise;
  const run = await startRun(url, ALICE, { agent: "clock", message: SECRET });
  return {
    url,
    port: Number(new URL(url).port),
    run,
    problems,
    close: async () => {
      child.kill("SIGTERM");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      await rm(directory, { recursive: true, force: true });
    },
  };
};

/** Starts a run without following it. */
export const startRun = async (url: string, key: string, body: object): Promise<string> => {
  const response = await fetch(`${url}/runs`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(body),
  });
  return ((await response.json()) as { run: string }).run;
};
