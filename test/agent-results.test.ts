import { describe, expect, test } from "vitest";
import { z } from "zod";
import { memory } from "../src/logs/memory.ts";
import { type Beat, demo } from "../src/models/demo.ts";
import { agent } from "../src/sources/agent.ts";
import { defineTool, toolResult } from "../src/tool.ts";
import { drive, playing, script, toolResults, user } from "./drive.ts";
import { entriesOf, request, setUp, untilEnd } from "./running.ts";

const done = [{ say: "done" }];
const returning = (run: () => unknown) => [defineTool({ name: "tool", description: "", input: z.object({}), run })];

describe("any return value of a tool ends its call", () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  test.each<[string, () => unknown, string]>([
    ["a BigInt", () => 10n, "a BigInt"],
    ["a BigInt inside", () => ({ count: [10n] }), "a BigInt"],
    ["a cycle", () => circle, "contains itself"],
    ["a function", () => () => 1, "a function"],
    ["a symbol", () => Symbol("s"), "a symbol"],
    ["a Map", () => new Map([["a", 1]]), "a Map"],
    ["a Set inside", () => ({ names: new Set(["a"]) }), "a Set in the field names"],
    ["bytes inside", () => ({ image: Buffer.from("png") }), "in the field image"],
    ["an Error", () => new Error("out of paper"), "out of paper"],
    ["an invalid content part of a result", () => toolResult([{ type: "json", value: 1n as never }]), "a BigInt"],
    [
      "a field that throws",
      () => ({
        get field() {
          throw new Error("not ready");
        },
      }),
      "not ready",
    ],
    ["a rejection with undefined", () => Promise.reject(undefined), ""],
  ])("%s is an error with a clear message", async (_, run, message) => {
    const { model, requests } = playing(script("go", [{ call: "tool" }], done));
    const driven = await drive(agent({ name: "test", model, tools: returning(run) }), "go");
    expect(driven.all("tool-end")).toMatchObject([
      { outcome: "error", error: { message: expect.stringContaining(message) } },
    ]);
    expect(toolResults(requests[1])).toMatchObject([["tool", "error-text", expect.stringContaining(message)]]);
    expect(driven.text()).toBe("done");
  });

  test.each<[string, () => unknown, object]>([
    ["nothing", () => undefined, {}],
    ["null", () => null, { content: [{ type: "json", value: null }] }],
    ["a date", () => new Date(0), { content: [{ type: "json", value: "1970-01-01T00:00:00.000Z" }] }],
    ["bytes", () => Buffer.from("png"), { content: [{ type: "file", file: "stored-1", bytes: 3 }] }],
    ["an ArrayBuffer", () => new ArrayBuffer(8), { content: [{ type: "file", bytes: 8 }] }],
  ])("%s is a result", async (_, run, expected) => {
    const { model } = playing(script("go", [{ call: "tool" }], done));
    const driven = await drive(agent({ name: "test", model, tools: returning(run) }), "go");
    expect(driven.all("tool-end")).toMatchObject([{ outcome: "ok", ...expected }]);
  });

  describe("a Response that a tool returns", () => {
    const returned = async (response: () => Response) => {
      const { model, requests } = playing(script("go", [{ call: "tool" }], done));
      const driven = await drive(agent({ name: "test", model, tools: returning(response) }), "go");
      return { driven, toolResults: toolResults(requests[1]) };
    };
    const inline = { "content-type": "text/html; charset=utf-8", "content-disposition": "inline" };

    test("is shown if it is an inline page, and the model is informed", async () => {
      const html = "<!doctype html><title>Sales</title><p>12</p>";
      const { driven, toolResults } = await returned(() => new Response(html, { headers: inline }));
      expect(driven.all("embed")).toMatchObject([{ html, title: "Sales" }]);
      expect(toolResults).toMatchObject([["tool", "text", 'The page "Sales" is shown to the user.']]);
    });

    test("becomes text for other pages, and JSON or a file depending on its content type", async () => {
      const page = await returned(
        () => new Response("<p>12 &amp; 13</p>", { headers: { "content-type": "text/html" } }),
      );
      expect(page.driven.all("embed")).toEqual([]);
      expect(page.driven.all("tool-end")).toMatchObject([
        { outcome: "ok", content: [{ type: "text", text: "12 & 13" }] },
      ]);
      const json = await returned(() => Response.json({ a: 1 }));
      expect(json.driven.all("tool-end")).toMatchObject([{ content: [{ type: "json", value: { a: 1 } }] }]);
      const picture = await returned(
        () => new Response(new Uint8Array(3), { headers: { "content-type": "image/png" } }),
      );
      expect(picture.driven.all("tool-end")).toMatchObject([
        { content: [{ type: "text" }, { type: "file", bytes: 3 }] },
      ]);
    });

    test("a Response with an error status is an error and shows nothing", async () => {
      const { driven } = await returned(() => new Response("<p>no</p>", { status: 503, headers: inline }));
      expect(driven.all("embed")).toEqual([]);
      expect(driven.all("tool-end")).toMatchObject([
        { outcome: "error", error: { message: expect.stringContaining("503") } },
      ]);
    });

    test("is read up to a limit, however long its body is", async () => {
      const endless = new ReadableStream<Uint8Array>({ pull: (to) => to.enqueue(new Uint8Array(1024 * 1024)) });
      const { driven } = await returned(() => new Response(endless, { headers: { "content-type": "image/png" } }));
      expect(driven.all("tool-end")).toMatchObject([
        { content: [{ text: expect.stringContaining("too large to store") }] },
      ]);
    });
  });

  test("50 MB are stored alongside the log, and the model gets the beginning and the end", async () => {
    const { model, requests } = playing(script("hi", [{ call: "tool" }], done));
    const { runner, log } = setUp();
    const source = agent({ name: "test", model, tools: returning(() => `a${"x".repeat(50 * 1024 * 1024 - 2)}z`) });
    const { run } = await runner.start(request, { name: "test", source });
    const events = await untilEnd(log, run);
    const end = events.find((event) => event.type === "tool-end");
    expect(end).toMatchObject({ outcome: "ok", content: [{ type: "file", bytes: 50 * 1024 * 1024 }] });
    expect(JSON.stringify(await entriesOf(log, run)).length).toBeLessThan(50_000);
    const [[, , text] = []] = toolResults(requests[1]);
    expect(`${text}`.length).toBeLessThan(101_000);
    expect(`${text}`).toMatch(/^ax+\n\[… \d+ characters left out …\]\nx+z$/);
  });

  test("an earlier result in a request is shortened as it was in its run", async () => {
    const text = `a${"x".repeat(200)}z`;
    const { model, requests } = playing(script("hi", [{ call: "tool", id: "c" }], done), script("more", done));
    const source = agent({ name: "test", model, tools: returning(() => text), maxResultLength: 100 });
    await drive(source, "hi");
    const results = [{ type: "result" as const, call: "c", name: "tool", content: [{ type: "text" as const, text }] }];
    const call = { type: "call" as const, call: "c", name: "tool", input: {} };
    const messages = [
      user("hi"),
      { role: "assistant" as const, content: [call] },
      { role: "tool" as const, content: results },
      user("more"),
    ];
    await drive(source, { messages });
    expect(toolResults(requests[2])).toEqual(toolResults(requests[1]));
    expect(toolResults(requests[2])[0]![2]).toContain("102 characters left out");
  });

  test("a provider that accepts images in results gets the image, others a text", async () => {
    const tools = [
      defineTool({
        name: "tool",
        description: "",
        input: z.object({}),
        run: async (_, context) => {
          const kept = await context.put(Buffer.from("png"), { mediaType: "image/png", name: "chart.png" });
          return toolResult([
            { type: "text", text: "Here:" },
            { type: "file", ...kept },
          ]);
        },
      }),
    ];
    const outputs = async (provider: string) => {
      const { model, requests } = playing(script("go", [{ call: "tool" }], done));
      await drive(agent({ name: "test", model: { ...model, provider }, tools }), "go");
      const message = requests[1]?.prompt.find(({ role }) => role === "tool");
      return (message?.content as { output: object }[] | undefined)?.[0]?.output;
    };
    expect(await outputs("anthropic.messages")).toEqual({
      type: "content",
      value: [
        { type: "text", text: "Here:" },
        { type: "file", mediaType: "image/png", filename: "chart.png", data: { type: "data", data: "cG5n" } },
      ],
    });
    expect(await outputs("ollama.chat")).toMatchObject({ type: "text", value: expect.stringContaining("chart.png") });
  });
});

