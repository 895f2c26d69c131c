import { APICallError } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Refusal } from "../src/source.ts";
import { agent } from "../src/sources/agent.ts";
import { defineTool, toolResult } from "../src/tool.ts";
import { drive, playing, script, toolResults, user } from "./drive.ts";

const echo = defineTool({
  name: "echo",
  description: "Says it again.",
  input: z.object({ text: z.string() }),
  run: ({ text }) => text,
});
const done = [{ say: "done" }];

describe("a step and its calls", () => {
  test("the step ends before its calls run, and their results go back to the model", async () => {
    const { model, requests } = playing(
      script("go", [{ think: "hm" }, { say: "I echo." }, { call: "echo", input: { text: "a" }, id: "one" }], done),
    );
    const run = await drive(agent({ name: "test", model, tools: [echo] }), "go");
    const types = run.events.map(({ type }) => type).filter((type) => !type.endsWith("-delta"));
    expect(types).toEqual([
      "run-start",
      "step-start",
      "thinking-start",
      "thinking-end",
      "text-start",
      "text-end",
      "tool-start",
      "tool-input-end",
      "step-end",
      "tool-execute",
      "tool-end",
      "step-start",
      "text-start",
      "text-end",
      "step-end",
    ]);
    expect(run.all("run-start")[0]).toMatchObject({ name: "test", model: "demo (scripted)" });
    expect(run.all("step-end").map(({ finish }) => finish)).toEqual(["tools", "stop"]);
    expect(run.all("step-end")[0]?.usage?.output).toBeGreaterThan(0);
    expect(run.all("tool-end")[0]).toMatchObject({ outcome: "ok", content: [{ type: "text", text: "a" }] });
    expect(toolResults(requests[1])).toEqual([["echo", "text", "a"]]);
  });

  test("calls run in parallel and end independently", async () => {
    const slow = Promise.withResolvers<string>();
    const gate = defineTool({ name: "gate", description: "", input: z.object({}), run: () => slow.promise });
    const { model } = playing(
      script(
        "go",
        [
          { call: "gate", id: "slow" },
          { call: "echo", input: { text: "b" }, id: "fast" },
        ],
        done,
      ),
    );
    const run = await drive(agent({ name: "test", model, tools: [echo, gate] }), "go", (event) => {
      if (event.type === "tool-end" && event.call === "fast") slow.resolve("late");
    });
    expect(run.all("tool-end").map(({ call }) => call)).toEqual(["fast", "slow"]);
    expect(run.all("tool-end").every(({ ms }) => ms !== undefined)).toBe(true);
  });

  test("arguments that arrived complete are in tool-input-end, streamed ones are not", async () => {
    const { model } = playing(
      script("go", [
        { call: "echo", input: { text: "w" }, id: "whole", whole: true },
        { call: "echo", input: { text: "s" }, id: "streamed" },
      ]),
    );
    const run = await drive(agent({ name: "test", model, tools: [echo] }), "go");
    expect(run.all("tool-input-end")).toEqual([
      { type: "tool-input-end", call: "whole", input: { text: "w" } },
      { type: "tool-input-end", call: "streamed" },
    ]);
    expect(run.typesOf("whole")).not.toContain("tool-input-delta");
  });

  test("errors of a call go back to the model, and invalid and unknown calls never execute", async () => {
    const odd = defineTool({ name: "odd", description: "", input: z.object({}), run: () => 10n });
    const throws = defineTool({
      name: "throws",
      description: "",
      input: z.object({}),
      run: () => Promise.reject(Object.assign(new Error("no such file"), { code: "ENOENT" })),
    });
    const says = defineTool({
      name: "says",
      description: "",
      input: z.object({}),
      run: () => toolResult("it is broken", { isError: true, value: { at: 3 } }),
    });
    const { model, requests } = playing(
      script(
        "go",
        [
          { call: "echo", text: '{"text": ', id: "not-json" },
          { call: "echo", text: "nonsense", id: "not-json-whole", whole: true },
          { call: "echo", input: { text: 5 }, id: "unfit" },
          { call: "nobody", text: "{}", id: "unknown" },
          { call: "throws", id: "throws" },
          { call: "odd", id: "odd" },
          { call: "says", id: "says" },
        ],
        done,
      ),
    );
    const run = await drive(agent({ name: "test", model, tools: [echo, odd, throws, says] }), "go");
    const codes = Object.fromEntries(run.all("tool-end").map(({ call, error }) => [call, error?.code]));
    expect(codes).toEqual({
      "not-json": "invalid-input",
      "not-json-whole": "invalid-input",
      unfit: "invalid-input",
      unknown: "unknown-tool",
      throws: "ENOENT",
      odd: "tool-failed",
      says: "tool-failed",
    });
    expect(run.all("tool-execute").map(({ call }) => call)).toEqual(["throws", "odd", "says"]);
    expect(toolResults(requests[1]).map(([, kind]) => kind)).toEqual(Array(7).fill("error-text"));
    expect(run.all("tool-end").find(({ call }) => call === "says")?.value).toEqual({ at: 3 });
    expect(run.text()).toBe("done");
  });

  test("ids that a model repeats are made unique, even if they are in the history", async () => {
    const call = { call: "echo", input: { text: "x" }, id: "again" };
    const { model, requests } = playing(script("go", [call], [call, call], done));
    const history = [
      user("before"),
      { role: "assistant" as const, content: [{ type: "call" as const, call: "again", name: "echo", input: {} }] },
      user("go"),
    ];
    const run = await drive(agent({ name: "test", model, tools: [echo] }), { messages: history });
    expect(new Set(run.all("tool-start").map((event) => event.call)).size).toBe(3);
    const sent = requests
      .at(-1)!
      .prompt.flatMap(({ role, content }) =>
        role === "assistant" || role === "tool"
          ? content.flatMap((part) => ("toolCallId" in part ? [`${part.type} ${part.toolCallId}`] : []))
          : [],
      );
    // Four calls and a result for each, all with distinct ids.
    expect(new Set(sent).size).toBe(8);
    expect(new Set(sent.map((id) => id.split(" ")[1])).size).toBe(4);
    // The call that the history left open got a result, because providers reject a prompt without one.
    expect(toolResults(requests[0])).toEqual([["echo", "error-text", expect.stringContaining("cut off")]]);
  });

  test("an endless loop is stopped", async () => {
    const { model } = playing({
      ...script("go", [{ call: "echo", input: { text: "x" } }]),
      steps: Array(9).fill(() => [{ call: "echo", input: { text: "x" } }]),
    });
    const run = await drive(agent({ name: "test", model, tools: [echo], maxSteps: 3 }), "go");
    expect(run.all("step-start")).toHaveLength(3);
    expect(run.error).toMatchObject({ code: "step-limit" });
  });
});

