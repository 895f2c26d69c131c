import { stateOf } from "../server-chain.ts";
import { describe, expect, test } from "vitest";
import type { ServerFacts } from "../../src/dialect.ts";
import { forge } from "../../src/dialects/forge.ts";
import { native } from "../../src/dialects/native.ts";
import type { Event } from "../../src/events.ts";
import { demoAgent, demoStories } from "../../src/models/demo.ts";
import { type RunRequest, type Source, describeAgent } from "../../src/source.ts";
import { agent } from "../../src/sources/agent.ts";
import { mcpToolsOf } from "../../src/tools/mcp.ts";
import { playing, script } from "../drive.ts";
import { eventsOf, framesOf, post, textSource, serve, silent, until } from "../serving.ts";
import { everythingHttp } from "../tools/mcp-servers.ts";
import { forgePage, iconOf } from "./forge-page.ts";

const dialects = [native, forge];

const toolSource = (end: Event, wait: (signal: AbortSignal) => unknown = () => {}): Source =>
  async function* (_, { signal }) {
    yield { type: "step-start", step: "s" };
    yield { type: "tool-start", call: "c", name: "slow" };
    yield { type: "tool-input-end", call: "c", input: { a: 1 } };
    yield { type: "step-end", step: "s", finish: "tools" };
    yield { type: "tool-execute", call: "c" };
    await wait(signal);
    yield end;
  };

