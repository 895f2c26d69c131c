import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { homeOf } from "../../../scripts/install-agents/agents.ts";
import { pythonAgents, pythonOf } from "../../../scripts/install-agents/python-agents.ts";
import { drivers } from "../../../src/torture.ts";
import { nodeCommand, pythonCommand, type SetUp } from "./peer.ts";

const VERSION = "1.75.0";
const agent = pythonAgents.find(({ name }) => name === "pydantic-ai")!;

/** CopilotKit's runtime with the agent of the PydanticAI peer behind it. It is large, so it is installed outside the checkout, once. */
export const setUp: SetUp = async ({ port }) => {
  const python = pythonOf(agent);
  if (python === undefined) return "CopilotKit needs the PydanticAI peer: npm run agents -- pydantic-ai";
  const home = homeOf({ name: "copilotkit" });
  if (!isInstalled(home) && !installed(home)) return `CopilotKit: npm could not install @copilotkit/runtime@${VERSION}`;
  const [free, behind] = [await port(), await port()];
  const url = `http://127.0.0.1:${free}/copilotkit`;
  const variables = { PORT: String(free), COPILOTKIT_HOME: home, AGENT_URL: `http://127.0.0.1:${behind}/` };
  const runtime = nodeCommand(path.join(import.meta.dirname, "copilotkit/server.mjs"), variables);
  return {
    name: "CopilotKit runtime (PydanticAI)",
    versions: `@copilotkit/runtime ${VERSION}, ${agent.packages[0]!}`,
    url: `http://127.0.0.1:${behind}`,
    command: `(${pythonCommand(python, "pydantic-ai/server.py", { PORT: String(behind) })}) & ${runtime}`,
    driver: drivers["copilotkit"]!({ url }),
  };
};

const isInstalled = (home: string): boolean => {
  const file = path.join(home, "node_modules/@copilotkit/runtime/package.json");
  return existsSync(file) && (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version === VERSION;
};

const installed = (home: string): boolean => {
  mkdirSync(home, { recursive: true });
  writeFileSync(path.join(home, "package.json"), JSON.stringify({ private: true }));
  const options = ["--no-audit", "--no-fund", "--loglevel=error", "--ignore-scripts"];
  const packages = [`@copilotkit/runtime@${VERSION}`, "@ag-ui/client"];
  return spawnSync("npm", ["install", ...options, ...packages], { cwd: home, stdio: "inherit" }).status === 0;
};
