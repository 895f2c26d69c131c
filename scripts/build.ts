// Builds the published package: JavaScript and types in dist/, the page in dist/web/.
import { spawnSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";
import path from "node:path";
import { buildPage } from "./build-page.ts";

const root = path.join(import.meta.dirname, "..");
rmSync(path.join(root, "dist"), { recursive: true, force: true });
const { status } = spawnSync(path.join(root, "node_modules/.bin/tsc"), ["-p", "tsconfig.build.json"], {
  cwd: root,
  stdio: "inherit",
});
if (status !== 0) process.exit(status ?? 1);
chmodSync(path.join(root, "dist/cli.js"), 0o755);
buildPage();