describe("the page over HTTP", () => {
  const waits = ["approval", "question", "cancel"];
  const messages = demoStories.filter(({ name }) => !waits.includes(name)).map(({ message }) => message);
  test.each(messages)("%s", async (message) => {
    const { url } = await serve(demoAgent({ speed: Infinity }), { dialects });
    const page = forgePage(`${url}/forge`);
    await page.send(message);
    const { content, error, cards, usage } = page.messages.at(-1)!;
    expect(error).toBeUndefined();
    const isDeferred = message === "Use a client-run tool";
    expect(content !== "" || isDeferred).toBe(true);
    expect(usage).toMatchObject({ prompt_tokens: expect.any(Number), completion_tokens: expect.any(Number) });
    for (const card of cards!) expect(["✓", "✗"]).toContain(iconOf(card));
    expect(page.live.isStreaming).toBe(false);
  });

  test("the page stores the conversation: each request contains all of it, and any server can answer", async () => {
    const requests: RunRequest[] = [];
    const source: Source = (request, context) => {
      requests.push(request);
      return textSource(["Fine", ", thanks."])(request, context);
    };
    const [one, two] = [await serve(source, { dialects }), await serve(source, { dialects })];
    const page = forgePage(`${one.url}/forge`);
    await page.send("How are you?");
    // Another server, which shares nothing with the first.
    page.useServer(`${two.url}/forge`);
    await page.send("And now?", { system_prompt: "Be kind." });
    expect(page.messages.map(({ content }) => content)).toEqual([
      "How are you?",
      "Fine, thanks.",
      "And now?",
      "Fine, thanks.",
    ]);
    expect(requests[1]).toMatchObject({
      system: "Be kind.",
      messages: [
        { role: "user", content: [{ text: "How are you?" }] },
        { role: "assistant", content: [{ text: "Fine, thanks." }] },
        { role: "user", content: [{ text: "And now?" }] },
      ],
    });
  });

  test("during a silent tool, the card spins and pings arrive with the time in seconds", async () => {
    const release = Promise.withResolvers<void>();
    const quick = { ...forge, heartbeat: { ...forge.heartbeat, everyMs: 10 } };
    const end: Event = {
      type: "tool-end",
      call: "c",
      outcome: "ok",
      content: [{ type: "json", value: { b: 2 } }],
      ms: 5,
    };
    const { url } = await serve(
      toolSource(end, () => release.promise),
      { dialects: [native, quick] },
    );
    const page = forgePage(`${url}/forge`);
    const sent = page.send("go");
    await until(() => page.live.pings >= 3);
    const [card] = page.live.cards;
    expect(card).toMatchObject({ tool_name: "slow", arguments: { a: 1 }, status: "executing" });
    expect(iconOf(card!)).toBe("⚡");
    release.resolve();
    await sent;
    expect(page.messages.at(-1)?.cards).toEqual([
      {
        id: "c",
        tool_name: "slow",
        arguments: { a: 1 },
        status: "complete",
        result: { b: 2 },
        is_error: false,
        latency_ms: 5,
      },
    ]);
    const { timestamp } = page.seen.find(({ event }) => event === "ping")!.data;
    expect(Math.abs(timestamp - Date.now() / 1000)).toBeLessThan(60);
  });

  test("a result of 1 MB is complete", async () => {
    const text = "0123456789abcdef".repeat(65_536);
    const { url } = await serve(
      toolSource({ type: "tool-end", call: "c", outcome: "ok", content: [{ type: "text", text }] }),
      { dialects },
    );
    const page = forgePage(`${url}/forge`);
    await page.send("go");
    expect(page.messages.at(-1)?.cards?.[0]?.result === text).toBe(true);
  });

  test.each([true, false])("an error in the middle of a stream, retryable: %s", async (retryable) => {
    let failures = 0;
    const source: Source = async function* (request, context) {
      yield* textSource(["Half an ans"])(request, context);
      if (failures++ > 0) return;
      yield { type: "run-end", outcome: "error", error: { code: "model-overloaded", message: "Too busy.", retryable } };
    };
    const { url } = await serve(source, { dialects });
    const page = forgePage(`${url}/forge`);
    await page.send("go");
    const { content, error } = page.messages.at(-1)!;
    expect(content).toBe("Too busy.");
    expect(error).toEqual({ code: "model-overloaded", retry: retryable });
    expect(page.seen.map(({ event }) => event)).toEqual(["token", "error"]);
    if (!retryable) return;
    await page.retry();
    expect(page.messages.map((message) => message.content)).toEqual(["go", "Half an ans"]);
  });

  test("Stop closes the connection, and the run and its tool are cancelled", async () => {
    let aborted = false;
    const wait = (signal: AbortSignal) =>
      new Promise<void>((resolve) =>
        signal.addEventListener("abort", () => {
          aborted = true;
          resolve();
        }),
      );
    const { url, server } = await serve(toolSource({ type: "tool-end", call: "c", outcome: "cancelled" }, wait), {
      dialects,
    });
    const page = forgePage(`${url}/forge`);
    const sent = page.send("go");
    await until(() => page.live.cards[0]?.status === "executing");
    page.stop();
    await sent;
    await until(() => aborted && server.runner.active === 0);
    const { runs } = (await (await fetch(`${url}/runs`)).json()) as { runs: { run: string; outcome: string }[] };
    expect(runs[0]?.outcome).toBe("cancelled");
    const frames = await framesOf(await fetch(`${url}/runs/${runs[0]!.run}/events?dialect=forge`));
    expect(frames.at(-1)).toMatchObject({ event: "error" });
    expect(JSON.parse(frames.at(-1)!.data)).toMatchObject({ code: "CANCELLED", retryable: false });
  });

  test("the page shows why a request is refused, and a lack of rights is a status", async () => {
    const { url } = await serve(silent, { dialects });
    const page = forgePage(`${url}/forge/nobody`);
    await page.send("go");
    expect(page.messages.at(-1)).toMatchObject({
      content: "there is no agent nobody (available agents: test)",
      error: { code: "unknown-agent", retry: false },
    });
    await page.send("go", { messages: 7 });
    expect(page.messages.at(-1)?.content).toMatch(/^the field messages is invalid/);
    const closed = await serve(silent, { dialects, key: "the-key-of-this-server" });
    const outside = forgePage(`${closed.url}/forge`);
    await outside.send("go");
    expect(outside.messages.at(-1)?.content).toBe("HTTP error: 401 Unauthorized");
    const models = await fetch(`${url}/forge/nobody/models`);
    expect([models.status, await models.json()]).toEqual([404, { detail: expect.stringContaining("nobody") }]);
  });

  test("a run that asks names the URL to answer at, and continues after the answer", async () => {
    const { url } = await serve(demoAgent({ speed: Infinity }), { dialects });
    const page = forgePage(`${url}/forge`);
    const sent = page.send("Send the report, but ask for my approval first");
    const waiting = () => page.live.cards.find(({ tool_name: name }) => name === "waiting_for_your_answer");
    await until(() => waiting() !== undefined);
    const report = () => page.live.cards.find(({ tool_name: name }) => name === "send_report")!;
    expect([iconOf(waiting()!), iconOf(report())]).toEqual(["🕐", "🕐"]);
    expect(report().arguments["to"]).toBe("ines@lantern.example");
    const [, base, run] = /at (.+)\/\?run=(.+)$/.exec(String(waiting()!.arguments["waiting"]))!;
    expect(base).toBe(url);
    await post(`${base}/runs/${run}/asks/${waiting()!.id}`, { allow: true });
    await sent;
    expect(page.messages.at(-1)?.cards?.map(iconOf)).toEqual(["✓", "✓"]);
  });

  test("the other end of a chain reaches the same state", async () => {
    const { url } = await serve(demoAgent({ speed: Infinity }), { dialects });
    const { path, headers, body } = forge.write({
      do: "start",
      extensions: true,
      request: {
        messages: [{ role: "user", content: [{ type: "text", text: "Start three sub-agents in parallel" }] }],
      },
    });
    const answer = await fetch(url + path, { method: "POST", headers, body: body! });
    const decode = forge.decode();
    const events = (await framesOf(answer)).flatMap((frame) => decode(frame));
    const run = answer.headers.get("runcast-run");
    const whole = eventsOf(await framesOf(await fetch(`${url}/runs/${run}/events`)));
    const entries = (list: typeof events) => list.map((event, index) => ({ seq: index + 1, at: 0, event }));
    expect(stateOf(entries(events))).toEqual(stateOf(entries(whole)));
  });
});

