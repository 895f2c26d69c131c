import { existsSync } from "node:fs";
import path from "node:path";
import { describe, test } from "vitest";

/** Where `npm run test:open-webui` keeps a virtual environment for each version. */
const home = (): string =>
  process.env.RUNCAST_OPEN_WEBUI_HOME ?? path.join(import.meta.dirname, "../../../.cache/open-webui");

/** Long, because two servers and a browser share the machine with other processes. */
const TEST_MS = 180_000;

/** The version under test: a number, or `newest`. */
const version = (): string => process.env.RUNCAST_OPEN_WEBUI ?? "newest";

/**
 * Describes a suite that needs a live Open WebUI and Chromium. If one is missing, the suite is skipped with a line that
 * says so. With RUNCAST_REQUIRE_ALL=1 that is a failure.
 */
export const describeLive = (name: string, suite: (installed: { readonly program: string }) => void): void => {
  const title = `Open WebUI ${version()}: ${name}`;
  const program = path.join(home(), version(), "bin/open-webui");
  if (existsSync(program)) {
    describe(title, { timeout: TEST_MS }, () => suite({ program }));
    return;
  }
  const absent = `Open WebUI is not installed: npm run test:open-webui -- --install`;
  if (process.env.RUNCAST_REQUIRE_ALL === "1")
    test(title, () => {
      throw new Error(`${absent}, and RUNCAST_REQUIRE_ALL=1 requires it`);
    });
  else {
    console.log(`skipped: ${title} (${absent})`);
    // Makes it appear in the count of skipped tests.
    test.skip(title, () => {});
  }
};
