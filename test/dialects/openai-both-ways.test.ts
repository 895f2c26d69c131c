import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Command, Dialect, Frame } from "../../src/dialect.ts";
import { openaiChat } from "../../src/dialects/openai-chat.ts";
import { openaiResponses } from "../../src/dialects/openai-responses.ts";
import type { Entry, Event } from "../../src/events.ts";
import { memory } from "../../src/logs/memory.ts";
import { createRunner } from "../../src/runner.ts";
import { verify } from "../../src/verify.ts";
import { arbitraryLog } from "../generate.ts";
import { endOf, stories, wordsOf } from "./openai-client.ts";

const dialects: readonly [string, Dialect][] = [openaiChat, openaiResponses].map((dialect) => [dialect.name, dialect]);
const link = () => "";

const encode = (dialect: Dialect, entries: readonly Entry[], extensions: boolean): Frame[] => {
  const encode = dialect.encode({ link, extensions, style: '{"usage":true}' });
  return entries.flatMap((entry) => encode(entry));
};
const understand = (dialect: Dialect, frames: readonly Frame[]): Event[] => {
  const decode = dialect.decode();
  return frames.flatMap((frame) => decode(frame));
};
/** The log of a run whose source emits these events. */
const runOf = async (events: readonly Event[]): Promise<readonly Entry[]> => {
  const log = memory();
  const runner = createRunner({ log });
  const source = async function* () {
    yield* events;
  };
  const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "x" }] }];
  const { run } = await runner.start({ messages }, { name: "remote", source });
  while ((await log.info(run))?.endedAt === undefined) await new Promise((resolve) => setImmediate(resolve));
  return await log.read(run, 0, 100_000);
};
const data = (...values: unknown[]): Frame[] =>
  values.map((value) => ({ data: typeof value === "string" ? value : JSON.stringify(value) }));

describe.each(dialects)("%s", (_, dialect) => {
  test("with extensions, decoding returns the log", () => {
    fc.assert(
      fc.property(arbitraryLog(), (entries) => {
        const decoded = understand(dialect, encode(dialect, entries, true));
        expect(decoded).toEqual(entries.map(({ event }) => event));
      }),
      { numRuns: 150 },
    );
  });

  test("without extensions, decoding returns a run with the same text", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryLog(), async (entries) => {
        const events = understand(dialect, encode(dialect, entries, false));
        const read = await runOf(events);
        expect(verify(read)).toBeUndefined();
        expect(endOf(read).outcome === "done").toBe(endOf(entries).outcome === "done");
        // A format with a single string separates the text of different steps by white space.
        const bare = (log: readonly Entry[]) => wordsOf(log, "text").join("").replace(/\s/g, "");
        expect(bare(read)).toBe(bare(entries));
      }),
      { numRuns: 100 },
    );
  });

  test.each([...stories])("%s: the text of the answer is restored", async (name, entries) => {
    const read = await runOf(understand(dialect, encode(dialect, entries, false)));
    expect(verify(read)).toBeUndefined();
    expect(wordsOf(read, "text").join("")).toBe(wordsOf(entries, "text").join(""));
    const end = endOf(read);
    if (end.outcome === "done") expect(end.usage?.output).toBe(endOf(entries).usage?.output);
    expect(end.awaiting?.length).toBe(name === "client-run-tool" ? 1 : undefined);
  });

  test("any frames are accepted", () => {
    const fields = fc.dictionary(
      fc.constantFrom(
        ...["type", "id", "choices", "delta", "content", "tool_calls", "index", "function", "arguments", "name"],
        ...["item", "item_id", "response", "status", "usage", "error", "output_index", "part", "text", "finish_reason"],
      ),
      fc.jsonValue(),
    );
    const types = fc.constantFrom(
      ...["response.created", "response.output_item.added", "response.output_item.done", "response.completed"],
      ...["response.output_text.delta", "response.function_call_arguments.done", "error", "response.failed"],
    );
    const frame = fc.oneof(
      fc.string(),
      fields.map((value) => JSON.stringify(value)),
      fc.tuple(types, fields).map(([type, value]) => JSON.stringify({ ...value, type })),
      fields.map((delta) => JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] })),
    );
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 30 }), (frames) => {
        understand(dialect, data(...frames));
      }),
      { numRuns: 300 },
    );
  });
});

