import { describe, expect, test } from "vitest";
import type { Command } from "../../src/dialect.ts";
import { forge } from "../../src/dialects/forge.ts";
import { Refusal, type RunRequest } from "../../src/source.ts";

const text = (role: "user" | "assistant" | "system", words: string) => ({
  role,
  content: [{ type: "text" as const, text: words }],
});
const start = forge.routes.find(({ does }) => does === "start")!;
const read = (body: unknown, headers: Record<string, string> = {}, params: Record<string, string> = {}) => {
  const command = forge.read(start, { params, query: new URLSearchParams(), headers: new Headers(headers), body });
  if (command.do !== "start") throw new Error(command.do);
  return command;
};
const ask = (body: object, headers: Record<string, string> = {}): RunRequest =>
  read({ user_message: "hi", ...body }, headers).request;
const refused = (act: () => unknown): Refusal => {
  try {
    act();
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown;
    throw thrown;
  }
  throw new Error("was not refused");
};
/** Reads a client's request back as a server does. */
const again = (command: Command): Command => {
  const { path, headers, body } = forge.write(command);
  const [, agent] = /^\/forge\/([^/]+)\/chat\/stream$/.exec(path) ?? [];
  return read(
    JSON.parse(body!),
    headers,
    agent === undefined || agent === "chat" ? {} : { agent: decodeURIComponent(agent) },
  );
};

describe("asking", () => {
  test("the family's own example", () => {
    const body = {
      user_message: "What's the weather in Tokyo?",
      messages: [
        { role: "user", content: "Hello" },
        { role: "assistant", content: "Hi! How can I help?" },
      ],
      model: "anthropic/claude-sonnet-4",
    };
    expect(read(body).request).toEqual({
      messages: [text("user", "Hello"), text("assistant", "Hi! How can I help?"), text("user", body.user_message)],
      model: "anthropic/claude-sonnet-4",
      // The page requests this model before the user has chosen one.
      settings: { modelRequired: false },
    });
  });

  test("all fields", () => {
    const body = {
      user_message: "hi",
      messages: [
        { role: "tool_call", content: "" },
        { role: "tool_result", content: "18" },
        { role: "system", content: "be kind" },
        { role: "assistant", content: "" },
      ],
      system_prompt: "be brief",
      model: "openai/gpt-5",
      provider: "openai",
      enable_tools: false,
      use_toon_format: true,
      use_tool_rag_mode: true,
      extra_mcp_servers: [
        { name: "my weather", url: "https://weather.example/mcp", api_key: "k1" },
        { name: "clock", url: "https://clock.example/mcp", api_key: null },
      ],
      unknown: 1,
    };
    const headers = {
      "x-llm-key": "sk-1",
      "x-llm-provider": "openai",
      "x-mcp-keys": '{"clock":"k2","other":"k3"}',
      "runcast-extensions": "1",
    };
    const command = read(body, headers, { agent: "helper" });
    expect(command).toEqual({
      do: "start",
      extensions: true,
      request: {
        agent: "helper",
        messages: [text("system", "be kind"), text("user", "hi")],
        system: "be brief",
        model: "openai/gpt-5",
        settings: { tools: false, toonFormat: true, toolSearch: true },
        servers: [
          { name: "my weather", url: "https://weather.example/mcp" },
          { name: "clock", url: "https://clock.example/mcp" },
        ],
        secrets: { OPENAI_API_KEY: "sk-1", MCP_MY_WEATHER_KEY: "k1", MCP_CLOCK_KEY: "k2", MCP_OTHER_KEY: "k3" },
      },
    });
    expect(again(command)).toEqual(command);
    const { body: written, headers: sent } = forge.write(command);
    expect(written).not.toMatch(/sk-1|k1|k2|k3/);
    expect(sent["x-llm-key"]).toBe("sk-1");
  });

  test("empty fields of the page are ignored", () => {
    const empty = { messages: [], system_prompt: null, model: null, provider: null, extra_mcp_servers: null };
    expect(ask({ ...empty, use_tool_rag_mode: null, enable_tools: true })).toEqual({ messages: [text("user", "hi")] });
  });

  test.each([
    ["anthropic/claude-x", undefined, "anthropic/claude-x"],
    ["anthropic::claude-x", undefined, "anthropic/claude-x"],
    ["anthropic:claude-x", undefined, "anthropic/claude-x"],
    ["gemini::gemini-2", undefined, "google/gemini-2"],
    ["claude-x", undefined, "anthropic/claude-x"],
    ["gemini-2", undefined, "google/gemini-2"],
    ["gpt-4o", undefined, "openai/gpt-4o"],
    ["o3-mini", undefined, "openai/o3-mini"],
    ["my-model", undefined, "my-model"],
    ["qwen3:9b", undefined, "qwen3:9b"],
    ["qwen3:9b", "ollama", "ollama/qwen3:9b"],
    ["gpt-4o", "openai", "openai/gpt-4o"],
    ["openai/gpt-4o", "openai", "openai/gpt-4o"],
    ["anthropic/claude-x", "openrouter", "openrouter/anthropic/claude-x"],
    ["openrouter/anthropic/claude-x", "openrouter", "openrouter/anthropic/claude-x"],
    ["openrouter::anthropic/claude-x", undefined, "openrouter/anthropic/claude-x"],
    ["meta/llama:free", "openrouter", "openrouter/meta/llama:free"],
  ])("the model %s of %s is %s", (model, provider, expected) => {
    const request = ask({ model, provider });
    expect(request.model).toBe(expected);
    expect(again({ do: "start", request })).toEqual({ do: "start", request });
  });

  test.each([
    ["runcast/my%20agent", "my agent", undefined],
    ["runcast::runcast/helper", "helper", undefined],
    ["runcast::helper", "helper", undefined],
    ["runcast/helper/openai/gpt-5", "helper", "openai/gpt-5"],
  ])("the name %s of our own lists is the agent %s, regardless of the page's provider", (model, agent, asked) => {
    const request = ask({ model, provider: "openrouter" });
    expect(request.agent).toBe(agent);
    expect(request.model).toBe(asked);
    expect(again({ do: "start", request })).toEqual({ do: "start", request });
  });

  test.each([
    ["openai", undefined, { OPENAI_API_KEY: "k" }],
    ["anthropic", undefined, { ANTHROPIC_API_KEY: "k" }],
    ["google", "google/gemini-2", { GOOGLE_API_KEY: "k" }],
    ["openrouter", "meta/llama", { OPENROUTER_API_KEY: "k" }],
    ["my-own", "my-own/model", { MY_OWN_API_KEY: "k" }],
  ])("a key of %s", (provider, model, secrets) => {
    const headers = { "x-llm-key": "k", "x-llm-provider": provider };
    const request = ask({ model }, headers);
    expect(request.secrets).toEqual(secrets);
    expect(ask({ model, provider }, { "x-llm-key": "k" }).secrets).toEqual(secrets);
    expect(again({ do: "start", request })).toEqual({ do: "start", request });
  });

  test("a key for the page's first model selects that model", () => {
    const model = "anthropic/claude-sonnet-4";
    expect(ask({ model, provider: "anthropic" }, { "x-llm-key": "k" }).settings).toBeUndefined();
  });

  test("server names and keys with non-ASCII characters survive a header", () => {
    const servers = [{ name: "wetter-köln", url: "https://w.example/mcp", api_key: "schlüssel" }];
    const request = ask({ extra_mcp_servers: servers });
    expect(request.secrets).toEqual({ MCP_WETTER_K_LN_KEY: "schlüssel" });
    const command: Command = { do: "start", request };
    expect(forge.write(command).headers["x-mcp-keys"]).toMatch(/^[\x20-\x7e]+$/);
    expect(again(command)).toEqual(command);
  });
});

