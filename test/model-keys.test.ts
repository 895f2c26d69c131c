import { afterEach, describe, expect, test, vi } from "vitest";
import { memory } from "../src/logs/memory.ts";
import { demo } from "../src/models/demo.ts";
import { provider } from "../src/models/provider.ts";
import { page } from "../src/page.ts";
import type { NamedAgent } from "../src/source.ts";
import { agent } from "../src/sources/agent.ts";
import { describeRun } from "../src/view.ts";
import { createClient } from "../src/client.ts";
import { says } from "./model-server.ts";
import { refuses, startScriptedServer } from "./scripted-server.ts";
import { onStop, serve } from "./serving.ts";

afterEach(() => vi.unstubAllEnvs());

const KEY = "sk-of-the-tab-0123456789";
const SECRETS = { ACME: "no", OPENAI_API_KEY: KEY };
const unset = () => {
  for (const name of ["OPENAI", "ANTHROPIC", "GROQ"]) vi.stubEnv(`${name}_API_KEY`, undefined);
};
const agentsAt = async (url: string, headers: Record<string, string> = {}): Promise<readonly NamedAgent[]> =>
  ((await (await fetch(`${url}/agents`, { headers })).json()) as { agents: readonly NamedAgent[] }).agents;

describe("the keys that an agent's models lack", () => {
  test("are those of its models and of its sub-agents, by name, until they are set", async () => {
    unset();
    const source = agent({
      model: "openai/gpt-5",
      models: ["anthropic/m", "ollama/llama3", "openai/gpt-5"],
      agents: {
        helper: { description: "", model: "groq/llama", agents: { inner: { model: "openai/small" } } },
        plain: {},
      },
    });
    expect(await source.missingKeys!()).toEqual([
      { variable: "OPENAI_API_KEY", model: "openai/gpt-5" },
      { variable: "ANTHROPIC_API_KEY", model: "anthropic/m" },
      { variable: "GROQ_API_KEY", model: "groq/llama", subagent: "helper" },
      { variable: "OPENAI_API_KEY", model: "openai/small", subagent: "inner" },
    ]);
    vi.stubEnv("OPENAI_API_KEY", "set");
    vi.stubEnv("GROQ_API_KEY", "set");
    expect(await source.missingKeys!()).toEqual([{ variable: "ANTHROPIC_API_KEY", model: "anthropic/m" }]);
  });

  test("are none for a model object, a function, a key in the options, and a provider that does not know", async () => {
    unset();
    const model = "openai/gpt-5";
    const none = [
      agent({ model: demo() }),
      agent({ model: () => demo() }),
      agent({ model, provider: provider({ openai: { apiKey: "given" } }) }),
      agent({ model, provider: async () => demo() }),
    ];
    for (const source of none) expect(await source.missingKeys!()).toEqual([]);
  });

  test("are listed for callers who may start runs, and for no one else", async () => {
    unset();
    const { url } = await serve(agent({ model: "openai/gpt-5" }), {
      keys: [
        { name: "starter", key: "starter-key" },
        { name: "watcher", key: "watcher-key", rights: ["watch"] },
      ],
    });
    const as = async (key: string) => (await agentsAt(url, { authorization: `Bearer ${key}` }))[0];
    expect(await as("starter-key")).toHaveProperty("missingKeys", [
      { variable: "OPENAI_API_KEY", model: "openai/gpt-5" },
    ]);
    expect(await as("watcher-key")).toMatchObject({ name: "test", model: "openai/gpt-5" });
    expect(await as("watcher-key")).not.toHaveProperty("missingKeys");
  });
});

describe("a key that a request contains", () => {
  const start = async (mock: Awaited<ReturnType<typeof startScriptedServer>>) => {
    unset();
    onStop(mock.close);
    const log = memory();
    const source = agent({ model: "openai-chat/m", provider: provider({ openai: { baseUrl: mock.url } }) });
    const { url } = await serve(source, { log, page: page()! });
    const handle = createClient({ url }).start({ message: "hi", secrets: SECRETS });
    await handle.finished;
    return { url, log, run: handle.run, state: handle.state };
  };

  test("reaches the provider, and neither the log nor an export, a share link or the list of agents", async () => {
    const mock = await startScriptedServer(says("Hello."));
    const { url, log, run, state } = await start(mock);
    expect(describeRun(state).hasSucceeded).toBe(true);
    expect(mock.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`]);
    const entries = await log.read(run, 0, 1000);
    const link = (await (await fetch(`${url}/runs/${run}/links`, { method: "POST" })).json()) as { token: string };
    const paths = ["export.jsonl", "export.html", "events", `events?token=${link.token}`].map(
      (path) => `/runs/${run}/${path}`,
    );
    const texts = [JSON.stringify(entries), mock.requests[0]!.body];
    for (const path of [...paths, "/agents", "/runs", `/runs/${run}`]) {
      const response = await fetch(url + path);
      expect(response.status, path).toBe(200);
      texts.push(await response.text());
    }
    for (const text of texts) expect(text).not.toContain(KEY);
    expect(JSON.stringify(entries)).toContain("Hello.");
  });

  test("is not in the error of a provider that rejects it, which names the variable", async () => {
    const mock = await startScriptedServer(refuses(401, { message: `Incorrect API key provided: ${KEY}` }));
    const { state } = await start(mock);
    expect(JSON.stringify([...state.nodes.values(), state.error])).not.toContain(KEY);
    expect(describeRun(state)).toMatchObject({
      refusedKey: { variable: "OPENAI_API_KEY", isRejected: true },
      retry: "none",
    });
  });
});
