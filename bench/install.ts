import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Installs the peers as pinned in the lock file. Does nothing if they are installed. */
export const install = () => {
  const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const installed = here("node_modules/.package-lock.json");
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(here("package-lock.json")).mtimeMs) return;
  console.log("bench: installing the peers (once)");
  const npm = process.env.npm_execpath;
  const [command, args] = npm
    ? [process.env.npm_node_execpath ?? process.execPath, [npm]]
    : [process.platform === "win32" ? "npm.cmd" : "npm", []];
  const { status } = spawnSync(command, [...args, "ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: here("."),
    stdio: "inherit",
    shell: process.platform === "win32" && !npm,
  });
  if (status !== 0) throw new Error("npm ci failed in bench/");
};
