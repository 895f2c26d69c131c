import { configDefaults, defineConfig } from "vitest/config";

/** It takes minutes for each version of Open WebUI, and has a command of its own. */
const apart = process.env.RUNCAST_OPEN_WEBUI === undefined ? ["test/open-webui/live/full/**"] : [];

/**
 * Suites that need the machine for themselves run last, one by one: they measure time or memory, or leave processes
 * running that any server with coding agents would end.
 */
const alone = ["acp-kill", "load", "mutants", "page", "shell", "sqlite", "window"].map(
  (name) => `test/slow/${name}.test.ts`,
);
const slow = ["test/slow/**/*.test.ts", "test/open-webui/live/**/*.test.ts", "test/examples/embed.test.ts"];

const project = (name: string, include: string[], exclude: readonly string[]) => ({
  extends: true as const,
  test: {
    name,
    include,
    exclude: [...configDefaults.exclude, ...exclude],
    maxWorkers: name === "alone" ? 1 : "100%",
    sequence: { groupOrder: name === "alone" ? 1 : 0 },
  },
});

export default defineConfig({
  // As the page's own build has it: the package's modules, from the sources.
  resolve: { alias: [{ find: /^runcast\/(.+)$/, replacement: `${import.meta.dirname}/src/$1.ts` }] },
  test: {
    globalSetup: "test/built-page.ts",
    setupFiles: "test/seeded.ts",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    projects: [
      project("fast", ["test/**/*.test.ts"], slow),
      project("slow", slow, [...alone, ...apart]),
      project("alone", alone, []),
    ],
  },
});