test("an image that cannot be read again ends its call once and is replaced by a text", async () => {
  const lost = { file: "lost", mediaType: "image/png", bytes: 3, name: "lost.png" };
  const { model, requests } = playing(script("hi", [{ call: "tool" }], done));
  const { runner, log } = setUp({ log: { ...memory(), get: () => Promise.reject(new Error("the disk is gone")) } });
  const source = agent({
    name: "test",
    model: { ...model, provider: "anthropic.messages" },
    tools: returning(() => toolResult([{ type: "file", ...lost }])),
  });
  const { run } = await runner.start(request, { name: "test", source });
  const events = await untilEnd(log, run);
  expect(events.filter(({ type }) => type === "tool-end")).toMatchObject([{ outcome: "ok" }]);
  expect(JSON.stringify(requests[1]?.prompt)).toContain("[file lost.png (image/png), 3 bytes]");
  expect(events.at(-1)).toMatchObject({ outcome: "done" });
});

describe("tools that the provider runs", () => {
  const call = { type: "tool-call", toolCallId: "p", toolName: "search", input: "{}", providerExecuted: true } as const;
  const late = { part: { type: "tool-result", toolCallId: "p", toolName: "search", result: { hits: 1 } } } as const;
  const tools = returning(() => "ours");

  test("are offered under their configured name", async () => {
    const search = { id: "acme.web_search" as const, args: { maxUses: 3 } };
    const { model, requests } = playing(script("go", done));
    await drive(agent({ name: "test", model, tools, providerTools: { search } }), "go");
    expect(requests[0]?.tools).toMatchObject([
      { type: "function", name: "tool" },
      { type: "provider", id: "acme.web_search", name: "search", args: { maxUses: 3 } },
    ]);
  });

  test("may be answered in a later step", async () => {
    const { model } = playing(script("go", [{ part: call }, { call: "tool" }], [late, ...done]));
    const run = await drive(agent({ name: "test", model, tools }), "go");
    expect(run.typesOf("p")).toEqual(["tool-start", "tool-input-end", "tool-execute", "tool-end"]);
    expect(run.all("tool-end").map(({ outcome }) => outcome)).toEqual(["ok", "ok"]);
  });

  test("end as interrupted if they are never answered", async () => {
    const { model } = playing(script("go", [{ part: call }, ...done]));
    const run = await drive(agent({ name: "test", model }), "go");
    expect(run.all("tool-end")).toMatchObject([{ call: "p", outcome: "interrupted" }]);
  });

  test("need approval if the provider requires it", async () => {
    const wants = { part: { type: "tool-approval-request", approvalId: "a", toolCallId: "p" } } as const;
    for (const allow of [true, false]) {
      const { model, requests } = playing(script("go", [{ part: call }, wants]));
      const run = await drive(agent({ name: "test", model, maxSteps: 2 }), "go", (event, { answer }) => {
        if (event.type === "ask-start") answer(event.ask, { allow, reason: "because" });
      });
      expect(run.all("ask-start")).toMatchObject([{ kind: "confirmation", call: "p" }]);
      expect(requests[1]?.prompt.at(-1)?.content).toEqual([
        { type: "tool-approval-response", approvalId: "a", approved: allow, reason: "because" },
      ]);
      expect(run.all("tool-end")).toMatchObject([{ outcome: allow ? "interrupted" : "error" }]);
    }
  });
});

