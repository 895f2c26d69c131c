import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import path from "node:path";
import { startPostgres } from "../../postgres.ts";
import { nodeCommand, type Peer, type Place, type SetUp, shellLine } from "./peer.ts";
import { npmHome, type Packages } from "./peer/npm-home.ts";
import { workflowChat } from "./workflow-agent/driver.ts";

const agent = "2.0.43";
const shared = {
  "@ai-sdk/workflow": agent,
  nitro: "3.0.260903-beta",
  ai: "7.0.112",
  "@ai-sdk/anthropic": "4.0.102",
  zod: "4.6.7",
};
const newest = { workflow: "5.0.0-beta.55", ...shared };
/** The newest world for Postgres that can be installed, and the SDK that it was released with. */
const withPostgres = { workflow: "5.0.0-beta.35", "@workflow/world-postgres": "5.0.0-beta.27", ...shared };

/** The AI SDK's `WorkflowAgent` on the Workflow SDK, built with Nitro: with its world for development, and with its own for production. */
export const setUp: SetUp = async (place) => {
  const variables = {
    // By its name, it is loaded from its package: bundled, it does not know its version and takes up no runs.
    WORKFLOW_TARGET_WORLD: "@workflow/world-local",
    WORKFLOW_LOCAL_DATA_DIR: path.join(place.directory, "workflow"),
    // By default a step that takes longer than 30 s is started again.
    WORKFLOW_LOCAL_HEADERS_TIMEOUT_MS: "0",
    WORKFLOW_LOCAL_BODY_TIMEOUT_MS: "0",
  };
  const local = await peerOf("local", build("workflow-agent", newest), variables, place);
  if (typeof local === "string") return local;
  // The agent asks for a newer SDK than this world has.
  const home = build("workflow-agent-postgres", withPostgres, "--legacy-peer-deps");
  const database = await startPostgres();
  if (!database) return [local];
  const world = { WORKFLOW_TARGET_WORLD: "@workflow/world-postgres", WORKFLOW_POSTGRES_URL: database.url };
  if (home !== undefined) node(home, ["node_modules/@workflow/world-postgres/bin/setup.js"], world);
  const postgres = await peerOf("Postgres", home, world, place);
  if (typeof postgres !== "string") return [local, { ...postgres, stop: database.stop }];
  console.error(postgres);
  database.stop();
  return [local];
};

const peerOf = async (
  world: string,
  home: string | undefined,
  variables: Readonly<Record<string, string>>,
  { port }: Place,
): Promise<Peer | string> => {
  if (home === undefined) return `AI SDK WorkflowAgent (${world}) could not be installed or built`;
  const free = await port();
  const url = `http://127.0.0.1:${free}/chat`;
  const all = { HOST: "127.0.0.1", PORT: String(free), ...variables };
  const { workflow, "@workflow/world-postgres": postgres } =
    world === "local" ? { ...newest, "@workflow/world-postgres": undefined } : withPostgres;
  return {
    name: `AI SDK WorkflowAgent (${world})`,
    versions: `@ai-sdk/workflow ${agent}, workflow ${workflow}${postgres === undefined ? "" : `, @workflow/world-postgres ${postgres}`}`,
    url,
    command: `cd ${shellLine([path.join(home, "app")])} && ${nodeCommand(".output/server/index.mjs", all)}`,
    driver: workflowChat(url),
  };
};

/** Installs the SDK and builds the app with it. Undefined if either fails. */
const build = (name: string, packages: Packages, ...options: readonly string[]): string | undefined => {
  const home = npmHome(name, packages, ...options);
  if (home === undefined) return undefined;
  const app = path.join(home, "app");
  rmSync(app, { recursive: true, force: true });
  cpSync(path.join(import.meta.dirname, "workflow-agent/app"), app, { recursive: true });
  return node(app, ["../node_modules/nitro/dist/cli/index.mjs", "build"]) === 0 ? home : undefined;
};

const node = (cwd: string, args: readonly string[], variables: Readonly<Record<string, string>> = {}): number | null =>
  spawnSync(process.execPath, args, {
    cwd,
    env: { ...process.env, ...variables },
    stdio: ["ignore", "ignore", "inherit"],
  }).status;