describe("settings of a request for our own agent", () => {
  const greeting = script("hi", [{ say: "Hello." }]);

  test("without tools, the model is offered none", async () => {
    const { model, requests } = playing(greeting);
    const tool = { name: "look", description: "", input: { jsonSchema: { type: "object" } }, run: () => "" };
    const { url } = await serve(agent({ name: "a", model, tools: [tool] }), { dialects });
    const page = forgePage(`${url}/forge`);
    await page.send("hi");
    await page.send("hi", { enable_tools: false });
    expect(requests.map(({ tools }) => tools?.length ?? 0)).toEqual([1, 0]);
    expect(page.messages.at(-1)?.content).toBe("Hello.");
  });

  test("the page's default model is replaced by the agent's own, and an unavailable chosen model is refused", async () => {
    const { url } = await serve(agent({ name: "a", model: playing(greeting).model }), { dialects });
    const page = forgePage(`${url}/forge`);
    await page.send("hi");
    expect(page.messages.at(-1)?.content).toBe("Hello.");
    await page.send("hi", { model: "openai/gpt-9" });
    expect(page.messages.at(-1)).toMatchObject({ error: { code: "model-not-allowed", retry: false } });
    await page.send("hi", { model: "runcast/test" });
    expect(page.messages.at(-1)?.content).toBe("Hello.");
  });
});

