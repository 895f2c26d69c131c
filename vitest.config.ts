import { readdirSync, readFileSync } from "node:fs";
import { configDefaults, defineConfig } from "vitest/config";

/** It takes minutes for each version of Open WebUI, and has a command of its own. */
const apart = process.env.RUNCAST_OPEN_WEBUI === undefined ? ["test/open-webui/live/full/**"] : [];

/** Suites that measure time or memory, or that start a browser, need the machine for themselves: they run last, one by one. */
const MEASURING = ["load", "mutants", "shell", "sqlite", "window"].map((name) => `test/slow/${name}.test.ts`);
const isInBrowser = (file: string): boolean =>
  file.endsWith(".test.ts") && readFileSync(`${import.meta.dirname}/test/${file}`, "utf8").includes("browsing.ts");
const alone = [
  ...MEASURING,
  "test/open-webui/live/**/*.test.ts",
  ...readdirSync(`${import.meta.dirname}/test`, { encoding: "utf8", recursive: true })
    .filter(isInBrowser)
    .map((file) => `test/${file}`),
];

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
      project("fast", ["test/**/*.test.ts"], ["test/slow/**", "test/open-webui/live/**", ...alone]),
      project("slow", ["test/slow/**/*.test.ts"], alone),
      project("alone", alone, apart),
    ],
  },
});
