// Attacks a server in every known way while an innocent viewer watches a run, then runs the tests of each guard: `npm
// run test:attack`, or `npm run test:attack -- --seconds 2 --only fuzz`.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { parseArgs } from "node:util";
import { attackAll } from "../test/attacks/all.ts";
import { buildPageIfStale } from "./build-page.ts";

const { values } = parseArgs({ options: { seconds: { type: "string" }, only: { type: "string" } } });
const seconds = Number(values.seconds ?? 10);
const fuzzSeconds = Number(values.seconds ?? 60);
if (!(seconds > 0)) {
  console.error("usage: npm run test:attack -- [--seconds 10] [--only words]");
  process.exit(2);
}
buildPageIfStale();
// The servers end with this process, and what they stored is removed.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

/** The maximum p99 delay for a viewer. */
const MAX_LATE_MS = 100;
let count = 0;
let failed = 0;
let skipped = 0;
for await (const { name, skipped: why, answers, wrong, viewer, before } of attackAll({
  seconds,
  fuzzSeconds,
  ...(values.only !== undefined && { words: values.only }),
})) {
  count += 1;
  if (why !== undefined) {
    skipped += 1;
    console.log(`skip  ${name} (${why})`);
    continue;
  }
  const isLate = viewer.count === 0 || viewer.p99 >= MAX_LATE_MS;
  const isWrong = wrong.length > 0 || isLate;
  if (isWrong) failed += 1;
  const given = [...answers].toSorted().map(([answer, times]) => `${answer} ×${times}`);
  console.log(`${isWrong ? "FAIL " : "ok   "} ${name}`);
  console.log(`        ${given.join(", ")}`);
  const late = `p99 ${viewer.p99} ms, at most ${viewer.max} ms late (just before: p99 ${before.p99} ms)`;
  console.log(
    `        viewer: ${viewer.count} words, ${late}${isLate ? ` (p99 must be under ${MAX_LATE_MS} ms)` : ""}`,
  );
  for (const text of wrong) console.log(`        wrong: ${text}`);
}
console.log(`${count - failed - skipped} held, ${failed} failed, ${skipped} skipped\n`);

/** The detailed tests of each guard. */
const SUITES = [
  "test/access.test.ts",
  "test/addresses.test.ts",
  "test/administration.test.ts",
  "test/ceilings.test.ts",
  "test/html-export.test.ts",
  "test/identity.test.ts",
  "test/links.test.ts",
  "test/long-runs.test.ts",
  "test/open-webui/hostile.test.ts",
  "test/rates.test.ts",
  "test/readiness.test.ts",
  "test/render.test.ts",
  "test/rights.test.ts",
  "test/slow/export-html.test.ts",
  "test/slow/files-confined.test.ts",
  "test/slow/mcp-hostile.test.ts",
  "test/slow/page-embeds.test.ts",
  "test/slow/page-hostile.test.ts",
  "test/slow/shell.test.ts",
  "test/slow/stray-errors.test.ts",
  "test/tools/guarded-fetch.test.ts",
  "test/tools/http-rebinding.test.ts",
  "test/web/hostile-markdown.test.ts",
];
if (values.only === undefined) {
  const args = ["--disable-warning=ExperimentalWarning", path.join(import.meta.dirname, "test.ts"), ...SUITES];
  if (spawnSync(process.execPath, args, { stdio: "inherit" }).status !== 0) failed += 1;
}
process.exit(failed > 0 || count === 0 ? 1 : 0);
