import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pythonAgents, pythonOf } from "../../scripts/install-agents/python-agents.ts";
import { type Program, startProgram } from "../frameworks/program.ts";

/** The Python that has LangGraph installed. Undefined if there is none. */
export const python = pythonOf(pythonAgents.find(({ name }) => name === "langgraph")!);

/** Starts the LangGraph server of these tests with a model at `modelUrl`. It stores its files in the directory of its graphs. */
export const startLangGraph = async (modelUrl: string, folder: string, hasVersion2 = true): Promise<Program> =>
  await startProgram({
    command: [python!, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload", "--n-jobs-per-worker", "10"],
    args: (free) => ["--host", "127.0.0.1", "--port", String(free)],
    cwd: folder,
    env: () => ({
      MODEL_URL: modelUrl,
      LANGSMITH_TRACING: "false",
      LANGGRAPH_CLI_NO_ANALYTICS: "1",
      ...(hasVersion2 ? {} : { FF_V2_EVENT_STREAMING: "false" }),
    }),
    ready: "/ok",
  });

/** A directory with the graphs. */
export const graphsFolder = (): { readonly folder: string; remove(): void } => {
  const folder = mkdtempSync(path.join(tmpdir(), "runcast-langgraph-"));
  for (const file of ["graphs.py", "langgraph.json"])
    cpSync(path.join(import.meta.dirname, file), path.join(folder, file));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }) };
};
