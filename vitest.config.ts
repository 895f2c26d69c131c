import { defineConfig } from "vitest/config";

export default defineConfig({
  // As the page's own build has it: the published subpaths, from the sources.
  resolve: { alias: [{ find: /^runcast\/(.+)$/, replacement: `${import.meta.dirname}/src/$1.ts` }] },
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: "test/built-page.ts",
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
