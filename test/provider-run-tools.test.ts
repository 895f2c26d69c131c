import { openai } from "@ai-sdk/openai";
import { expect, onTestFinished, test } from "vitest";
import type { EventOf } from "../src/events.ts";
import { provider } from "../src/models/provider.ts";
import { agent } from "../src/sources/agent.ts";
import { request, setUp, untilEnd } from "./running.ts";
import { startScriptedServer, streams } from "./scripted-server.ts";

type Value = { readonly type: string; readonly [field: string]: unknown };
type Tools = Parameters<typeof agent>[0]["providerTools"];

/** The calls of a run whose model sends these events: name, arguments, outcome and content. */
const callsIn = async (model: string, events: readonly Value[], providerTools: NonNullable<Tools> = {}) => {
  const frames = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  const server = await startScriptedServer(streams(...frames));
  onTestFinished(() => server.close());
  const endpoint = { baseUrl: `${server.url}/v1`, apiKey: "key" };
  const models = provider({ openai: endpoint, anthropic: endpoint });
  const { runner, log } = setUp();
  const source = agent({ name: "test", model, provider: models, providerTools });
  const { run } = await runner.start(request, { name: "test", source });
  const written = await untilEnd(log, run);
  expect(written.at(-1)).toMatchObject({ type: "run-end", outcome: "done" });
  const starts = written.filter((event): event is EventOf<"tool-start"> => event.type === "tool-start");
  return starts.map(({ call, name }) => {
    const own = written.filter((event) => "call" in event && event.call === call);
    const text = own.map((event) => (event.type === "tool-input-delta" ? event.delta : "")).join("");
    const input = own.find((event) => event.type === "tool-input-end")?.input;
    const end = own.find((event) => event.type === "tool-end");
    return { name, input: text === "" ? input : JSON.parse(text), outcome: end?.outcome, content: end?.content };
  });
};

test("a call of Anthropic to an MCP server keeps its streamed arguments, and shows its result", async () => {
  const block = (index: number, fields: object) => ({ type: "content_block_start", index, content_block: fields });
  const delta = (index: number, fields: object) => ({ type: "content_block_delta", index, delta: fields });
  const stop = (index: number) => ({ type: "content_block_stop", index });
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: "m", type: "message", role: "assistant", model: "c", content: [], stop_reason: null, usage };
  const calls = await callsIn("anthropic/claude-sonnet-4-5", [
    { type: "message_start", message },
    block(0, { type: "mcp_tool_use", id: "mcptoolu_1", name: "look", server_name: "maps", input: {} }),
    delta(0, { type: "input_json_delta", partial_json: '{"city":' }),
    delta(0, { type: "input_json_delta", partial_json: '"Oslo"}' }),
    stop(0),
    block(1, {
      ...{ type: "mcp_tool_result", tool_use_id: "mcptoolu_1", is_error: false },
      content: [{ type: "text", text: "sunny" }],
    }),
    stop(1),
    block(2, { type: "text", text: "" }),
    delta(2, { type: "text_delta", text: "Sunny." }),
    stop(2),
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ]);
  expect(calls).toEqual([
    {
      ...{ name: "look", input: { city: "Oslo" }, outcome: "ok" },
      content: [{ type: "json", value: [{ type: "text", text: "sunny" }] }],
    },
  ]);
});

test("code, searches and MCP calls of OpenAI show their results, and an unfinished search has not failed", async () => {
  const items: Value[] = [
    {
      ...{ type: "code_interpreter_call", id: "ci_1", code: "print(3)", container_id: "c", status: "completed" },
      outputs: [{ type: "logs", logs: "3\n" }],
    },
    { type: "web_search_call", id: "ws_1", status: "in_progress", action: { type: "search", query: "owls" } },
    {
      ...{ type: "file_search_call", id: "fs_1", status: "completed", queries: ["owls"] },
      results: [{ file_id: "f", filename: "owls.md", score: 1, text: "Owls fly.", attributes: {} }],
    },
    {
      ...{ type: "mcp_call", id: "mcp_1", status: "completed", name: "look", server_label: "maps" },
      ...{ arguments: '{"city":"Oslo"}', output: "sunny", error: null, approval_request_id: null },
    },
  ];
  const response = { id: "r", object: "response", created_at: 1, model: "g", output: [] };
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  const tools = {
    code_interpreter: openai.tools.codeInterpreter({}),
    web_search: openai.tools.webSearch({}),
    file_search: openai.tools.fileSearch({ vectorStoreIds: ["v"] }),
    mcp: openai.tools.mcp({ serverLabel: "maps", serverUrl: "https://a.example/mcp" }),
  };
  const calls = await callsIn(
    "openai/gpt-5",
    [
      { type: "response.created", response: { ...response, status: "in_progress" } },
      ...items.flatMap((item, index) => [
        { type: "response.output_item.added", output_index: index, item },
        ...("code" in item
          ? ["delta", "done"].map((kind) => ({
              ...{ type: `response.code_interpreter_call_code.${kind}`, output_index: index, item_id: item["id"] },
              ...{ [kind === "done" ? "code" : "delta"]: "print(3)" },
            }))
          : []),
        { type: "response.output_item.done", output_index: index, item },
      ]),
      { type: "response.completed", response: { ...response, status: "completed", usage } },
    ],
    tools,
  );
  expect(calls).toMatchObject([
    { name: "code_interpreter", input: { code: "print(3)" }, outcome: "ok", content: [{ type: "text", text: "3\n" }] },
    { name: "web_search", outcome: "ok" },
    {
      ...{ name: "file_search", outcome: "ok" },
      content: [{ type: "json", value: { results: [{ filename: "owls.md", text: "Owls fly." }] } }],
    },
    { name: "mcp.look", input: { city: "Oslo" }, outcome: "ok", content: [{ type: "text", text: "sunny" }] },
  ]);
});
