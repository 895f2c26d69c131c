// Runs every suite in its short form (`npm test`), or in full with --long. Other arguments are passed to vitest.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const root = path.join(import.meta.dirname, "..");
const directory = mkdtempSync(path.join(tmpdir(), "runcast-test-"));
const report = path.join(directory, "report.json");
const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
const options = ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`];

const isLong = process.argv.includes("--long");
const rest = process.argv.slice(2).filter((argument) => argument !== "--long");
if (isLong) process.env.RUNCAST_LONG = "1";

const { status } = spawnSync(process.execPath, [vitest, ...options, ...rest], {
  cwd: root,
  stdio: "inherit",
});
try {
  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, "utf8"));
  console.log(`${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`);
} catch {
  console.error("the tests did not finish");
} finally {
  rmSync(directory, { recursive: true, force: true });
}
process.exit(status ?? 1);
