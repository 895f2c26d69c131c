import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildPage } from "../../scripts/build-page.ts";

const root = path.join(import.meta.dirname, "../..");
const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
  exports: Record<string, string>;
  dependencies: Record<string, string>;
};

/** The package as a user gets it: built, packed and unpacked. */
describe("the published package", { timeout: 120_000 }, () => {
  const directory = mkdtempSync(path.join(tmpdir(), "runcast-package-"));
  const installed = path.join(directory, "node_modules/runcast");
  beforeAll(() => {
    execFileSync(
      path.join(root, "node_modules/.bin/tsc"),
      ["-p", "tsconfig.build.json", "--outDir", path.join(installed, "dist")],
      { cwd: root },
    );
    writeFileSync(path.join(installed, "package.json"), JSON.stringify(manifest));
    buildPage(path.join(installed, "dist/web"));
    // Its dependencies, which npm installs, and React, which users of runcast/react install themselves.
    for (const name of [...Object.keys(manifest.dependencies), "react"]) {
      const place = path.join(directory, "node_modules", name);
      mkdirSync(path.dirname(place), { recursive: true });
      symlinkSync(path.join(root, "node_modules", name), place);
    }
  }, 120_000);
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const run = (...args: string[]): string => execFileSync(process.execPath, args, { cwd: directory, encoding: "utf8" });

  test("offers every subpath it names", () => {
    const names = Object.keys(manifest.exports).filter((name) => !name.includes("*") && name !== "./package.json");
    const script = names
      .map((name) => `console.log(Object.keys(await import(${JSON.stringify(`runcast${name.slice(1)}`)})).length > 0)`)
      .join("\n");
    writeFileSync(path.join(directory, "imports.mjs"), script);
    expect(run("imports.mjs").trim().split("\n")).toEqual(names.map(() => "true"));
  });

  test("brings the page", () => {
    const place = JSON.stringify(path.join(installed, "dist/page.js"));
    writeFileSync(
      path.join(directory, "page.mjs"),
      `const { page } = await import(${place}); console.log(await (await page()(new Request("http://localhost/"))).text())`,
    );
    expect(run("page.mjs")).toContain("<title>Runcast</title>");
    writeFileSync(
      path.join(directory, "element.mjs"),
      `const { page } = await import(${place}); console.log((await page()(new Request("http://localhost/element.js"))).status)`,
    );
    expect(run("element.mjs")).toBe("200\n");
  });

  test("publint finds nothing wrong", async () => {
    const { messages, pkg } = await publint({ pkgDir: installed, pack: false, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  test("its command runs", () => {
    expect(run(path.join(installed, "dist/cli.js"), "check", path.join(root, "golden/runs/everything.jsonl"))).toMatch(
      /^ok/,
    );
  });

  test("on a Node.js that is too old its command says so in a sentence, before it loads anything else", () => {
    const old = path.join(directory, "old");
    cpSync(path.join(installed, "dist/cli.js"), path.join(old, "dist/cli.js"));
    writeFileSync(path.join(old, "package.json"), JSON.stringify({ type: "module", engines: { node: ">=999.1" } }));
    const { status, stderr } = spawnSync(process.execPath, [path.join(old, "dist/cli.js")], { encoding: "utf8" });
    expect(stderr).toBe(
      `runcast: this is Node.js ${process.versions.node}, but Runcast needs 999.1 or newer; install it from https://nodejs.org and run the command again\n`,
    );
    expect(status).toBe(1);
  });
});
