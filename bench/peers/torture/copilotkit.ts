import path from "node:path";
import { drivers } from "../../../src/torture.ts";
import { nodeCommand } from "./peer.ts";
import { npmHome } from "./peer/npm-home.ts";
import { pythonCommand, pythonPeer } from "./peer/python.ts";

const packages = { "@copilotkit/runtime": "1.75.0", "@ag-ui/client": "1.0.0" };
/** Newer releases of LangChain's packages, which this set-up does not use, require versions that cannot be installed. */
const overrides = {
  "@langchain/core": "1.2.13",
  "@langchain/langgraph": "1.4.18",
  "@langchain/langgraph-checkpoint": "1.1.5",
  "@langchain/langgraph-sdk": "1.12.0",
  "@langchain/protocol": "0.0.19",
};

/** CopilotKit's runtime with the agent of the PydanticAI peer behind it. */
export const setUp = pythonPeer("PydanticAI, which CopilotKit runs here,", "pydantic-ai", async (behind, place) => {
  const home = await npmHome("copilotkit", packages, { overrides, options: ["--legacy-peer-deps"] });
  if (home === undefined) return "CopilotKit: npm could not install @copilotkit/runtime";
  const port = await place.port();
  const url = `http://127.0.0.1:${port}/copilotkit`;
  const variables = { PORT: String(port), COPILOTKIT_HOME: home, AGENT_URL: `${behind.url}/` };
  const runtime = nodeCommand(path.join(import.meta.dirname, "copilotkit/server.mjs"), variables);
  const agent = pythonCommand(behind.python, "pydantic-ai/server.py", { PORT: String(behind.port) });
  return {
    name: "CopilotKit runtime (PydanticAI)",
    versions: `@copilotkit/runtime ${packages["@copilotkit/runtime"]}, ${behind.agent.packages[0]!}`,
    setUp: "Its runtime with the default runner, which keeps threads in memory, in front of the PydanticAI server.",
    url: behind.url,
    command: `(${agent}) & ${runtime}`,
    driver: drivers["copilotkit"]!({ url }),
  };
});
