import { drivers } from "../../../src/torture.ts";
import { pythonCommand, pythonPeer } from "./peer/python.ts";

/** PydanticAI's own AG-UI endpoint, used as `HttpAgent` uses it. */
export const setUp = pythonPeer("PydanticAI", "pydantic-ai", async ({ agent, python, port, url }) => ({
  name: "PydanticAI (AG-UI)",
  versions: agent.packages[0]!,
  setUp: "Its AG-UI endpoint. It stores nothing: the client keeps the conversation, and storage is left to the app.",
  url,
  command: pythonCommand(python, "pydantic-ai/server.py", { PORT: String(port) }),
  driver: drivers["ag-ui"]!({ url }),
}));
