import path from "node:path";
import { type PythonAgent, pythonAgents, pythonOf } from "../../../../scripts/install-agents/python-agents.ts";
import { type Place, type SetUp, shellLine } from "../peer.ts";

/** A server in Python that `npm run agents` has installed. */
export interface PythonServer {
  readonly agent: PythonAgent;
  readonly python: string;
  readonly port: number;
  readonly url: string;
}

/** Sets up a peer whose server is in Python: `title` is its usual name, `name` the one that `npm run agents` uses. */
export const pythonPeer =
  (title: string, name: string, setUp: (server: PythonServer, place: Place) => ReturnType<SetUp>): SetUp =>
  async (place) => {
    const agent = pythonAgents.find((one) => one.name === name)!;
    const python = pythonOf(agent);
    if (python === undefined) return `${title} is not installed: npm run agents -- ${name}`;
    const port = await place.port();
    return await setUp({ agent, python, port, url: `http://127.0.0.1:${port}` }, place);
  };

/** Runs a server in Python that has the kit's tools. */
export const pythonCommand = (python: string, file: string, variables: Readonly<Record<string, string>>): string => {
  const folder = path.join(import.meta.dirname, "..");
  const all = { PYTHONPATH: path.join(folder, "python"), PYTHONDONTWRITEBYTECODE: "1", ...variables };
  const set = Object.entries(all).map(([variable, value]) => `${variable}=${shellLine([value])}`);
  return `${set.join(" ")} exec ${shellLine([python, path.join(folder, file)])}`;
};
