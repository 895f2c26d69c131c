// Format, lint, types, dead code, and the fast tests with the laws. Takes two to three minutes on two cores. Run before every commit.
import { spawnSync } from "node:child_process";
import path from "node:path";

const root = path.join(import.meta.dirname, "..");
const bin = (name: string) => path.join(root, "node_modules/.bin", name);

const steps: readonly (readonly [name: string, command: string, ...args: string[]])[] = [
  ["format", bin("oxfmt"), "--check", "."],
  ["lint", bin("oxlint"), "--deny-warnings", "src", "test", "scripts", "bench", "examples", "web/src"],
  ["types", bin("tsc"), "-p", "."],
  ["types of the page", bin("tsc"), "-p", "web"],
  ["dead code", bin("knip")],
  ["tests", process.execPath, path.join(root, "scripts/test.ts"), "--project=fast"],
];

for (const [name, command, ...args] of steps) {
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    encoding: "utf8",
    stdio: name === "tests" ? "inherit" : "pipe",
  });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${status === 0 ? "ok  " : "FAIL"} ${name} (${seconds} s)`);
  if (status === 0) continue;
  if (name !== "tests") console.log(stdout + stderr);
  process.exit(1);
}
