// Installs the coding agents, frameworks and front ends that slow tests run, outside the checkout: `npm run agents -- [name …]`. Default: all.
import { spawnSync } from "node:child_process";
import { copyFileSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { agents, commandOf, homeOf } from "./install-agents/agents.ts";
import { isInstalled, lockOf, pages } from "./install-agents/pages.ts";
import { markOf, programOf, pythonAgents, pythonOf } from "./install-agents/python-agents.ts";

const names = process.argv.slice(2);
const known = [...agents, ...pythonAgents, ...pages].map(({ name }) => name);
const unknown = names.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(", ")}; use ${known.join(", ")}`);
  process.exit(2);
}
const isWanted = ({ name }: { readonly name: string }) => names.length === 0 || names.includes(name);

const run = (command: string, args: readonly string[], cwd: string): boolean =>
  spawnSync(command, args, { cwd, stdio: "inherit" }).status === 0;

for (const agent of pythonAgents.filter(isWanted)) {
  const home = homeOf(agent);
  const { packages } = agent;
  if (!pythonOf(agent)) {
    mkdirSync(home, { recursive: true });
    const isInstalled =
      run("python3", ["-m", "venv", "venv"], home) &&
      run(programOf(agent), ["-m", "pip", "install", "--quiet", ...packages], home);
    if (!isInstalled) {
      console.error(`${agent.name}: pip could not install ${packages.join(" ")}`);
      process.exit(1);
    }
    writeFileSync(markOf(agent), packages.join("\n"));
  }
  console.log(`${agent.name}: ${packages.join(" ")} in ${home}`);
}

for (const agent of agents.filter(isWanted)) {
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
    if (!run("npm", ["install", ...options, `${agent.package}@${agent.version}`], home) || !commandOf(agent)) {
      console.error(`${agent.name}: npm could not install ${agent.package}@${agent.version}`);
      process.exit(1);
    }
  }
  console.log(`${agent.name}: ${agent.package}@${agent.version} in ${home}`);
}

for (const page of pages.filter(isWanted)) {
  const home = homeOf(page);
  const { name, folder } = page;
  if (!isInstalled(page)) {
    mkdirSync(home, { recursive: true });
    for (const file of ["package.json", "package-lock.json"])
      copyFileSync(path.join(folder, file), path.join(home, file));
    if (!run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error", "--ignore-scripts"], home)) {
      console.error(`${name}: npm could not install ${folder}/package-lock.json`);
      process.exit(1);
    }
    copyFileSync(path.join(folder, "package-lock.json"), lockOf(page));
  }
  const packages = path.join(folder, "node_modules");
  if (!lstatSync(packages, { throwIfNoEntry: false })) symlinkSync(path.join(home, "node_modules"), packages);
  console.log(`${name}: ${home}`);
}