describe("requests are restored", () => {
  const request = {
    agent: "demo",
    messages: [
      { role: "system" as const, content: [{ type: "text" as const, text: "be kind" }] },
      {
        role: "user" as const,
        content: [
          { type: "text" as const, text: "look" },
          { type: "file" as const, mediaType: "image/png", data: "AAAA" },
          { type: "file" as const, mediaType: "application/pdf", data: "CCCC", name: "a.pdf" },
        ],
      },
      {
        role: "assistant" as const,
        content: [
          { type: "thinking" as const, text: "hm" },
          { type: "text" as const, text: "I look" },
          { type: "call" as const, call: "c1", name: "weather", input: { city: "Bern" } },
        ],
      },
      {
        role: "tool" as const,
        content: [{ type: "result" as const, call: "c1", content: [{ type: "text" as const, text: "sunny" }] }],
      },
      { role: "user" as const, content: [{ type: "text" as const, text: "and now?" }] },
    ],
    tools: [{ name: "weather", description: "Says it.", schema: { type: "object" } }],
    user: { id: "ann" },
    metadata: { a: "b" },
    settings: { temperature: 0.5, topP: 1, maxOutputTokens: 100, reasoning: "low" },
  };
  const again = (dialect: Dialect, command: Command): Command => {
    const { method, path, headers, body } = dialect.write(command);
    const url = new URL(path, "http://localhost");
    const route = dialect.routes.find(
      (one) => one.method === method && new RegExp(`^${one.path.replace(/:\w+/, "[^/]+")}$`).test(url.pathname),
    )!;
    const params = { response: decodeURIComponent(url.pathname.split("/")[3] ?? "") };
    return dialect.read(route, {
      params,
      query: url.searchParams,
      headers: new Headers(headers),
      body: body === undefined ? undefined : JSON.parse(body),
    });
  };
  const start = { do: "start", request } as const;
  const after = { seq: 0, frame: 0 };

  test.each<[string, Dialect, Command]>([
    [
      "a chat, streamed",
      openaiChat,
      { ...start, style: '{"model":"demo","usage":true,"tools":true}', extensions: true },
    ],
    ["a chat of few words", openaiChat, { do: "start", request: { messages: request.messages }, style: "{}" }],
    ["a chat, without streaming", openaiChat, { ...start, style: '{"model":"demo","tools":true}', whole: "end" }],
    ["a response, streamed", openaiResponses, { ...start, extensions: true, continues: "r1" }],
    [
      "a response, without streaming",
      openaiResponses,
      { ...start, request: { ...request, system: "short" }, whole: "end" },
    ],
    ["in the background", openaiResponses, { ...start, disconnect: "continue", detached: true, whole: "now" }],
    ["a stream in the background", openaiResponses, { ...start, disconnect: "continue" }],
    ["retrieve", openaiResponses, { do: "follow", run: "r1", after, whole: "now" }],
    ["resume", openaiResponses, { do: "follow", run: "r1", after, skipFrames: 7, extensions: true }],
    ["cancel", openaiResponses, { do: "cancel", run: "r1", whole: "now" }],
  ])("%s", (_, dialect, command) => {
    expect(again(dialect, command)).toEqual(command);
  });

  test.each(dialects)("%s: a URL that only begins like data is read immediately, however long it is", (_, dialect) => {
    const urls = ["a".repeat(2_000_000), ";".repeat(2_000_000), ";base64".repeat(300_000)].map(
      (rest) => `data:${rest}`,
    );
    const content = urls.map((url) => ({ type: "file" as const, mediaType: "image/*", url }));
    const read = again(dialect, { do: "start", request: { messages: [{ role: "user", content }] } });
    expect(read).toMatchObject({ request: { messages: [{ content }] } });
  });
});

