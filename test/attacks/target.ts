import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { ALICE, PROVIDER_KEY, WORDS, as } from "./users.ts";

/** Servers in separate processes, and what an attacker knows about them. */
export interface Target {
  readonly url: string;
  readonly port: number;
  /** A server without keys on the same machine. */
  readonly unkeyed: string;
  /** A hostile MCP server that an agent of this server uses. */
  readonly mcp: string;
  /** The directory of the log. */
  readonly directory: string;
  /** The directory in which commands run. */
  readonly workspace: string;
  /** An active run of Alice. */
  readonly run: string;
  /** Problems that the servers reported since the last call. A server that has exited is a problem too. */
  problems(): string[];
  /** Resolves when the servers have reported this many problems of this kind since then. */
  reported(text: string, times: number): Promise<void>;
  close(): Promise<void>;
}

const root = path.join(import.meta.dirname, "../..");
export const cli = path.join(root, "src/cli.ts");
export const node = ["--disable-warning=ExperimentalWarning"];

const endWithParent = path.join(root, "test/fixtures/end-with-parent.ts");

const launch = (args: readonly string[], cwd: string, env: Record<string, string>) =>
  spawn(process.execPath, [...node, "--import", endWithParent, ...args], {
    cwd,
    env: { PATH: process.env["PATH"], RUNCAST_MODEL: "demo", ATTACK_PROVIDER_API_KEY: PROVIDER_KEY, ...env },
  });

/** Resolves with a program's output once it matches. */
const printed = async (child: ChildProcess, pattern: RegExp): Promise<string> => {
  let text = "";
  let errors = "";
  child.stderr!.on("data", (piece) => (errors += String(piece)));
  while (!pattern.test(text)) {
    const [piece] = (await Promise.race([once(child.stdout!, "data"), once(child, "exit")])) as [unknown];
    if (!(piece instanceof Buffer)) throw new Error(`a server ended at its start: ${text}${errors}`);
    text += String(piece);
  }
  child.stdout!.resume();
  return pattern.exec(text)![1]!;
};

export const startTarget = async (): Promise<Target> => {
  const directory = await mkdtemp(path.join(tmpdir(), "runcast-attack-"));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  process.once("exit", remove);
  const children: ChildProcess[] = [];
  const problems: string[] = [];
  const close = async () => {
    for (const child of children) {
      child.removeAllListeners("exit").kill("SIGTERM");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    }
    process.off("exit", remove);
    remove();
  };
  const workspace = path.join(directory, "workspace");
  await mkdir(workspace);
  const serve = async (name: string, own: Record<string, string>) => {
    const env = { ATTACKED_DIRECTORY: path.join(directory, name), ATTACKED_WORKSPACE: workspace, ...own };
    const config = path.join(root, "test/fixtures/attacked-config.ts");
    const child = launch([cli, "serve", "--port", "0", "--config", config], directory, env);
    children.push(child);
    const url = await printed(child, /(http:\/\/[\d.:]+\d)[\s\S]* {2}try /);
    child.stderr.on("data", (text) => problems.push(String(text)));
    child.once("exit", (code, signal) => problems.push(`the server ended with ${code ?? signal}`));
    return url;
  };
  try {
    const hostile = launch([path.join(root, "test/fixtures/hostile-mcp-server.ts")], directory, {});
    children.push(hostile);
    const mcp = `http://127.0.0.1:${await printed(hostile, /PORT=(\d+)/)}/mcp`;
    const url = await serve("log", { ATTACKED_MCP: mcp });
    const unkeyed = await serve("other", { ATTACKED_WITHOUT_KEYS: "1" });
    const run = await startRun(url, ALICE, "clock", WORDS);
    const port = Number(new URL(url).port);
    const reported = async (text: string, times: number) => {
      while (problems.join("").split(text).length <= times) await new Promise((tick) => setTimeout(tick, 20));
    };
    return {
      url,
      port,
      reported,
      unkeyed,
      mcp,
      directory: path.join(directory, "log"),
      workspace,
      run,
      problems: () => problems.splice(0),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

/** Starts a run without following it. */
export const startRun = async (url: string, key: string, agent: string, message: string): Promise<string> => {
  const response = await fetch(`${url}/runs`, {
    method: "POST",
    headers: { ...as(key), "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ agent, message }),
  });
  const { run, error } = (await response.json()) as { run?: string; error?: { message: string } };
  if (run === undefined) throw new Error(`no run of ${agent}: ${error?.message}`);
  return run;
};

/** All text of a run until its end. */
export const readRun = async (url: string, key: string, run: string): Promise<string> =>
  await (await fetch(`${url}/runs/${run}/events`, { headers: as(key) })).text();
