import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pythonAgents, pythonOf } from "../../scripts/install-agents/python-agents.ts";
import { type Program, startProgram } from "../frameworks/program.ts";

/** The Python that has Agno installed. Undefined if there is none. */
export const python = pythonOf(pythonAgents.find(({ name }) => name === "agno")!);

/** Starts the AgentOS of these tests with a model at `modelUrl`. Pass `port` to restart it on the same port and database. */
export const startAgentOs = async (modelUrl: string, folder: string, port?: number): Promise<Program> =>
  await startProgram({
    command: [python!, path.join(import.meta.dirname, "server.py")],
    cwd: folder,
    env: (free) => ({ PORT: String(free), MODEL_URL: modelUrl, DB: path.join(folder, "agno.db") }),
    ready: "/health",
    ...(port !== undefined && { port }),
  });

/** A directory for a server's files. */
export const serverFolder = (): { readonly folder: string; remove(): void } => {
  const folder = mkdtempSync(path.join(tmpdir(), "runcast-agno-"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }) };
};
