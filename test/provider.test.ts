import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { model, provider } from "../src/models/provider.ts";
import { Refusal } from "../src/source.ts";
import { agent } from "../src/sources/agent.ts";
import { defineTool, toolResult } from "../src/tool.ts";
import { drive, playing, script, user } from "./drive.ts";
import { mockProvider } from "./mock-provider.ts";
import { refuses, startScriptedServer } from "./scripted-server.ts";
import { onStop } from "./serving.ts";
import type { Aside, Format } from "../src/models/provider/format.ts";
import { readAnswer } from "../src/models/provider/read-answer.ts";

afterEach(() => vi.unstubAllEnvs());

const refused = async (work: Promise<unknown>): Promise<Refusal> => {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Refusal)) throw new TypeError(`not refused, but ${String(error)}`);
  return error;
};

describe("a model by name", () => {
  test.each([
    ["openai/gpt-5", "OPENAI_API_KEY", "openai.responses", "gpt-5"],
    ["openai-chat/gpt-5", "OPENAI_API_KEY", "openai.chat", "gpt-5"],
    ["anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY", "anthropic.messages", "claude-sonnet-4-5"],
    ["google/gemini-2.5-pro", "GOOGLE_GENERATIVE_AI_API_KEY", "google.generative-ai", "gemini-2.5-pro"],
    ["google/gemini-2.5-pro", "GEMINI_API_KEY", "google.generative-ai", "gemini-2.5-pro"],
    ["openrouter/deepseek/deepseek-r1", "OPENROUTER_API_KEY", "openrouter.chat", "deepseek/deepseek-r1"],
  ])("%s with %s", async (name, variable, family, id) => {
    for (const other of ["OPENAI", "ANTHROPIC", "GOOGLE_GENERATIVE_AI", "GEMINI", "GOOGLE", "OPENROUTER"])
      vi.stubEnv(`${other}_API_KEY`, undefined);
    const error = await refused(model(name));
    expect(error).toMatchObject({ code: "model-key-missing", status: 401 });
    expect(`${error.message} ${error.hint}`).toContain(variable);
    vi.stubEnv(variable, "key-from-the-environment");
    // If the key is wrong, this variable is named.
    const made = { provider: family, modelId: id, keyVariable: variable };
    expect(await model(name)).toMatchObject(made);
    vi.stubEnv(variable, undefined);
    const secrets = { [variable.toLowerCase().replaceAll("_", "-")]: "key-of-the-request" };
    expect(await provider()(name, { secrets })).toMatchObject(made);
  });

  test("names the variable that a model lacks, without creating the model", () => {
    for (const other of ["ANTHROPIC", "GOOGLE_GENERATIVE_AI", "GEMINI", "GOOGLE"])
      vi.stubEnv(`${other}_API_KEY`, undefined);
    vi.stubEnv("OPENAI_API_KEY", "set");
    const { missingKey } = provider({ anthropic: { apiKey: "given" } });
    expect(missingKey("google/gemini-2.5-pro")).toBe("GOOGLE_GENERATIVE_AI_API_KEY");
    vi.stubEnv("GEMINI_API_KEY", "set");
    for (const name of ["google/gemini-2.5-pro", "anthropic/m", "openai/m", "openai-chat/m", "ollama/m", "demo", "x/y"])
      expect(missingKey(name)).toBeUndefined();
    expect(provider().missingKey("anthropic/m")).toBe("ANTHROPIC_API_KEY");
  });

  test("with a key in the configuration: no variable is named", async () => {
    const made = await provider({ google: { apiKey: "key-of-the-configuration" } })("google/gemini-2.5-pro");
    expect(made).toMatchObject({ keyVariable: undefined });
  });

  test("the request's key takes precedence over the one in the options, and that over the environment's", async () => {
    const server = await startScriptedServer(refuses(401, "no"));
    onStop(server.close);
    const prompt = [user("hi")] as LanguageModelV4Prompt;
    const keySent = async (options: object, secrets: Record<string, string>) => {
      const models = provider({ openai: { baseUrl: server.url, ...options } });
      await expect((await models("openai-chat/m", { secrets })).doGenerate({ prompt })).rejects.toThrow();
      return server.requests.at(-1)!.headers.authorization;
    };
    vi.stubEnv("OPENAI_API_KEY", "environment");
    expect(await keySent({}, {})).toBe("Bearer environment");
    expect(await keySent({ apiKey: "options" }, {})).toBe("Bearer options");
    expect(await keySent({ apiKey: "options" }, { OPENAI_API_KEY: "request" })).toBe("Bearer request");
  });

  test.each([
    ["ollama/llama3", "ollama.chat"],
    ["lmstudio/qwen", "lmstudio.chat"],
    ["vllm/mistral", "vllm.chat"],
    ["demo/scripted", "demo"],
    ["demo", "demo"],
    ["demo (scripted)", "demo"],
  ])("%s needs no key", async (name, family) => {
    expect(await model(name)).toMatchObject({ provider: family });
  });

  test("a model of any server with a known base URL", async () => {
    expect(await refused(model("acme/m"))).toMatchObject({ code: "unknown-model", status: 400 });
    expect(await refused(model("openai-compatible/m"))).toMatchObject({ code: "model-url-missing", status: 400 });
    vi.stubEnv("ACME_BASE_URL", "http://localhost:1/v1");
    expect(await model("acme/m")).toMatchObject({ provider: "acme.chat", modelId: "m" });
    const models = provider({ compatible: { "my-server": { baseUrl: "http://localhost:1/v1", apiKey: "given" } } });
    expect(await models("my-server/m")).toMatchObject({ provider: "my-server.chat" });
    expect(models.keys).toEqual(["given"]);
  });
});

