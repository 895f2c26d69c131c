import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { cycleIn, importsIn } from "./source-imports.ts";

const root = path.join(import.meta.dirname, "../..");
const source = path.join(root, "web/src");
const imports = importsIn(source);
const files = [...imports.keys()];

const manifest = (file: string) =>
  JSON.parse(readFileSync(path.join(root, file), "utf8")) as {
    readonly exports?: Readonly<Record<string, string>>;
    readonly dependencies?: Readonly<Record<string, string>>;
  };

/** From bottom to top: a file imports from its own layer and those below it. Layers on one line do not import each other. */
const LAYERS: readonly (readonly string[])[] = [
  ["kit"],
  ["markdown", "embeds"],
  ["run"],
  ["panel", "conversations"],
  ["session"],
  ["replay", "deletion", "board"],
  ["share"],
  ["app"],
];

const layerOf = (file: string): string => file.split("/")[0]!;
const heightOf = (layer: string): number => LAYERS.findIndex((layers) => layers.includes(layer));
const isMain = (file: string): boolean => !file.includes("/");

describe("the page's layers", () => {
  test.each(files)("%s belongs to a layer and imports nothing above it", (file) => {
    if (isMain(file)) return expect(file).toBe("main.tsx");
    const layer = layerOf(file);
    expect(heightOf(layer), `${file} is in no layer`).not.toBe(-1);
    for (const { target } of imports.get(file)!) {
      if (!/\.(?:tsx?|css)$/.test(target) || !target.includes("/") || layerOf(target) === layer) continue;
      if (!files.includes(target)) continue;
      expect(heightOf(layerOf(target)), `${file} imports ${target}`).toBeLessThan(heightOf(layer));
    }
  });

  test("files import only the page's own code, published parts of the package, or the page's dependencies", () => {
    const published = Object.keys(manifest("package.json").exports ?? {}).map((name) => `runcast${name.slice(1)}`);
    const dependencies = Object.keys(manifest("web/package.json").dependencies ?? {});
    const isAllowed = (target: string): boolean =>
      target.startsWith("runcast")
        ? published.includes(target)
        : files.includes(target) ||
          target.endsWith(".css") ||
          dependencies.some((name) => target === name || target.startsWith(`${name}/`));
    for (const [file, found] of imports)
      for (const { target } of found) expect(isAllowed(target), `${file} imports ${target}`).toBe(true);
  });

  test("there are no import cycles", () => {
    expect(cycleIn(imports)).toBeUndefined();
  });

  test("no file exceeds 300 lines, and every file has a kebab-case name", () => {
    for (const file of files) {
      const lines = readFileSync(path.join(source, file), "utf8").split("\n").length - 1;
      expect(lines, file).toBeLessThanOrEqual(300);
      expect(path.posix.basename(file), file).toMatch(/^(?!utils|helpers|common|types)[a-z0-9]+(-[a-z0-9]+)*\.tsx?$/);
    }
  });

  test("files have named exports only", () => {
    for (const file of files)
      expect(readFileSync(path.join(source, file), "utf8"), file).not.toMatch(/^export default/m);
  });
});
