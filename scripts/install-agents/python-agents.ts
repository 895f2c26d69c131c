import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { homeOf } from "./agents.ts";

/** A Python framework for agents that tests run in a separate environment. */
export interface PythonAgent {
  readonly name: string;
  /** The packages that pip installs. */
  readonly packages: readonly string[];
}

export const pythonAgents: readonly PythonAgent[] = [
  { name: "pydantic-ai", packages: ["pydantic-ai-slim[openai,ag-ui]==2.66.0", "starlette", "uvicorn"] },
  {
    name: "agno",
    packages: [
      "agno==3.1.10",
      "fastapi==0.162.4",
      "uvicorn==0.54.0",
      "python-multipart==0.0.33",
      "openai==3.49.0",
      "sqlalchemy==2.1.8",
      "aiosqlite==0.22.1",
      "greenlet==3.5.6",
    ],
  },
  {
    name: "langgraph",
    packages: [
      "langgraph-cli[inmem]==0.4.40",
      "langgraph-api==0.16.7",
      "langgraph==1.2.20",
      "langchain==1.4.7",
      "langchain-anthropic==1.7.7",
      "deepagents==0.7.32",
    ],
  },
];

/** A file that lists the installed packages, to detect other versions. */
export const markOf = (agent: PythonAgent): string => path.join(homeOf(agent), "installed.txt");

export const programOf = (agent: PythonAgent): string => path.join(homeOf(agent), "venv/bin/python");

/** The Python with these packages. Undefined if they are not installed. */
export const pythonOf = (agent: PythonAgent): string | undefined => {
  const isThere = existsSync(markOf(agent)) && readFileSync(markOf(agent), "utf8") === agent.packages.join("\n");
  return isThere ? programOf(agent) : undefined;
};
