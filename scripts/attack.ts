// Attacks a server in every way we know while an innocent viewer watches a run, then runs the tests of what needs more than
// HTTP: `npm run test:attack -- [--seconds 10] [--short]`.
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { attackAll } from "../test/attacks/all.ts";

const { values } = parseArgs({ options: { seconds: { type: "string" }, short: { type: "boolean", default: false } } });
const seconds = Number(values.seconds ?? (values.short ? 1 : 10));
if (!(seconds > 0)) {
  console.error("usage: npm run test:attack -- [--seconds 10] [--short]");
  process.exit(2);
}

/** The viewer's share of the promise, on a machine that is not short of processors. */
const MOST_LATE_MS = 100;
let failed = 0;
for await (const { name, answers, wrong, viewer } of attackAll(seconds)) {
  const told = [...answers]
    .toSorted()
    .map(([status, count]) => `${status} ×${count}`)
    .join(", ");
  const isLate = viewer.p99 >= MOST_LATE_MS;
  if (wrong.length > 0 || isLate) failed += 1;
  console.log(`${wrong.length > 0 || isLate ? "FAIL" : "ok  "} ${name}`);
  if (told !== "") console.log(`       answers: ${told}`);
  console.log(
    `       viewer: ${viewer.count} deltas, p99 ${viewer.p99} ms late${isLate ? ` (at most ${MOST_LATE_MS})` : ""}`,
  );
  for (const text of wrong) console.log(`       wrong: ${text}`);
}

/** What is attacked elsewhere: browsers, terminals, tools and MCP servers. */
const SUITES = [
  "test/rights.test.ts",
  "test/identity.test.ts",
  "test/links.test.ts",
  "test/rates.test.ts",
  "test/ceilings.test.ts",
  "test/long-runs.test.ts",
  "test/readiness.test.ts",
  "test/administration.test.ts",
  "test/html-export.test.ts",
  "test/render.test.ts",
  "test/tools/guarded-fetch.test.ts",
  "test/tools/http-rebinding.test.ts",
  "test/web/hostile-markdown.test.ts",
  "test/open-webui/hostile.test.ts",
  "test/slow/mcp-hostile.test.ts",
  "test/slow/stray-errors.test.ts",
  "test/slow/shell.test.ts",
  "test/slow/files-confined.test.ts",
  "test/slow/export-html.test.ts",
  "test/slow/page-embeds.test.ts",
  "test/slow/page-hostile.test.ts",
];
if (!values.short) {
  const { status } = spawnSync(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", "scripts/test.ts", ...SUITES],
    {
      stdio: "inherit",
    },
  );
  if (status !== 0) failed += 1;
}
process.exit(failed > 0 ? 1 : 0);
