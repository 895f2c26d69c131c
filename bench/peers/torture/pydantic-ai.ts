import { pythonAgents, pythonOf } from "../../../scripts/install-agents/python-agents.ts";
import { drivers } from "../../../src/torture.ts";
import { pythonCommand, type SetUp } from "./peer.ts";

const agent = pythonAgents.find(({ name }) => name === "pydantic-ai")!;

/** PydanticAI's own AG-UI endpoint, spoken to as `HttpAgent` does. */
export const setUp: SetUp = async ({ port }) => {
  const python = pythonOf(agent);
  if (python === undefined) return "PydanticAI is not installed: npm run agents -- pydantic-ai";
  const free = await port();
  const url = `http://127.0.0.1:${free}`;
  return {
    name: "PydanticAI (AG-UI)",
    versions: agent.packages[0]!,
    url,
    command: pythonCommand(python, "pydantic-ai/server.py", { PORT: String(free) }),
    driver: drivers["ag-ui"]!({ url }),
  };
};
