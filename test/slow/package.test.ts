import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { beforeAll, describe, expect, test } from "vitest";
import { createClient } from "../../src/client.ts";
import { describeInBrowser } from "../browsing.ts";
import { mockProvider } from "../mock-provider.ts";
import { copyCheckout, freshEnvironment, mustRun, root, runCommand } from "../packed/checkout.ts";
import { startOllama } from "../packed/ollama.ts";
import { usePacked } from "../packed/pack.ts";
import { walk } from "../packed/walk.ts";

const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
  readonly version: string;
  readonly exports: Readonly<Record<string, string>>;
};

const { clone, environment, emptyFolder } = usePacked();

/** Every name under which a module of the package can be imported. Those with a star are found in the package itself. */
const importNames = (installed: string): readonly string[] =>
  Object.entries(manifest.exports).flatMap(([name, target]) => {
    const subpath = `runcast${name.slice(1)}`;
    if (name === "./package.json") return [];
    if (!name.includes("*")) return [subpath];
    const found = readdirSync(path.join(installed, path.dirname(target))).filter((file) => file.endsWith(".js"));
    expect(found, name).not.toEqual([]);
    return found.map((file) => subpath.replace("*", path.basename(file, ".js")));
  });

/** As a user gets it: packed and installed in an empty folder, without the optional packages. */
describe("the published package", { timeout: 120_000 }, () => {
  let directory: string;
  let installed: string;
  beforeAll(async () => {
    directory = emptyFolder("installed");
    installed = path.join(directory, "node_modules/runcast");
    await mustRun("npm install runcast", directory, environment());
  }, 120_000);

  const run = (command: string) => runCommand(command, directory, environment());

  test("contains what it needs and nothing else", () => {
    expect(readdirSync(installed).toSorted()).toEqual([
      ...["CHANGELOG.md", "LICENSE", "PROTOCOL.md", "README.md", "dist", "package.json"],
    ]);
    expect(readdirSync(path.join(directory, "node_modules"))).not.toContain("react");
  });

  test("every module can be imported by its name, and only the React hooks need React", async () => {
    const names = importNames(installed);
    writeFileSync(
      path.join(directory, "imports.mjs"),
      `const failed = [];
      for (const name of ${JSON.stringify(names)})
        await import(name).then(
          (module) => Object.keys(module).length === 0 && failed.push(name),
          ({ message }) => failed.push(name + ": " + message),
        );
      console.log(JSON.stringify(failed));`,
    );
    const { out, error } = await run("node imports.mjs");
    expect(error).toBe("");
    expect(JSON.parse(out)).toEqual([expect.stringMatching(/^runcast\/react: Cannot find package 'react'/)]);
  });

  test("every module has types that a strict program accepts", async () => {
    const others = "react @types/react @types/node pg @types/pg redis ai @types/json-schema @opentelemetry/api";
    await mustRun(`npm install ${others}`, directory, environment());
    const names = importNames(installed);
    const lines = names.map((name, index) => `import * as module${index} from ${JSON.stringify(name)};`);
    const all = names.map((_, index) => `module${index}`).join(", ");
    writeFileSync(path.join(directory, "types.mts"), [...lines, `console.log(${all});`].join("\n"));
    const options = "--strict --noEmit --module nodenext --target es2024 --lib es2024,dom --types node,react";
    const { out } = await run(`${path.join(root, "node_modules/.bin/tsc")} ${options} types.mts`);
    expect(out).toBe("");
  });

  test("publint finds nothing wrong", async () => {
    const { messages, pkg } = await publint({ pkgDir: installed, pack: false, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  test("its commands run", async () => {
    expect((await run("npx runcast --version")).out).toBe(`${manifest.version}\n`);
    expect((await run(`npx runcast check ${path.join(root, "golden/runs/everything.jsonl")}`)).out).toMatch(/^ok/);
    expect((await run("npx runcast init")).out).toContain("npx runcast serve");
    expect(existsSync(path.join(directory, "runcast.config.ts"))).toBe(true);
  });

  test("on a Node.js that is too old, its command reports that in one sentence, before it loads anything else", async () => {
    const old = path.join(directory, "old");
    cpSync(path.join(installed, "dist/cli.js"), path.join(old, "dist/cli.js"));
    writeFileSync(path.join(old, "package.json"), JSON.stringify({ type: "module", engines: { node: ">=999.1" } }));
    const { code, error } = await run("node old/dist/cli.js");
    expect(error).toBe(
      `runcast: this is Node.js ${process.versions.node}, but Runcast needs 999.1 or newer; install it from https://nodejs.org and run the command again\n`,
    );
    expect(code).toBe(1);
  });
});

/** Installed once, apart from the folders in which it is used. `npx runcast` installs it in the same way, in npm's cache. */
describe("a global installation", { timeout: 120_000 }, () => {
  let command: string;
  beforeAll(async () => {
    const prefix = emptyFolder("global");
    await mustRun(`npm install -g --prefix ${prefix} runcast`, prefix, environment());
    command = path.join(prefix, "bin/runcast");
  }, 120_000);

  const folderWith = (config: string): string => {
    const folder = emptyFolder("folder");
    writeFileSync(path.join(folder, "runcast.config.mjs"), config);
    return folder;
  };
  /** Loads the configuration and opens its log, because no server runs at this address. */
  const load = (cwd: string) =>
    runCommand(`${command} backup all.tar`, cwd, environment({ RUNCAST_URL: "http://127.0.0.1:1" }));

  test("loads a configuration that imports the package and its dependencies, in a folder that has neither", async () => {
    const cwd = folderWith(`
      import { agent, defineConfig, defineTool } from "runcast";
      import { mcp } from "runcast/tools/mcp";
      import { createOpenAI } from "@ai-sdk/openai";
      import { z } from "zod";
      console.log([agent, defineTool, mcp, createOpenAI, z.object].map((one) => typeof one).join(" "));
      export default defineConfig({ log: "memory" });`);
    const { out, error } = await load(cwd);
    expect(out).toBe("function function function function function\n");
    expect(error).toMatch(/^runcast backup: Runcast cannot back up the log memory/);
  });

  test("Node.js prints no warning about a project whose package.json has no type", async () => {
    const cwd = emptyFolder("folder");
    writeFileSync(path.join(cwd, "package.json"), "{}");
    writeFileSync(path.join(cwd, "runcast.config.ts"), 'export default { log: "memory" };');
    expect((await load(cwd)).error).toMatch(/^runcast backup: Runcast cannot back up the log memory.*\n$/);
  });

  test("the project's own copy of a package takes precedence", async () => {
    const cwd = folderWith('import { own } from "zod"; console.log(own); export default { log: "memory" };');
    writePackage(cwd, "zod", 'export const own = "the copy in the project";');
    expect((await load(cwd)).out).toBe("the copy in the project\n");
  });

  test("uses the optional packages of the project", async () => {
    const cwd = folderWith('export default { log: "redis://127.0.0.1:1" };');
    expect((await load(cwd)).error).toContain("npm install redis");
    writePackage(cwd, "redis", 'console.log("the copy in the project");');
    expect((await load(cwd)).out).toBe("the copy in the project\n");
  });

  test("says how to install a package that is missing", async () => {
    const { code, error } = await load(folderWith('import "@acme/tools/search"; export default {};'));
    expect(error).toMatch(
      /^runcast backup: runcast\.config\.mjs: cannot be loaded: Cannot find package '@acme\/tools' imported from \S+runcast\.config\.mjs; install it: npm install @acme\/tools\n$/,
    );
    expect(code).toBe(1);
  });
});

const writePackage = (folder: string, name: string, code: string): void => {
  const place = path.join(folder, "node_modules", name);
  mkdirSync(place, { recursive: true });
  writeFileSync(path.join(place, "package.json"), JSON.stringify({ name, type: "module", exports: "./index.js" }));
  writeFileSync(path.join(place, "index.js"), code);
};

/** Each from nothing to a model's answer on the page. */
describeInBrowser("the first minutes", ({ open }) => {
  const ANSWER = "Hello there.";
  const withKey = async () => {
    const provider = await mockProvider("anthropic");
    return { provider, env: { ANTHROPIC_API_KEY: "a-key", ANTHROPIC_BASE_URL: `${provider.url}/v1` } };
  };

  test("npx runcast, in an empty folder, with a provider's key", { timeout: 120_000 }, async () => {
    const { provider, env } = await withKey();
    const steps = { commands: ["npx runcast"], cwd: emptyFolder("key"), env: environment(env), open, answer: ANSWER };
    const { printed, url, page } = await walk("npx runcast with a key", steps);
    expect(printed).toContain("because ANTHROPIC_API_KEY is set");
    expect(provider.requests).toHaveLength(1);

    // The demo is available as well, and the element shows any run on any page of this origin.
    const handle = createClient({ url }).start({ agent: "demo", message: "Just answer: are you real?" });
    await handle.finished;
    await page.addScriptTag({ type: "module", url: `${url}/element.js` });
    await page.evaluate(showRun, { url, run: handle.run });
    await page.locator("run-view").getByText("scripted").first().waitFor();
  });

  test("npx runcast, in an empty folder, with Ollama on its usual port", { timeout: 120_000 }, async (context) => {
    const ollama = await startOllama();
    if (!ollama && process.env.RUNCAST_REQUIRE_ALL !== "1") return context.skip("another server uses Ollama's port");
    const steps = { commands: ["npx runcast"], cwd: emptyFolder("ollama"), env: environment(), open, answer: ANSWER };
    const { printed } = await walk("npx runcast with Ollama, no configuration", steps);
    expect(printed).toContain("assistant  ollama/llama3");
    expect(ollama!.asked).toEqual(["GET /v1/models", "POST /v1/chat/completions"]);
  });

  test("npm start, in a clone, with a provider's key", { timeout: 600_000 }, async () => {
    const { provider, env } = await withKey();
    const isLong = process.env.RUNCAST_LONG === "1";
    const cwd = isLong ? emptyFolder("clone") : clone;
    if (isLong) copyCheckout(cwd);
    // Takes minutes on a slow machine. The short form uses the packages of this checkout, and the page that was packed.
    const commands = [...(isLong ? ["npm install"] : []), "npm start"];
    const steps = { commands, cwd, env: freshEnvironment(env), open, answer: ANSWER };
    const { printed } = await walk(isLong ? "a clone with a key" : "an installed clone with a key", steps);
    expect(printed).toContain("because ANTHROPIC_API_KEY is set");
    expect(provider.requests).toHaveLength(1);
  });
});

/** Runs in the page. */
const showRun = ({ url, run }: { readonly url: string; readonly run: string }): void => {
  const view = document.createElement("run-view");
  view.setAttribute("url", url);
  view.setAttribute("run", run);
  document.body.append(view);
};
