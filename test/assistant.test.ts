import { mkdtempSync, rmSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { findModels } from "../src/assistant.ts";
import { withAssistant } from "../src/cli/with-assistant.ts";
import { loadConfig } from "../src/config.ts";
import { startScriptedServer } from "./scripted-server.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const stop of stops.splice(0)) await stop();
});

const NOBODY = "http://127.0.0.1:9/v1";
/** Queries no server on this machine. */
const alone = { OLLAMA_BASE_URL: NOBODY, LMSTUDIO_BASE_URL: NOBODY, VLLM_BASE_URL: NOBODY };

const modelServer = async (body: unknown, status = 200): Promise<string> => {
  const server = await startScriptedServer((response) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)),
  );
  stops.push(server.close);
  return `${server.url}/v1`;
};

const emptyDirectory = (): string => {
  const directory = mkdtempSync(path.join(tmpdir(), "runcast-assistant-"));
  stops.push(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
};

describe("a model without a configuration", () => {
  test("there is none if no key is set and no local server responds", async () => {
    expect(await findModels(alone)).toEqual([]);
  });

  test("a key selects its provider's default model, regardless of which variable contains it", async () => {
    const found = await findModels({ ...alone, OPENAI_API_KEY: "k", GEMINI_API_KEY: "k", GROQ_API_KEY: "" });
    expect(found).toEqual([
      { name: "openai/gpt-5", reason: "OPENAI_API_KEY is set" },
      { name: "google/gemini-2.5-pro", reason: "GEMINI_API_KEY is set" },
    ]);
  });

  test("a local server's models are found, without embedding models", async () => {
    const data = [{ id: "llama3" }, { id: "nomic-embed-text" }, { id: 7 }, null];
    const url = await modelServer({ object: "list", data });
    expect(await findModels({ ...alone, OLLAMA_BASE_URL: url })).toEqual([
      { name: "ollama/llama3", reason: `Ollama is running at ${url}` },
    ]);
  });

  test.each([
    ["an error", { error: "no" }, 500],
    ["something else", ["hello"], 200],
    ["no list", { data: "x" }, 200],
  ])("a server that responds with %s is ignored", async (_, body, status) => {
    expect(await findModels({ ...alone, VLLM_BASE_URL: await modelServer(body, status) })).toEqual([]);
  });

  test("a server that never responds delays nothing", async () => {
    const silent = await startScriptedServer(() => {});
    stops.push(silent.close);
    expect(await findModels({ ...alone, VLLM_BASE_URL: `${silent.url}/v1` }, 20)).toEqual([]);
  });

  test("the assistant comes before the demo, has a workspace, and cannot run commands", async () => {
    const directory = emptyDirectory();
    const read = await loadConfig(directory);
    const { config, note } = await withAssistant(read, undefined, {
      ...alone,
      ANTHROPIC_API_KEY: "k",
      XAI_API_KEY: "k",
    });
    expect(Object.keys(config.agents)).toEqual(["assistant", "demo"]);
    expect(config.defaultAgent).toBe("assistant");
    expect(note).toContain("anthropic/claude-sonnet-4-5, because ANTHROPIC_API_KEY is set");
    const { about } = config.agents["assistant"]!;
    expect(about).toMatchObject({ model: "anthropic/claude-sonnet-4-5", models: ["xai/grok-3-mini"] });
    const tools = about!.tools!.map(({ name }) => name);
    expect(tools).toEqual(expect.arrayContaining(["read_file", "write_file", "fetch_url", "write_todos", "task"]));
    expect(tools.some((name) => /shell|command|exec/.test(name))).toBe(false);
    expect(existsSync(path.join(directory, "workspace"))).toBe(true);
  });

  test("without a model, only the demo is available, and the note explains how to enable a model", async () => {
    const { config, note } = await withAssistant(await loadConfig(emptyDirectory()), undefined, alone);
    expect(Object.keys(config.agents)).toEqual(["demo"]);
    expect(note).toContain("ANTHROPIC_API_KEY");
  });

  test("the user chooses the model, also one whose key is missing; what is not a model is refused", async () => {
    const read = await loadConfig(emptyDirectory());
    const chosen = await withAssistant(read, "openai/gpt-5-mini", { ...alone, OPENAI_API_KEY: "k" });
    expect(chosen.config.agents["assistant"]!.about!.model).toBe("openai/gpt-5-mini");
    vi.stubEnv("OPENAI_API_KEY", undefined);
    const keyless = await withAssistant(read, "openai/gpt-5", alone);
    expect(keyless.config.defaultAgent).toBe("assistant");
    expect(await keyless.config.agents["assistant"]!.missingKeys!()).toEqual([
      { variable: "OPENAI_API_KEY", model: "openai/gpt-5" },
    ]);
    await expect(withAssistant(read, "gpt-5", alone)).rejects.toThrow("use <provider>/<model>");
    expect(await withAssistant(read, "demo", { ...alone, OPENAI_API_KEY: "k" })).toEqual({ config: read });
  });

  test("configured agents are unchanged", async () => {
    const own = { ...(await loadConfig(emptyDirectory())), hasOwnAgents: true, file: "/x/runcast.config.ts" };
    expect(await withAssistant(own, undefined, { OPENAI_API_KEY: "k" })).toEqual({ config: own });
    await expect(withAssistant(own, "openai/gpt-5", {})).rejects.toThrow("set the model in runcast.config.ts");
  });
});
