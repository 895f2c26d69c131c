import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type Config, ConfigError, checkConfig, defineConfig, loadConfig } from "../src/config.ts";
import { memory } from "../src/logs/memory.ts";
import { type Source, describeAgent } from "../src/source.ts";

const directories: string[] = [];
const inDirectory = async (files: Readonly<Record<string, string>>): Promise<string> => {
  const directory = await mkdtemp(path.join(tmpdir(), "runcast-config-"));
  directories.push(directory);
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(directory, name), text);
  return directory;
};
afterEach(async () => {
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true, force: true });
});

const source: Source = async function* () {};

describe("a mistake names the file, the field and what is expected", () => {
  const mistakes: readonly (readonly [string, unknown, string])[] = [
    ["not an object", 7, "the configuration must be an object: export default defineConfig({ … })"],
    ["agents of another kind", { agents: [] }, "agents must be an object of agents by name"],
    ["no agent", { agents: {} }, "agents must have at least one agent"],
    [
      "an agent that is not a source",
      { agents: { helper: "gpt" } },
      "agents.helper must be a source (a function), such as agent({ … })",
    ],
    [
      "an object around a source",
      { agents: { helper: { source } } },
      "agents.helper must be a source (a function), such as agent({ … })",
    ],
    [
      "a fact of the wrong type",
      { agents: { helper: describeAgent(source, { models: "gpt" as never }) } },
      "agents.helper.about.models must be a list of strings",
    ],
    [
      "a name that is invalid in a path",
      { agents: { "di ce/": source } },
      "agents.di ce/ must have a name with only letters, digits, ., - and _",
    ],
    [
      "an unknown default",
      { agents: { helper: source }, defaultAgent: "helpr" },
      "defaultAgent names helpr, which is not in agents; did you mean helper?",
    ],
    ["an unknown log", { log: "redis" }, 'log must be "memory", "sqlite", "redis://…", "postgres://…" or a Log'],
    ["an invalid log", { log: {} }, 'log must be "memory", "sqlite", "redis://…", "postgres://…" or a Log'],
    ["a port that is text", { port: "80" }, "port must be a whole number from 0 (any free port) to 65535"],
    ["a port that is too high", { port: 70_000 }, "port must be a whole number from 0 (any free port) to 65535"],
    [
      "a short key",
      { key: "abc" },
      "key must be a string of at least 8 characters without spaces, or a list of such strings",
    ],
    ["a key without a name", { keys: [{ key: "long-enough" }] }, "keys.0.name must be a string"],
    [
      "an invalid right",
      { keys: [{ name: "a", key: "long-enough", rights: ["read"] }] },
      "keys.0.rights.0 must be one of start, watch, answer, admin",
    ],
    [
      "two keys with the same name",
      { keys: [1, 2].map((n) => ({ name: "a", key: `long-enough-${n}` })) },
      "keys must have different names",
    ],
    ["a base path without a slash", { basePath: "runcast" }, "basePath must be a path, such as /runcast"],
    ["hosts as text", { hosts: "a.example" }, "hosts must be a list of strings"],
    ["a host that is a number", { hosts: [1] }, "hosts.0 must be a string"],
    ["an unknown limit", { limits: { stream: 5 } }, "limits.stream is not a setting; did you mean streams?"],
    ["a limit below one", { limits: { streams: 0 } }, "limits.streams must be a whole number of streams, at least 1"],
    [
      "an age that is text",
      { retention: { maxAgeMs: "1d" } },
      "retention.maxAgeMs must be a whole number of milliseconds, at least 1",
    ],
    ["prices as a list", { prices: [] }, "prices must be an object of prices by model"],
    ["a price that is a number", { prices: { "a/b": 1 } }, "prices.a/b must be an object with input and output"],
    ["a misspelled price", { prices: { m: { input: 1, output: 1, cached: 1 } } }, "prices.m.cached is not a setting"],
    ...[-1, NaN, Infinity, "1", 1e7, undefined].map(
      (input) =>
        [
          `a price of ${input}`,
          { prices: { "openai/gpt-5": { input, output: 1 } } },
          "prices.openai/gpt-5.input must be a number of dollars per million tokens, from 0 to 1,000,000",
        ] as const,
    ),
    ["an onEnd that is not a function", { onEnd: true }, "onEnd must be a function"],
    ["invalid dialects", { dialects: ["native"] }, "dialects.0 must be a dialect, such as native"],
    ["a misspelled setting", { agent: { helper: source } }, "agent is not a setting; did you mean agents?"],
    ["an unknown setting", { colour: "red" }, "colour is not a setting"],
  ];
  test.each(mistakes)("%s", (_, config, message) => {
    expect(() => checkConfig(config, "runcast.config.ts")).toThrow(new ConfigError(`runcast.config.ts: ${message}`));
  });

  test("several mistakes are reported together", () => {
    const check = () => checkConfig({ port: -1, orgins: [], hsots: [], keyInPath: "yes" }, "c.ts");
    expect(check).toThrow(
      /c\.ts: port must.*\nc\.ts: keyInPath must be true or false\nc\.ts: orgins is not a setting; did you mean origins\?\nc\.ts: hsots is not a setting; did you mean hosts\?/,
    );
  });
});