describe("an agent's model", () => {
  const stories = [script("go", [{ say: "done" }])];
  const asking = async (options: object, asked?: string) => {
    const named: string[] = [];
    const { model: played } = playing(...stories);
    const models = async (name: string) => {
      named.push(name);
      return { ...played, modelId: name };
    };
    const source = agent({ name: "helper", model: "acme/own", provider: models, ...options });
    const run = await drive(source, { messages: [user("go")], ...(asked && { model: asked }) });
    return { run, named };
  };

  test("is its own, unless the request may choose", async () => {
    expect((await asking({})).named).toEqual(["acme/own"]);
    expect((await asking({}, "acme/own")).named).toEqual(["acme/own"]);
    expect((await asking({}, "helper")).named).toEqual(["acme/own"]);
    expect((await asking({ models: ["acme/other"] }, "acme/other")).named).toEqual(["acme/other"]);
    expect((await asking({ models: "any" }, "acme/third")).named).toEqual(["acme/third"]);
    const { run } = await asking({ models: ["acme/other"] }, "acme/third");
    expect(run.events).toEqual([]);
    expect(run.error).toMatchObject({ code: "model-not-allowed", status: 400 });
    expect((run.error as Refusal).hint).toContain("acme/own, acme/other");
  });

  test("is used by sub-agents without their own", async () => {
    const { model: played } = playing(
      script("go", [{ call: "task", input: { agent: "sub", task: "sub" } }], [{ say: "done" }]),
      script("sub", [{ say: "below" }]),
    );
    const source = agent({
      name: "helper",
      model: "acme/own",
      models: "any",
      provider: async (name) => ({ ...played, modelId: name }),
      agents: { sub: {}, other: { model: "acme/small" } },
    });
    const run = await drive(source, { messages: [user("go")], model: "acme/asked" });
    expect(run.all("run-start")[0]?.model).toBe("acme/asked");
    expect(run.all("agent-start")[0]?.model).toBe("acme/asked");
    expect(run.all("agent-end")[0]?.usage?.output).toBeGreaterThan(0);
  });

  test("gets the agent's settings, overridden by those of the request", async () => {
    const { model: played, requests } = playing(...stories);
    const source = agent({ name: "helper", model: played, settings: { temperature: 1, reasoning: "high" } });
    await drive(source, { messages: [user("go")], settings: { temperature: 0.5, seed: "no number", mine: true } });
    expect(requests[0]).toMatchObject({ temperature: 0.5, reasoning: "high" });
    expect(requests[0]).not.toHaveProperty("seed");
    expect(requests[0]).not.toHaveProperty("mine");
  });
});

test("a provider gets only the standard fields of a tool, because Mistral refuses others", async () => {
  const { url, requests } = await mockProvider("mistral");
  const models = provider({ compatible: { mistral: { baseUrl: url, apiKey: "key" } } });
  const send = defineTool({
    ...{ name: "send", title: "Send", description: "Sends.", doing: "Sending…", input: z.object({ to: z.string() }) },
    ...{ approval: "always", repeatable: true, timeoutMs: 1000 },
    run: () => "sent",
  });
  await drive(agent({ name: "helper", model: "mistral/m", provider: models, tools: [send] }), "go");
  const [{ tools }] = requests as [{ tools: { type: string; function: object }[] }];
  expect(tools.map((tool) => [Object.keys(tool), Object.keys(tool.function)])).toEqual([
    [
      ["type", "function"],
      ["name", "description", "parameters"],
    ],
  ]);
});

test("an agent needs only the name of its model", async () => {
  vi.stubEnv("OPENAI_API_KEY", undefined);
  const run = await drive(agent({ name: "helper", model: "openai/gpt-5" }), "go");
  expect(run.events).toEqual([]);
  expect(run.error).toMatchObject({ code: "model-key-missing", status: 401 });
});

