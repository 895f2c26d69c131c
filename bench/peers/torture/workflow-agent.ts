import { cpSync, rmSync } from "node:fs";
import path from "node:path";
import { nodeCommand, type SetUp, shellLine } from "./peer.ts";
import { runCommand } from "./peer/command.ts";
import { npmHome } from "./peer/npm-home.ts";
import { workflowChat } from "./workflow-agent/driver.ts";

const packages = {
  "@ai-sdk/workflow": "2.0.43",
  workflow: "5.0.0-beta.55",
  nitro: "3.0.260903-beta",
  ai: "7.0.112",
  "@ai-sdk/anthropic": "4.0.102",
  zod: "4.6.7",
};

const SET_UP = [
  "The app of the agent's guide, built with Nitro, on the Workflow SDK's local world, which stores runs in files.",
  "A step counts as lost 15 s after a kill instead of the default of 860 s, which is for Vercel's functions, and a long step is not started again.",
  "Text arrives in the wrong order because the local world delivers a new chunk when it is written, and also reads the folder of chunks every 100 ms, and does not coordinate the two.",
  "This happens at random, so `cut-anywhere` can fail in one run and pass in the next.",
  "If a run is read after its end, its text is in order. Vercel's own world was not measured.",
].join(" ");

/**
 * The AI SDK's `WorkflowAgent` on the Workflow SDK with its local world, built with Nitro. Its live stream can deliver
 * chunks in the wrong order, while the same run read from storage is in order. This is visible in the raw bytes, without
 * any driver.
 */
export const setUp: SetUp = async ({ directory, port }) => {
  const home = await npmHome("workflow-agent", packages);
  if (home === undefined) return "AI SDK WorkflowAgent: npm could not install the Workflow SDK";
  const app = path.join(home, "app");
  rmSync(app, { recursive: true, force: true });
  cpSync(path.join(import.meta.dirname, "workflow-agent/app"), app, { recursive: true });
  const nitro = path.join(home, "node_modules/nitro/dist/cli/index.mjs");
  const status = await runCommand(process.execPath, [nitro, "build"], app);
  if (status !== 0) return "AI SDK WorkflowAgent: Nitro could not build the app";
  const free = await port();
  const url = `http://127.0.0.1:${free}/chat`;
  const variables = {
    HOST: "127.0.0.1",
    PORT: String(free),
    // A name, so it is loaded from its package. If bundled, it does not know its version and picks up no runs.
    WORKFLOW_TARGET_WORLD: "@workflow/world-local",
    WORKFLOW_LOCAL_DATA_DIR: path.join(directory, "workflow"),
    // How long after a kill a step counts as running. The default, 860 s, is for Vercel's functions.
    WORKFLOW_INLINE_OWNERSHIP_LEASE_SECONDS: "15",
    // By default a step that takes longer than 30 s is started again.
    WORKFLOW_LOCAL_HEADERS_TIMEOUT_MS: "0",
    WORKFLOW_LOCAL_BODY_TIMEOUT_MS: "0",
  };
  return {
    name: "AI SDK WorkflowAgent (local world)",
    versions: `@ai-sdk/workflow ${packages["@ai-sdk/workflow"]}, workflow ${packages.workflow}`,
    setUp: SET_UP,
    url,
    command: `cd ${shellLine([app])} && ${nodeCommand(".output/server/index.mjs", variables)}`,
    driver: workflowChat(url),
  };
};
