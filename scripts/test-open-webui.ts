// Runs the live suite against real Open WebUI installations, the newest and 0.10.2: `npm run test:open-webui`.
//   -- --version 0.10.2   only that one (may be repeated)
//   -- --install          only installs
//   -- --upgrade          installs the newest release
//   -- --pictures         also takes the screenshots of docs/open-webui.md
// File arguments select the tests to run. Other options, as --name=value, are passed to vitest. Each version has its
// own virtual environment below .cache/open-webui (or RUNCAST_OPEN_WEBUI_HOME), which is kept for later runs.
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { parseArgs } from "node:util";
import { startOpenWebUi } from "../test/open-webui/live/open-webui.ts";
import { installOpenWebUi } from "./test-open-webui/install.ts";

const root = path.join(import.meta.dirname, "..");
const home = process.env.RUNCAST_OPEN_WEBUI_HOME ?? path.join(root, ".cache/open-webui");
const { values, tokens } = parseArgs({
  options: {
    version: { type: "string", multiple: true },
    install: { type: "boolean" },
    upgrade: { type: "boolean" },
    pictures: { type: "boolean" },
  },
  strict: false,
  tokens: true,
});
const own = ["version", "install", "upgrade", "pictures"];
const named = tokens.flatMap((token) => (token.kind === "positional" ? [token.value] : []));
const files = named.length > 0 ? named : ["test/open-webui/live"];
const rest = tokens.flatMap((token) => {
  if (token.kind !== "option" || own.includes(token.name)) return [];
  return [token.rawName + (token.value === undefined ? "" : `=${token.value}`)];
});
const versions = (values.version as string[] | undefined) ?? ["newest", "0.10.2"];

for (const version of versions)
  await installOpenWebUi(path.join(home, version), version, { upgrade: values.upgrade === true });

let failed = 0;
for (const version of values.install === true ? [] : versions) {
  const openWebUi = await startOpenWebUi(path.join(home, version, "bin/open-webui"));
  console.log(`\nThe live suite against Open WebUI ${openWebUi.version}`);
  const tests = spawn(
    process.execPath,
    // One file at a time: they share one Open WebUI, and each sets its connections.
    [path.join(root, "node_modules/vitest/vitest.mjs"), "run", "--no-file-parallelism", ...files, ...rest],
    {
      cwd: root,
      stdio: "inherit",
      env: {
        ...process.env,
        RUNCAST_REQUIRE_ALL: "1",
        RUNCAST_OPEN_WEBUI_HOME: home,
        RUNCAST_OPEN_WEBUI: version,
        RUNCAST_OPEN_WEBUI_URL: openWebUi.url,
        ...(values.pictures === true && { RUNCAST_PICTURES: "1" }),
      },
    },
  );
  const [status] = await once(tests, "exit");
  await openWebUi.stop();
  if (status !== 0) failed += 1;
}
process.exit(failed === 0 ? 0 : 1);
