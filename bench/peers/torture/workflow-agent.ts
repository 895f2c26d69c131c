import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import path from "node:path";
import { startPostgres } from "../../postgres.ts";
import { nodeCommand, type Peer, type SetUp, shellLine } from "./peer.ts";
import { npmHome } from "./peer/npm-home.ts";
import { workflowChat } from "./workflow-agent/driver.ts";

const workflow = "5.0.0-beta.55";
const postgres = "5.0.0-beta.29";
const agent = "2.0.43";
const packages = {
  workflow,
  "@ai-sdk/workflow": agent,
  "@workflow/world-postgres": postgres,
  nitro: "3.0.260903-beta",
  ai: "7.0.112",
  "@ai-sdk/openai-compatible": "3.0.90",
  zod: "4.6.7",
};
/** The Postgres world asks for older betas of what it shares with the SDK. */
const overrides = {
  "@workflow/world-postgres": {
    "@workflow/errors": "5.0.0-beta.22",
    "@workflow/utils": "5.0.0-beta.10",
    "@workflow/world": "5.0.0-beta.37",
    "@workflow/world-local": "5.0.0-beta.46",
  },
};

/** The AI SDK's `WorkflowAgent` on the Workflow SDK, built with Nitro: with the world for development, and with the one for production. */
export const setUp: SetUp = async ({ directory, port }) => {
  const home = npmHome({ name: "workflow-agent", packages, overrides });
  if (home === undefined) return "AI SDK WorkflowAgent: npm could not install the Workflow SDK";
  const app = path.join(home, "app");
  rmSync(app, { recursive: true, force: true });
  cpSync(path.join(import.meta.dirname, "workflow-agent/app"), app, { recursive: true });
  const built = node(home, ["node_modules/nitro/dist/cli/index.mjs", "build", "--dir", "app"]);
  if (built !== 0) return "AI SDK WorkflowAgent: Nitro could not build the app";

  const peer = async (world: string, variables: Readonly<Record<string, string>>, more: Partial<Peer>) => {
    const free = await port();
    const url = `http://127.0.0.1:${free}/chat`;
    const all = { HOST: "127.0.0.1", PORT: String(free), ...variables };
    return {
      name: `AI SDK WorkflowAgent (${world})`,
      versions: `@ai-sdk/workflow ${agent}, workflow ${workflow}`,
      url,
      command: `cd ${shellLine([app])} && ${nodeCommand(".output/server/index.mjs", all)}`,
      driver: workflowChat(url),
      ...more,
    };
  };
  const local = await peer(
    "local",
    {
      WORKFLOW_LOCAL_DATA_DIR: path.join(directory, "workflow"),
      // By default a step that takes longer than 30 s is started again.
      WORKFLOW_LOCAL_HEADERS_TIMEOUT_MS: "0",
      WORKFLOW_LOCAL_BODY_TIMEOUT_MS: "0",
    },
    {},
  );
  const database = await startPostgres();
  if (!database) return [local];
  const variables = { WORKFLOW_TARGET_WORLD: "@workflow/world-postgres", WORKFLOW_POSTGRES_URL: database.url };
  node(home, ["node_modules/@workflow/world-postgres/bin/setup.js"], variables);
  const versions = `${local.versions}, @workflow/world-postgres ${postgres}`;
  return [local, await peer("Postgres", variables, { versions, stop: database.stop })];
};

const node = (cwd: string, args: readonly string[], variables: Readonly<Record<string, string>> = {}) =>
  spawnSync(process.execPath, args, {
    cwd,
    env: { ...process.env, ...variables },
    stdio: ["ignore", "ignore", "inherit"],
  }).status;