describe("content of messages and answers", () => {
  test("bytes stored alongside the log and in data URLs reach the model", async () => {
    const { model, requests } = playing(script("look", done));
    const { runner, log } = setUp();
    await log.put("known", Buffer.from("first"), { mediaType: "image/png" }).then(async ({ file }) => {
      const content = [
        { type: "file" as const, mediaType: "image/png", file },
        { type: "file" as const, mediaType: "image/png", url: "data:image/png;base64,c2Vjb25k" },
        { type: "text" as const, text: "look" },
      ];
      const lost = { type: "file" as const, mediaType: "image/png", name: "lost.png", file: "nowhere" };
      const messages = [
        { role: "user" as const, content: [lost] },
        { role: "user" as const, content },
      ];
      const asked = { run: "known", messages };
      await runner.start(asked, { name: "test", source: agent({ name: "test", model }) });
      await untilEnd(log, "known");
    });
    expect(requests[0]?.prompt[0]?.content).toMatchObject([{ text: expect.stringContaining("lost.png") }]);
    expect(requests[0]?.prompt[1]?.content).toMatchObject([
      { type: "file", data: { type: "data", data: Buffer.from("first").toString("base64") } },
      { type: "file", data: { type: "data", data: "c2Vjb25k" } },
      { type: "text", text: "look" },
    ]);
  });

  test("thinking that a provider hides is redacted and sent back to the provider", async () => {
    const meta = { anthropic: { redactedData: "opaque" } };
    const { model, requests } = playing(
      script(
        "go",
        [
          { part: { type: "reasoning-start", id: "r", providerMetadata: meta } },
          { part: { type: "reasoning-end", id: "r" } },
          { call: "tool" },
        ],
        done,
      ),
    );
    const run = await drive(agent({ name: "test", model, tools: returning(() => "") }), "go");
    expect(run.all("thinking-start")).toMatchObject([{ redacted: true, meta }]);
    const answer = requests[1]?.prompt.find(({ role }) => role === "assistant");
    expect(answer?.content[0]).toMatchObject({ type: "reasoning", providerOptions: meta });
  });

  test("a model's warning becomes one notice", async () => {
    const warned: Beat = { part: { type: "stream-start", warnings: [{ type: "unsupported", feature: "seed" }] } };
    const { model } = playing(script("go", [warned, { call: "tool" }], [warned, ...done]));
    const run = await drive(agent({ name: "test", model, tools: returning(() => "") }), "go");
    expect(run.all("notice")).toEqual([{ type: "notice", level: "warning", text: "The model does not support seed." }]);
  });

  test("thinking in tags becomes thinking, unless that is turned off", async () => {
    const story = script("go", [{ say: "<think>\nLet me see what it is.</think>\n\nIt is fine." }]);
    const { model, requests } = playing(story);
    const run = await drive(agent({ name: "test", model }), { messages: [user("go")] });
    expect(
      run
        .all("thinking-delta")
        .map(({ delta }) => delta)
        .join(""),
    ).toBe("Let me see what it is.");
    expect(run.text()).toBe("It is fine.");
    expect(run.all("text-start")).toHaveLength(1);
    expect(requests).toHaveLength(1);
    const off = await drive(
      agent({ name: "test", model: demo({ speed: Infinity, stories: [story] }), thinkTags: false }),
      "go",
    );
    expect(off.text()).toContain("<think>");
  });

  test("arguments in the history that are not an object are sent to the model as an empty object", async () => {
    const { model, requests } = playing(script("go", done));
    const calls = ["{broken", null, [1], { a: 1 }].map((input, index) => ({
      type: "call" as const,
      call: `c${index}`,
      name: "tool",
      input,
    }));
    const messages = [user("before"), { role: "assistant" as const, content: calls }, user("go")];
    await drive(agent({ name: "test", model, tools: returning(() => "") }), { messages });
    const inputs = requests[0]!.prompt.flatMap((message) =>
      message.role === "assistant" ? message.content.map((part) => part.type === "tool-call" && part.input) : [],
    );
    expect(inputs).toEqual([{}, {}, {}, { a: 1 }]);
  });
});
