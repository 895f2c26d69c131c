import { configDefaults, defineConfig } from "vitest/config";

/** It takes minutes for each version of Open WebUI, and has a command of its own. */
const apart = process.env.RUNCAST_OPEN_WEBUI === undefined ? ["test/open-webui/live/full/**"] : [];

export default defineConfig({
  // As the page's own build has it: the package's modules, from the sources.
  resolve: { alias: [{ find: /^runcast\/(.+)$/, replacement: `${import.meta.dirname}/src/$1.ts` }] },
  test: {
    include: ["test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...apart],
    globalSetup: "test/built-page.ts",
    setupFiles: "test/seeded.ts",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