describe("tools that the client runs", () => {
  const tools = [{ name: "locate", schema: { type: "object", properties: {} } }];
  test("their call is deferred, and the run ends awaiting it after the other calls", async () => {
    const { model, requests } = playing(
      script(
        "go",
        [
          { call: "locate", id: "theirs" },
          { call: "echo", input: { text: "x" }, id: "ours" },
        ],
        done,
      ),
    );
    const run = await drive(agent({ name: "test", model, tools: [echo] }), { messages: [user("go")], tools });
    expect(run.events.at(-1)).toEqual({ type: "run-end", outcome: "done", awaiting: ["theirs"] });
    expect(run.typesOf("theirs")).toEqual(["tool-start", "tool-input-end", "tool-end"]);
    expect(run.typesOf("ours")).toContain("tool-execute");
    expect(requests[0]?.tools?.map(({ name }) => name)).toEqual(["echo", "locate"]);
  });
});

describe("model output", () => {
  test("files, citations, provider-run tools and metadata keep their order", async () => {
    const meta = { acme: { signature: "s" } };
    const { model, requests } = playing(
      script(
        "go",
        [
          { part: { type: "reasoning-start", id: "r" } },
          { part: { type: "reasoning-delta", id: "r", delta: "hm" } },
          { part: { type: "reasoning-end", id: "r", providerMetadata: meta } },
          { part: { type: "file", mediaType: "image/png", data: { type: "data", data: "AAEC" } } },
          { cite: { title: "A page", url: "https://example.com/" } },
          { provider: "web_search", input: { query: "q" }, result: { hits: 1 } },
          { call: "echo", input: { text: "x" }, id: "ours" },
        ],
        done,
      ),
    );
    const run = await drive(agent({ name: "test", model, tools: [echo] }), "go");
    expect(run.all("thinking-end")[0]?.meta).toEqual(meta);
    expect(run.all("file")[0]).toMatchObject({ file: "stored-1", mediaType: "image/png", bytes: 3 });
    expect(run.all("citation")[0]).toMatchObject({ title: "A page", url: "https://example.com/" });
    expect(run.all("tool-start")[0]).toMatchObject({ name: "web_search", provider: true });
    expect(run.all("tool-end")[0]).toMatchObject({ outcome: "ok", content: [{ type: "json", value: { hits: 1 } }] });
    const answer = requests[1]?.prompt.find(({ role }) => role === "assistant");
    expect(answer?.content).toMatchObject([
      { type: "reasoning", text: "hm", providerOptions: meta },
      { type: "file" },
      { type: "tool-call", toolName: "web_search", providerExecuted: true },
      { type: "tool-result", toolName: "web_search" },
      { type: "tool-call", toolCallId: "ours" },
    ]);
  });

  test("the history is sent in the model's format", async () => {
    const { model, requests } = playing(script("go", done));
    await drive(agent({ name: "test", model, instructions: "Be kind." }), {
      system: "And short.",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "look" },
            { type: "file", mediaType: "image/png", data: "AAEC" },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "thinking", text: "hm", meta: { acme: { signature: "s" } } },
            { type: "call", call: "c", name: "echo", input: { text: "x" } },
          ],
        },
        { role: "tool", content: [{ type: "result", call: "c", content: [{ type: "json", value: { ok: true } }] }] },
        user("go"),
      ],
    });
    expect(requests[0]?.prompt).toMatchObject([
      { role: "system", content: "Be kind.\n\nAnd short." },
      { role: "user", content: [{ text: "look" }, { mediaType: "image/png", data: { type: "data", data: "AAEC" } }] },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "hm", providerOptions: { acme: { signature: "s" } } },
          { type: "tool-call", toolCallId: "c", input: { text: "x" } },
        ],
      },
      { role: "tool", content: [{ toolCallId: "c", toolName: "echo", output: { type: "json", value: { ok: true } } }] },
      { role: "user", content: [{ text: "go" }] },
    ]);
  });
});

