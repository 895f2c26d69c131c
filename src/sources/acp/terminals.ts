import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { realpathSync } from "node:fs";
import path from "node:path";
import { StringDecoder } from "node:string_decoder";
import { type Fields, fieldsOf, listOf } from "../../json.ts";
import { type ProcessTree, createProcessTree } from "../../process-tree.ts";
import type { Exit } from "./call-content.ts";
import { guardExit } from "./exit-guard.ts";
import { countOf, textOf } from "../upstream/reading.ts";

interface Terminal {
  readonly child: ChildProcess;
  readonly tree: ProcessTree | undefined;
  readonly exited: Promise<Exit>;
  output: string;
  isCut: boolean;
  exit: Exit | undefined;
}

const MAX_OPEN = 20;
const MAX_OUTPUT = 1024 * 1024;

/** Commands that an agent runs through Runcast, so their output is shown live. They start inside the session's directory. */
export class Terminals {
  readonly #root: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #onOutput: (terminal: string, piece: string, exit?: Exit) => void;
  readonly #open = new Map<string, Terminal>();

  constructor(
    root: string,
    env: Readonly<Record<string, string>>,
    onOutput: (terminal: string, piece: string, exit?: Exit) => void,
  ) {
    this.#root = realpathSync(root);
    this.#env = env;
    this.#onOutput = onOutput;
  }

  /** Handles a `terminal/*` request. */
  async handle(method: string, params: Fields): Promise<Readonly<Record<string, unknown>>> {
    if (method === "terminal/create") return { terminalId: this.#create(params) };
    const id = textOf(params["terminalId"]) ?? "";
    const terminal = this.#open.get(id);
    if (!terminal) throw new Error(`There is no terminal ${id.slice(0, 100)}.`);
    switch (method) {
      case "terminal/output": {
        const { output, isCut, exit } = terminal;
        return { output, truncated: isCut, ...(exit && { exitStatus: exit }) };
      }
      case "terminal/wait_for_exit":
        return { ...(await terminal.exited) };
      case "terminal/kill":
        await terminal.tree?.kill();
        return {};
      case "terminal/release":
        this.#open.delete(id);
        await terminal.tree?.kill();
        return {};
      default:
        throw new Error(`${method} is not supported here.`);
    }
  }

  has(id: string): boolean {
    return this.#open.has(id);
  }

  async kill(id: string): Promise<void> {
    await this.#open.get(id)?.tree?.kill();
  }

  /** Kills all remaining commands. */
  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ tree }) => tree?.kill()));
    this.#open.clear();
  }

  #create(params: Fields): string {
    if (this.#open.size >= MAX_OPEN) throw new Error(`At most ${MAX_OPEN} terminals may be open.`);
    const command = textOf(params["command"]) ?? "";
    const args = listOf(params["args"]).filter((one): one is string => typeof one === "string");
    const limit = Math.min(countOf(params["outputByteLimit"]) ?? MAX_OUTPUT, MAX_OUTPUT);
    const mark = randomUUID();
    const env = { ...this.#env, ...variablesOf(params["env"]), RUNCAST_TERMINAL: mark };
    // A command without arguments is a shell command line.
    const [program, rest] = args.length > 0 ? [command, args] : ["/bin/sh", ["-c", command]];
    const cwd = this.#directory(textOf(params["cwd"]));
    const child = spawn(program, rest, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    const id = `terminal_${mark}`;
    const tree = child.pid === undefined ? undefined : createProcessTree(child.pid, `RUNCAST_TERMINAL=${mark}`);
    const release = child.pid === undefined ? undefined : guardExit(child.pid);
    const { promise: exited, resolve } = Promise.withResolvers<Exit>();
    const terminal: Terminal = { child, tree, exited, output: "", isCut: false, exit: undefined };
    this.#open.set(id, terminal);
    const take = (piece: string): void => {
      terminal.output += piece;
      if (terminal.output.length > limit) {
        terminal.output = terminal.output.slice(-limit);
        terminal.isCut = true;
      }
      this.#onOutput(id, piece);
    };
    for (const stream of [child.stdout, child.stderr]) {
      const decoder = new StringDecoder("utf8");
      stream.on("data", (bytes: Buffer) => take(decoder.write(bytes)));
    }
    const end = (exit: Exit): void => {
      if (terminal.exit) return;
      release?.();
      terminal.exit = exit;
      this.#onOutput(id, "", exit);
      resolve(exit);
    };
    child.once("error", (error) => {
      take(`${error.message}\n`);
      end({ exitCode: 127, signal: null });
    });
    child.once("close", (exitCode, signal) => end({ exitCode, signal }));
    return id;
  }

  #directory(wanted = this.#root): string {
    try {
      const real = realpathSync(path.resolve(this.#root, wanted));
      if (real === this.#root || real.startsWith(this.#root + path.sep)) return real;
    } catch {
      // Refused below.
    }
    throw new Error("A terminal must start in the session's directory.");
  }
}

const variablesOf = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    listOf(value).flatMap((one) => {
      const { name, value: text } = fieldsOf(one);
      return typeof name === "string" && name !== "" && typeof text === "string" ? [[name, text]] : [];
    }),
  );
