// Installs coding agents that test/slow/acp.test.ts runs, outside the checkout: `npm run agents -- [name …]`, all of them by default.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { agents, commandOf, homeOf } from "./install-agents/agents.ts";

const names = process.argv.slice(2);
const unknown = names.filter((name) => !agents.some((agent) => agent.name === name));
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(", ")}; there are ${agents.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}
for (const agent of agents.filter(({ name }) => names.length === 0 || names.includes(name))) {
  const home = homeOf(agent);
  if (!commandOf(agent)) {
    mkdirSync(home, { recursive: true });
    writeFileSync(path.join(home, "package.json"), JSON.stringify({ private: true }));
    const options = [
      "--no-audit",
      "--no-fund",
      "--loglevel=error",
      ...(agent.needsScripts ? [] : ["--ignore-scripts"]),
    ];
    const { status } = spawnSync("npm", ["install", ...options, `${agent.package}@${agent.version}`], {
      cwd: home,
      stdio: "inherit",
    });
    if (status !== 0 || !commandOf(agent)) {
      console.error(`${agent.name}: npm could not install ${agent.package}@${agent.version}`);
      process.exit(1);
    }
  }
  console.log(`${agent.name}: ${agent.package}@${agent.version} in ${home}`);
}