describe("the page's other requests", () => {
  const tool = { name: "look", description: "Looks.", schema: { type: "object", properties: {} } };
  const agents = {
    one: describeAgent(silent, { model: "anthropic/claude-x", tools: [tool] }),
    two: describeAgent(silent, { models: ["openai/gpt-5"], tools: [tool, { name: "see" }] }),
  };
  const serving = async (validateServer?: ServerFacts["validateServer"]) => {
    const { url } = await serve(silent, {
      dialects,
      agents,
      defaultAgent: "two",
      ...(validateServer && { validateServer }),
    });
    const ask = async (path: string, method = "GET", body?: object) => {
      const headers = body ? { "content-type": "application/json" } : undefined;
      const init = { method, ...(headers && { headers }), ...(body && { body: JSON.stringify(body) }) };
      const answer = await fetch(`${url}/forge${path}`, init);
      return (await answer.json()) as any;
    };
    return { url, ask };
  };

  test("health, configuration, tools, models and providers", async () => {
    const { ask } = await serving();
    expect(await ask("/health")).toEqual({ status: "ok", armory_available: true });
    expect(await ask("/config")).toEqual({
      server_providers: { openrouter: false, openai: true, anthropic: true, google: false },
      allow_byok: true,
    });
    const { schema, ...rest } = tool;
    expect(await ask("/tools")).toMatchObject([
      { ...rest, input_schema: schema },
      { name: "see", description: "" },
    ]);
    expect((await ask("/one/tools?mode=rag")).length).toBe(1);
    expect(await ask("/tools/refresh", "POST")).toEqual({ status: "refreshed", tool_count: 2 });
    const { models, providers } = await ask("/models");
    expect(providers).toEqual(["runcast"]);
    expect(models.map(({ id }: { id: string }) => id)).toEqual([
      "runcast/two",
      "runcast/two/openai/gpt-5",
      "runcast/one",
    ]);
    expect((await ask("/models?provider=openai")).models).toEqual([]);
    expect((await ask("/models?supports_tools=true&supports_vision=true")).models).toEqual([]);
    expect(await ask("/models/refresh", "POST")).toEqual({ status: "refreshed", model_count: 3, provider_count: 1 });
    const grouped = await ask("/models/grouped");
    expect(grouped.default_model).toEqual({ provider: "runcast", model_id: "runcast/two" });
    expect(grouped.providers.runcast.chat.map((model: { display_name: string }) => model.display_name)).toEqual([
      "two",
      "two · openai/gpt-5",
      "one",
    ]);
    expect((await ask("/models/suggestions/runcast")).suggestions.length).toBe(3);
    expect(await ask("/models/suggestions/openai")).toEqual({ provider: "openai", suggestions: [] });
    // The page's model manager must not offer changes that cannot be made.
    expect(await ask("/providers")).toEqual({ providers: [] });
    expect(grouped.providers.runcast.chat.every(({ source }: { source: string }) => source !== "manual")).toBe(true);
    expect(await ask("/nobody/models")).toEqual({ detail: expect.stringContaining("nobody") });
  });

  test("an MCP server is checked by the configured function", async () => {
    const url = "https://tools.example/mcp";
    const { ask } = await serving();
    expect(await ask("/mcp/validate", "POST", { url })).toMatchObject({ valid: false, tool_count: 0, tools: [] });
    expect(await ask("/mcp/validate", "POST", { url: 5 })).toEqual({ detail: expect.stringContaining("url") });
    for (const wrong of ["", "weather", "ftp://tools.example/mcp", "https://"])
      expect(await ask("/mcp/validate", "POST", { url: wrong })).toMatchObject({
        valid: false,
        tool_count: 0,
        error: expect.stringContaining("http://"),
      });
    const checking = await serving(async (server) => {
      if (server.key !== "right") throw new Error("The key is wrong.");
      return [tool];
    });
    expect(await checking.ask("/mcp/validate", "POST", { url, api_key: null })).toMatchObject({
      valid: false,
      error: "The key is wrong.",
    });
    expect(await checking.ask("/mcp/validate", "POST", { url, api_key: "right" })).toMatchObject({
      valid: true,
      tool_count: 1,
      tools: [{ name: "look", inputSchema: tool.schema }],
    });
  });

  test("a real MCP server is reached, with the same address checks as for requests", async () => {
    const { url, port } = await everythingHttp();
    const strict = await serving((server) => mcpToolsOf(server));
    expect((await strict.ask("/mcp/validate", "POST", { url })).error).toContain("private address");
    const open = await serving((server) => mcpToolsOf(server, { allowPrivate: [`127.0.0.1:${port}`] }));
    const { valid, tools, tool_count: count } = await open.ask("/mcp/validate", "POST", { url });
    expect([valid, tools.length]).toEqual([true, count]);
    expect(tools.find(({ name }: { name: string }) => name === "echo").inputSchema.properties).toHaveProperty(
      "message",
    );
  });

  test("a page on another port may send its headers", async () => {
    const { url } = await serve(demoAgent({ speed: Infinity }), { dialects, origins: ["http://localhost:5173"] });
    const headers = {
      origin: "http://localhost:5173",
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type,x-llm-key,x-llm-provider,x-mcp-keys",
    };
    const answer = await fetch(`${url}/forge/chat/stream`, { method: "OPTIONS", headers });
    expect(answer.status).toBe(204);
    expect(answer.headers.get("access-control-allow-origin")).toBe("http://localhost:5173");
    expect(answer.headers.get("access-control-allow-headers")).toContain("x-mcp-keys");
  });
});