describe("refusing", () => {
  const server = (name: string, key: string) => ({ name, url: "https://a.example", api_key: key });
  test.each([
    ["no body", () => read(undefined), 422],
    ["no message", () => read({ messages: [] }), 422],
    ["an empty message", () => read({ user_message: "" }), 422],
    ["a wrong type", () => ask({ messages: "x" }), 422],
    ["a server with an invalid URL", () => ask({ extra_mcp_servers: [{ name: "a", url: "a" }] }), 422],
    ["a key without a provider", () => ask({}, { "x-llm-key": "k" }), 400],
    ["keys that are not an object", () => ask({}, { "x-mcp-keys": "secret-value" }), 400],
    ["two keys with the same name", () => ask({ extra_mcp_servers: [server("a b", "1"), server("a-b", "2")] }), 400],
    [
      "a different agent than in the path",
      () => read({ user_message: "a", model: "runcast/b" }, {}, { agent: "c" }),
      400,
    ],
  ])("%s", (_, act, status) => {
    const { message, hint, status: found } = refused(act);
    expect(found).toBe(status);
    expect(message + hint).not.toContain("secret-value");
    const { body } = forge.refuse({ code: "c", message, status: found, ...(hint !== undefined && { hint }) });
    expect(JSON.parse(body)).toEqual({ detail: `${message} (${hint})` });
  });

  test("what this family cannot express is not sent", () => {
    const write = (request: RunRequest) => () => forge.write({ do: "start", request });
    expect(refused(write({ messages: [text("assistant", "a")] })).code).toBe("unsayable");
    const file = { type: "file" as const, mediaType: "image/png", data: "aaaa" };
    expect(refused(write({ messages: [{ role: "user", content: [file] }] })).code).toBe("unsayable");
    expect(() => forge.write({ do: "cancel", run: "r" })).toThrow("cannot");
  });

  test("a link to a file, and only the text of earlier messages, are sent", () => {
    const file = { type: "file" as const, mediaType: "image/png", name: "cat", url: "https://a.example/cat.png" };
    const { body } = forge.write({
      do: "start",
      request: {
        messages: [
          { role: "assistant", content: [{ type: "call", call: "c", name: "t", input: {} }] },
          { role: "tool", content: [{ type: "result", call: "c", content: [{ type: "text", text: "18" }] }] },
          { role: "user", content: [{ type: "text", text: "look" }, file] },
        ],
      },
    });
    expect(JSON.parse(body!)).toEqual({ user_message: "look\n\n[cat](https://a.example/cat.png)", messages: [] });
  });
});
