import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach } from "vitest";
import type { Event, EventOf, Json } from "../../src/events.ts";
import type { RunRequest } from "../../src/source.ts";
import { agent } from "../../src/sources/agent.ts";
import type { Toolkit } from "../../src/tool.ts";
import { type Mcp, type McpOptions, type StdioServer, mcp } from "../../src/tools/mcp.ts";
import { type Drive, type Driving, drive, playing, script, user } from "../drive.ts";

const root = path.join(import.meta.dirname, "../..");
const program = (name: string) => path.join(root, "node_modules/@modelcontextprotocol", name, "dist/index.js");
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp();
});

/** The toolkit under test. Closed after the test. */
export const toolkit = (options: McpOptions): Mcp => {
  const made = mcp(options);
  cleanups.push(() => made.close());
  return made;
};

export const directory = (): string => {
  const made = mkdtempSync(path.join(tmpdir(), "runcast-mcp-"));
  cleanups.push(() => rmSync(made, { recursive: true, force: true }));
  return made;
};

/** Writes its process id to a file. If started several times, the file has the last one. */
const TELL = `data:text/javascript,${encodeURIComponent(
  'import fs from "node:fs"; if (process.env.PID_FILE) fs.writeFileSync(process.env.PID_FILE, String(process.pid));',
)}`;

export const everything = (): StdioServer & { pid(): number } => {
  const file = path.join(directory(), "pid");
  return {
    command: process.execPath,
    args: ["--import", TELL, program("server-everything"), "stdio"],
    env: { PID_FILE: file },
    stderr: "ignore",
    pid: () => Number(readFileSync(file, "utf8")),
  };
};

export const filesystem = (...directories: string[]): StdioServer => ({
  command: process.execPath,
  args: [program("server-filesystem"), ...directories],
  stderr: "ignore",
});

/** Servers of this repository's tests and examples, run from source. */
export const ownServer = (file: string, ...args: string[]): StdioServer => ({
  command: process.execPath,
  args: ["--disable-warning=ExperimentalWarning", path.join(root, file), ...args],
  stderr: "ignore",
});

/** Forces listening on loopback and prints the port. */
const LOOPBACK = `data:text/javascript,${encodeURIComponent(
  `import net from "node:net";
   const { listen } = net.Server.prototype;
   net.Server.prototype.listen = function (port, ...rest) {
     this.once("listening", () => console.log("PORT=" + this.address().port));
     return listen.call(this, Number(port), "127.0.0.1", ...rest);
   };`,
)}`;

/** The fixture that does everything that a server should not do. */
export const hostileStdio = async (): Promise<StdioServer> => ownServer("test/fixtures/hostile-mcp-server.ts", "stdio");
export const hostileHttp = async (): Promise<{ url: string }> => {
  const child = spawn(process.execPath, [path.join(root, "test/fixtures/hostile-mcp-server.ts")], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  cleanups.push(() => child.kill("SIGKILL"));
  return { url: `http://127.0.0.1:${await portOf(child)}/mcp` };
};

const portOf = async (child: ChildProcess): Promise<number> => {
  let printed = "";
  while (!/PORT=\d+/.test(printed)) printed += String((await once(child.stdout!, "data"))[0]);
  child.stdout!.resume();
  return Number(/PORT=(\d+)/.exec(printed)![1]);
};

/** server-everything over streamable HTTP. Pass a port to restart it on the same one. */
export const everythingHttp = async (port = 0): Promise<{ url: string; port: number; kill(): Promise<void> }> => {
  const args = ["--import", LOOPBACK, program("server-everything"), "streamableHttp"];
  const child: ChildProcess = spawn(process.execPath, args, {
    env: { PATH: process.env["PATH"], PORT: String(port) },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  cleanups.push(kill);
  const got = await portOf(child);
  return { url: `http://127.0.0.1:${got}/mcp`, port: got, kill };
};

export type Call = readonly [tool: string, input?: Json];

/** Runs an agent that makes these calls, one step per list, and then answers "done". */
export const calling = async (
  tools: Toolkit,
  steps: readonly (readonly Call[])[],
  on: (event: Event, driving: Driving) => unknown = () => {},
  request: Partial<RunRequest> = {},
  options: Partial<Parameters<typeof agent>[0]> = {},
): Promise<Drive & { ends: EventOf<"tool-end">[]; requests: ReturnType<typeof playing>["requests"] }> => {
  const beats = steps.map((calls) => calls.map(([call, input = {}]) => ({ call, input })));
  const { model, requests } = playing(script("go", ...beats, [{ say: "done" }]));
  const source = agent({ name: "test", model, tools: [tools], ...options });
  const driven = await drive(source, { messages: [user("go")], ...request }, on);
  return { ...driven, ends: driven.all("tool-end"), requests };
};

export const textOf = (end: EventOf<"tool-end"> | undefined): string =>
  (end?.content ?? []).map((part) => (part.type === "text" ? part.text : "")).join("\n");