describe("secrets", () => {
  test("are removed from every error that leaves the loop", async () => {
    vi.stubEnv("RUNCAST_TEST_TOKEN", "of-the-environment");
    const secret = "of the/request";
    const leaks = (message: string) =>
      defineTool({
        name: message.split(" ")[0]!,
        description: "",
        input: z.object({}),
        run: () => Promise.reject(new Error(message)),
      });
    const { model: played } = playing(
      script(
        "go",
        [
          { call: "plain" },
          { call: "encoded" },
          { call: "environment" },
          { call: "task", input: { agent: "sub", task: "sub" } },
        ],
        [{ fail: { status: 400, message: `the key ${secret} is of the/provider` } }],
      ),
      script("sub", [{ fail: { status: 400, message: `no ${secret}` } }]),
    );
    const models = Object.assign(async () => played, { keys: ["of the/provider"] });
    const tools = [
      leaks(`plain ${secret}`),
      leaks(`encoded https://example.com/?key=${encodeURIComponent(secret)}`),
      leaks("environment of-the-environment"),
    ];
    const source = agent({ name: "test", model: "acme/m", provider: models, tools, agents: { sub: {} } });
    const run = await drive(source, { messages: [user("go")], secrets: { ACME: secret } });
    const visible = JSON.stringify([run.events, (run.error as Error).message, Object.values(run.error as object)]);
    for (const hidden of [secret, encodeURIComponent(secret), "of-the-environment", "of the/provider"])
      expect(visible).not.toContain(hidden);
    expect(run.all("tool-end").map(({ error }) => error?.message)).toContain("plain [secret]");
    expect(run.error).toMatchObject({ message: "the key [secret] is [secret]" });
    expect((run.error as Error).cause).toBeUndefined();
  });

  test("are removed from refusals of a run and from tool errors", async () => {
    const secrets = { ACME: "of the request" };
    const refusing = agent({
      name: "test",
      model: () => Promise.reject(new Refusal("no", "not with of the request", { status: 403 })),
    });
    const first = await drive(refusing, { messages: [user("go")], secrets });
    expect(first.error).toMatchObject({ message: "not with [secret]", code: "no", status: 403 });
    const { model: played } = playing(script("go", [{ call: "says" }], [{ say: "done" }]));
    const says = defineTool({
      name: "says",
      description: "",
      input: z.object({}),
      run: () => toolResult("of the request was refused", { isError: true }),
    });
    const second = await drive(agent({ name: "test", model: played, tools: [says] }), {
      messages: [user("go")],
      secrets,
    });
    expect(JSON.stringify(second.events)).not.toContain("of the request");
  });

  test("are removed from the values that a tool fails with", async () => {
    const failure = { error: "no such key: of the request", tried: [{ "of the request": 1, count: 2 }] };
    const fails = defineTool({
      name: "fails",
      description: "",
      input: z.object({}),
      run: () => toolResult([{ type: "json", value: failure }], { value: failure, isError: true }),
    });
    const { model: played, requests } = playing(script("go", [{ call: "fails" }], [{ say: "done" }]));
    const source = agent({ name: "test", model: played, tools: [fails] });
    const run = await drive(source, { messages: [user("go")], secrets: { ACME: "of the request" } });
    const clean = { error: "no such key: [secret]", tried: [{ "[secret]": 1, count: 2 }] };
    expect(run.all("tool-end")).toMatchObject([{ value: clean, content: [{ type: "json", value: clean }] }]);
    expect(JSON.stringify([run.events, requests.map(({ prompt }) => prompt)])).not.toContain("of the request");
  });

  test("may be in a provider's headers", () => {
    const headers = { authorization: "Bearer of-a-header", "x-api-key": "of-another", "x-title": "Demo" };
    expect(provider({ openai: { apiKey: "k" }, compatible: { acme: { headers } } }).keys.toSorted()).toEqual(
      ["k", "k", "of-a-header", "of-another"].toSorted(),
    );
  });
});

const MB = 1024 * 1024;

/** What a library reads of a response with these pieces, and why it failed. */
const read = async (pieces: Iterable<string>) => {
  const ignore = () => {};
  const format: Format = { read: (value) => [value], isEnd: () => false };
  const aside: Aside = { part: ignore, alive: ignore, received: ignore, skipped: ignore };
  const iterator = pieces[Symbol.iterator]();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = iterator.next();
      if (done) controller.close();
      else controller.enqueue(new TextEncoder().encode(value));
    },
  });
  const response = await readAnswer(new Response(body), format, aside, undefined);
  const text = await response.text().catch(() => undefined);
  return { text, failure: aside.failure };
};

test("a stream may begin with a large frame, such as a picture", async () => {
  const frame = `data: {"image":"${"A".repeat(6 * MB)}"}\n\n`;
  const pieces = Array.from({ length: 7 }, (_, index) => frame.slice(index * MB, (index + 1) * MB));
  const { text, failure } = await read(["\n", ...pieces]);
  expect([text?.length, failure]).toEqual([frame.length, undefined]);
});

test.each(["event: ping\n", '{"a":1}\n', "<p>"])(
  "a body that never becomes a stream is not read to its end: %j",
  async (piece) => {
    const pieces = function* () {
      for (;;) yield piece.repeat(100_000);
    };
    const { text, failure } = await read(pieces());
    expect([text, failure]).toEqual([undefined, expect.any(Error)]);
  },
);