describe("loading", () => {
  test("without a file, there is the scripted demo and a log in .runcast", async () => {
    const directory = await inDirectory({});
    const config = await loadConfig(directory);
    expect(config.file).toBeUndefined();
    expect(Object.entries(config.agents).map(([name, { about }]) => [name, about?.model])).toEqual([
      ["demo", "demo (scripted)"],
    ]);
    expect(config.dialects.map(({ name }) => name)).toContain("native");
    const { log, place } = await config.openLog();
    expect([log.name, place]).toEqual(["sqlite", path.join(directory, ".runcast")]);
    await log.close();
  });

  test.each(["runcast.config.ts", "runcast.config.js", "runcast.config.mjs"])("reads %s", async (name) => {
    const directory = await inDirectory({
      [name]: `export default { agents: { echo: async function* () {} }, port: 4999, log: "memory" };`,
    });
    const config = await loadConfig(directory);
    expect(config).toMatchObject({ file: path.join(directory, name), port: 4999 });
    expect(config.agents["echo"]).toBeTypeOf("function");
    expect((await config.openLog()).log.name).toBe("memory");
  });

  test("a log given by name overrides the configured one, and an unknown name is rejected with the known ones", async () => {
    const config = await loadConfig(await inDirectory({ "runcast.config.mjs": "export default {}" }));
    expect((await config.openLog("memory")).log.name).toBe("memory");
    await expect(config.openLog("memry")).rejects.toThrow(
      "there is no log memry; use one of memory, sqlite, redis://…, postgres://…; did you mean memory?",
    );
    const wrong = config.openLog("redix://ada:secret-word@host/0");
    await expect(wrong).rejects.toThrow(/^there is no log redix:\/\/host\/0; use one of /);
  });

  test("types are stripped, and a configuration keeps the log object it was given", async () => {
    const text = `const port: number = 4998;\nexport default { port } satisfies { port: number };`;
    expect(await loadConfig(await inDirectory({ "runcast.config.ts": text }))).toMatchObject({ port: 4998 });
    const log = memory();
    expect(checkConfig(defineConfig({ log, agents: { a: source } } satisfies Config), "c").log).toBe(log);
  });

  test("problems with the file itself are reported", async () => {
    const load = async (text: string) => await loadConfig(await inDirectory({ "runcast.config.mjs": text }));
    await expect(load("export default {")).rejects.toThrow(/^runcast\.config\.mjs: cannot be loaded: /);
    await expect(load("throw new Error('no key')")).rejects.toThrow("cannot be loaded: no key");
    const misspelt = `import { agent } from "${path.join(import.meta.dirname, "../src/sources/agent.ts")}";\nagent({ name: "a", modle: 1 });`;
    await expect(load(misspelt)).rejects.toThrow("agent a: modle is not an option; did you mean model?");
    await expect(load("export const config = {}")).rejects.toThrow("runcast.config.mjs: has no default export");
    await expect(load("export default { port: 'x' }")).rejects.toThrow("runcast.config.mjs: port must be");
    await expect(loadConfig(await inDirectory({}), { file: "other.ts" })).rejects.toThrow(
      /other\.ts: there is no such file/,
    );
  });
});
