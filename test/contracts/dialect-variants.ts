import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import type { Dialect } from "../../src/dialect.ts";
import type { Entry } from "../../src/events.ts";

const root = path.join(import.meta.dirname, "../..");

/** Every dialect: each file of the folder, by the name that it must export. */
export const dialects: readonly Dialect[] = await Promise.all(
  readdirSync(path.join(root, "src/dialects"))
    .filter((file) => file.endsWith(".ts"))
    .map(async (file) => {
      const name = file.slice(0, -".ts".length).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
      const module = (await import(path.join(root, "src/dialects", file))) as Record<string, Dialect>;
      if (!module[name]) throw new Error(`src/dialects/${file} must export ${name}`);
      return module[name];
    }),
);

const runs = path.join(root, "golden/runs");

export const goldenRuns: readonly { readonly name: string; readonly entries: readonly Entry[] }[] = readdirSync(
  runs,
).map((file) => ({
  name: file.replace(".jsonl", ""),
  entries: readFileSync(path.join(runs, file), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Entry),
}));