describe("frames of real servers", () => {
  const chunk = (delta: object, finish: string | null = null, more: object = {}) => ({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    model: "m",
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  });
  const call = (index: number | undefined, id: string | undefined, name: string | undefined, text: unknown) => ({
    ...(index !== undefined && { index }),
    ...(id !== undefined && { id, type: "function" }),
    function: { ...(name !== undefined && { name }), arguments: text },
  });
  const callsOf = (entries: readonly Entry[]) => {
    const calls = new Map<string, [string, string]>();
    for (const { event } of entries) {
      if (event.type === "tool-start") calls.set(event.call, [event.name, ""]);
      else if (event.type === "tool-input-delta") calls.get(event.call)![1] += event.delta;
    }
    return [...calls.values()];
  };
  const two = [
    ["weather", '{"city":"Bern"}'],
    ["show_map", "{}"],
  ];

  test.each<[string, unknown[]]>([
    [
      "OpenAI: fragments by index",
      [
        chunk({ role: "assistant", content: null }),
        chunk({ tool_calls: [call(0, "a", "weather", "")] }),
        chunk({ tool_calls: [call(0, undefined, undefined, '{"city":')] }),
        chunk({ tool_calls: [call(1, "b", "show_map", "")] }),
        chunk({ tool_calls: [call(0, undefined, undefined, '"Bern"}'), call(1, undefined, undefined, "{}")] }),
        chunk({}, "tool_calls"),
        { choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } },
        "[DONE]",
      ],
    ],
    [
      "one index for all, a call in each chunk, no end marker",
      [
        chunk({ role: "assistant", tool_calls: [call(0, "a", "weather", '{"city":"Bern"}')] }),
        chunk({ tool_calls: [call(0, "b", "show_map", "{}")] }),
        chunk({}, "tool_calls"),
      ],
    ],
    [
      "neither index nor id, arguments as an object, all in the last chunk",
      [
        chunk(
          {
            tool_calls: [
              call(undefined, undefined, "weather", { city: "Bern" }),
              call(undefined, undefined, "show_map", {}),
            ],
          },
          "tool_calls",
        ),
        "[DONE]",
      ],
    ],
  ])("calls: %s", async (_, values) => {
    const read = await runOf(understand(openaiChat, data(...values)));
    expect(verify(read)).toBeUndefined();
    expect(callsOf(read)).toEqual(two);
    expect(endOf(read).outcome).toBe("done");
    expect(read.filter(({ event }) => event.type === "tool-end" && event.outcome === "deferred")).toHaveLength(2);
  });

  test.each(["reasoning_content", "reasoning"])("thoughts as %s, then text, with junk in between", async (key) => {
    const values = [
      "not json",
      {},
      chunk({ role: "assistant", content: "" }),
      chunk({ [key]: "hm" }),
      chunk({ content: "Hello", [key]: null }),
      { choices: [{ index: 1, delta: { content: "another choice" } }] },
      chunk({ content: " you" }, "length", { usage: { prompt_tokens: 1, completion_tokens: 2 } }),
      "[DONE]",
      chunk({ content: "late" }),
    ];
    const read = await runOf(understand(openaiChat, data(...values)));
    expect(wordsOf(read, "thinking")).toEqual(["hm"]);
    expect(wordsOf(read, "text")).toEqual(["Hello you"]);
    expect(read.find(({ event }) => event.type === "step-end")?.event).toMatchObject({ finish: "length" });
    expect(endOf(read)).toMatchObject({ outcome: "done", usage: { input: 1, output: 2 } });
  });

  test("an error in the middle of a stream", async () => {
    const error = { message: "overloaded", type: "server_error", code: null };
    const read = await runOf(understand(openaiChat, data(chunk({ content: "He" }), { error })));
    expect(wordsOf(read, "text")).toEqual(["He"]);
    expect(endOf(read)).toMatchObject({ outcome: "error", error: { code: "server_error", message: "overloaded" } });
  });

  test("a response with a provider-run search, a call for the client, a citation, and complete text, twice", async () => {
    const item = (output_index: number, type: "added" | "done", value: object) => ({
      type: `response.output_item.${type}`,
      output_index,
      item: value,
    });
    const search = { id: "ws_1", type: "web_search_call", status: "completed" };
    const asked = { id: "fc_1", type: "function_call", call_id: "call_1", name: "weather", arguments: "" };
    const message = { id: "msg_1", type: "message", content: [{ type: "output_text", text: "Sunny." }] };
    const annotation = { type: "url_citation", url: "https://example.org/", title: "A", start_index: 0, end_index: 5 };
    const words = { item_id: "msg_1", output_index: 2, content_index: 0 };
    const place = { item_id: "rs_1", output_index: 0, summary_index: 0 };
    const values = [
      { type: "response.created", response: { id: "resp_1", model: "m" } },
      { type: "response.reasoning_summary_part.added", ...place, part: { type: "summary_text", text: "" } },
      { type: "response.reasoning_summary_text.delta", ...place, delta: "hm" },
      item(0, "done", { id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: "hm" }] }),
      item(1, "added", { ...search, status: "in_progress" }),
      { type: "response.web_search_call.searching", item_id: "ws_1" },
      item(1, "done", search),
      { type: "response.output_text.delta", ...words, delta: "Sunny." },
      { type: "response.output_text.annotation.added", ...words, annotation_index: 0, annotation },
      item(2, "done", message),
      item(4, "done", { ...message, id: "msg_2" }),
      item(4, "done", { ...message, id: "msg_2" }),
      item(3, "added", asked),
      { type: "response.function_call_arguments.delta", item_id: "fc_1", delta: '{"city":' },
      { type: "response.function_call_arguments.delta", item_id: "fc_1", delta: '"Bern"}' },
      { type: "response.function_call_arguments.done", item_id: "fc_1", arguments: '{"city":"Bern"}' },
      item(3, "done", { ...asked, arguments: '{"city":"Bern"}' }),
      { type: "response.completed", response: { id: "resp_1", usage: { input_tokens: 5, output_tokens: 6 } } },
    ];
    const read = await runOf(understand(openaiResponses, data(...values)));
    expect(verify(read)).toBeUndefined();
    expect(wordsOf(read, "thinking")).toEqual(["hm"]);
    expect(wordsOf(read, "text")).toEqual(["Sunny.", "Sunny."]);
    const citation = read.find(({ event }) => event.type === "citation")?.event;
    expect(citation).toMatchObject({ title: "A", url: "https://example.org/", part: "1.2", range: [0, 5] });
    expect(callsOf(read)).toEqual([
      ["web_search", ""],
      ["weather", '{"city":"Bern"}'],
    ]);
    expect(endOf(read)).toMatchObject({ outcome: "done", awaiting: ["call_1"], usage: { input: 5, output: 6 } });
  });

  test("a failed or unfinished call of the server is not ok", async () => {
    const items = [
      { id: "mcp_1", type: "mcp_call", name: "look", status: "completed", error: "401 from there", output: null },
      { id: "mcp_2", type: "mcp_call", name: "look", error: { code: 7, message: "gone" } },
      { id: "ws_1", type: "web_search_call", status: "failed" },
      { id: "ws_2", type: "web_search_call", status: "incomplete" },
      { id: "ws_3", type: "web_search_call", status: "completed", error: null },
    ];
    const values = [
      { type: "response.created", response: { id: "resp_1", model: "m" } },
      ...items.map((item, output_index) => ({ type: "response.output_item.done", output_index, item })),
      { type: "response.completed", response: { id: "resp_1" } },
    ];
    const read = await runOf(understand(openaiResponses, data(...values)));
    expect(verify(read)).toBeUndefined();
    const ends = read.flatMap(({ event }) =>
      event.type === "tool-end" ? [[event.outcome, event.error?.message]] : [],
    );
    expect(ends).toEqual([
      ["error", "401 from there"],
      ["error", "gone"],
      ["error", undefined],
      ["interrupted", undefined],
      ["ok", undefined],
    ]);
  });
});
