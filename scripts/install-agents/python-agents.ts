import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { homeOf } from "./agents.ts";

/** A framework for agents that tests serve with Python, in an environment of its own. */
export interface PythonAgent {
  readonly name: string;
  /** What pip installs. */
  readonly packages: readonly string[];
}

export const pythonAgents: readonly PythonAgent[] = [
  { name: "pydantic-ai", packages: ["pydantic-ai-slim[openai,ag-ui]==2.66.0", "starlette", "uvicorn"] },
];

/** Says what is installed, so that another version is not taken for it. */
export const markOf = (agent: PythonAgent): string => path.join(homeOf(agent), "installed.txt");

export const programOf = (agent: PythonAgent): string => path.join(homeOf(agent), "venv/bin/python");

/** The Python that has these packages, or undefined if they are not installed. */
export const pythonOf = (agent: PythonAgent): string | undefined => {
  const isThere = existsSync(markOf(agent)) && readFileSync(markOf(agent), "utf8") === agent.packages.join("\n");
  return isThere ? programOf(agent) : undefined;
};