describe("a model that fails", () => {
  const limited = { status: 429, message: "slow down", retryMs: 0 };
  const resting = new APICallError({
    message: "come back later",
    url: "demo:",
    requestBodyValues: {},
    statusCode: 429,
    responseHeaders: { "retry-after": "3600" },
  });
  const source = (...beats: Parameters<typeof script>[1][]) => {
    const { model, requests } = playing(script("go", ...beats));
    return { source: agent({ name: "test", model }), requests };
  };

  test("is retried before it has shown text", async () => {
    const run = await drive(source([{ fail: { ...limited, once: true } }, ...done]).source, "go");
    expect(run.all("step-retry")).toMatchObject([{ attempt: 2, wait: 0, error: { code: "model-rate-limited" } }]);
    expect(run.text()).toBe("done");
  });

  test("is retried after thinking, which is then cut", async () => {
    const cut = { part: { type: "reasoning-start", id: "r" } } as const;
    const run = await drive(source([cut, { fail: { ...limited, once: true } }, ...done]).source, "go");
    expect(run.all("thinking-end")[0]).toMatchObject({ cut: true });
    expect(run.text()).toBe("done");
  });

  test("is abandoned after three attempts", async () => {
    const run = await drive(source([{ fail: limited }]).source, "go");
    expect(run.all("step-retry").map(({ attempt }) => attempt)).toEqual([2, 3]);
    expect(run.all("step-end")[0]?.finish).toBe("error");
    expect(run.error).toMatchObject({ code: "model-rate-limited", retryable: true });
  });

  test.each([
    ["after text", [{ say: "half" }, { fail: limited }], "model-rate-limited"],
    ["for a wrong key", [{ fail: { status: 401, message: "who?" } }], "model-unauthorized"],
    ["that requests a delay of an hour", [{ part: { type: "error", error: resting } }], "model-rate-limited"],
    ["whose stream breaks", [{ say: "half" }, { part: { type: "error", error: new Error("cut") } }], "model-error"],
  ] as const)("is not retried %s", async (_, beats, code) => {
    const run = await drive(source(beats).source, "go");
    expect(run.all("step-retry")).toEqual([]);
    expect(run.error).toMatchObject({ code });
  });

  test("a stream that ends before its answer is complete is a failure", async () => {
    const { model } = playing(script("go", [{ say: "half" }]));
    const doStream: typeof model.doStream = async (options) => {
      const { stream } = await model.doStream(options);
      const whole = new TransformStream({
        transform: (part, controller) => void (part.type === "finish" || controller.enqueue(part)),
      });
      return { stream: stream.pipeThrough(whole) };
    };
    const run = await drive(agent({ name: "test", model: { ...model, doStream } }), "go");
    expect(run.error).toMatchObject({ code: "model-truncated", retryable: true });
  });

  test("an agent without its model refuses the request before the first event", async () => {
    const model = () => Promise.reject(new Refusal("no-key", "There is no key.", { status: 503 }));
    const run = await drive(agent({ name: "test", model }), "go");
    expect(run.events).toEqual([]);
    expect(run.error).toMatchObject({ code: "no-key", status: 503 });
  });
});

test("reading from the model pauses while a thousand events are queued", async () => {
  const { model } = playing(script("go", [{ say: "word ".repeat(20_000) }]));
  let sent = 0;
  const doStream: typeof model.doStream = async (options) => {
    const { stream } = await model.doStream(options);
    const counted = new TransformStream({ transform: (part, controller) => (sent++, controller.enqueue(part)) });
    return { stream: stream.pipeThrough(counted) };
  };
  const ahead: number[] = [];
  const run = await drive(agent({ name: "test", model: { ...model, doStream } }), "go", async (_, { events }) => {
    if (events.length !== 3) return;
    while (sent < 900) await turn();
    for (let turns = 0; turns < 500; turns += 1) await turn();
    ahead.push(sent - events.length);
  });
  expect(ahead[0]).toBeGreaterThanOrEqual(900);
  expect(ahead[0]).toBeLessThan(1100);
  expect(run.text()).toBe("word ".repeat(20_000));
});

const turn = () => new Promise((resolve) => setImmediate(resolve));
