import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { EventOf, EventType, Message } from "../../src/events.ts";
import { provider, type ReasoningHistory } from "../../src/models/provider.ts";
import { agent } from "../../src/sources/agent.ts";
import { defineTool } from "../../src/tool.ts";
import { type Serving, serve } from "../another-process.ts";
import { request, setUp, untilEnd, untilEvent } from "../running.ts";

let serving: Serving;
beforeAll(async () => {
  serving = await serve("faulty-provider.ts");
});
afterAll(() => serving.stop());

const echo = defineTool({
  name: "echo",
  description: "Says it again.",
  input: z.looseObject({ text: z.string() }),
  run: ({ text }) => text,
});

interface Options {
  readonly stallMs?: number;
  readonly history?: ReasoningHistory;
  /** The provider's name. Default: one that Runcast does not know. */
  readonly name?: string;
  readonly before?: readonly Message[];
  /** The event to wait for before the provider continues. */
  readonly until?: EventType;
  /** The delay after that event. */
  readonly afterMs?: number;
}

const play = async (fault: string, options: Options = {}) => {
  const { stallMs = 60_000, history, name = "acme", before = [], until, afterMs = 0 } = options;
  const endpoint = {
    baseUrl: `${serving.url}/${fault}`,
    apiKey: "key",
    ...(history && { reasoningHistory: history }),
  };
  const models = provider({ compatible: { [name]: endpoint } });
  const source = agent({ name: "test", model: `${name}/m`, provider: models, tools: [echo], stallMs });
  const { runner, log } = setUp();
  const messages = [...before, ...request.messages];
  const { run } = await runner.start({ ...request, messages }, { name: "test", source });
  if (until) {
    await untilEvent(log, run, ({ type }) => type === until);
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    await fetch(`${serving.url}/${fault}`);
  }
  const events = await untilEnd(log, run);
  const all = <Type extends EventType>(type: Type) => events.filter((event) => event.type === type) as EventOf<Type>[];
  const text = all("text-delta")
    .map(({ delta }) => delta)
    .join("");
  return { events, all, text, end: all("run-end")[0]! };
};

describe("the reason reaches the user, in any format", () => {
  test.each([
    ["reason-detail", "The model does not take images."],
    ["reason-details", "messages.0.name: Field required"],
    ["reason-message", "Tools are not switched on."],
    ["reason-text", "this model is asleep"],
    ["reason-none", "The provider returned 400 without giving a reason."],
    ["reason-page", "The provider returned a web page and the status 400: No such deployment."],
    ["reason-routed", "Azure: The image is too large."],
    ["error-200", "The deployment is paused."],
    ["typed-error", "The deployment is paused."],
    ["typed-page", "The model's URL returned a web page: Sign in."],
    ["typed-text", "no healthy upstream"],
    ["typed-lines", "The model's answer could not be read."],
  ])("%s: %s", async (fault, message) => {
    const { end } = await play(fault);
    expect(end).toMatchObject({ outcome: "error", error: { message, retryable: false } });
  });

  test.each([
    ["stream-vllm", "Out of memory.", false],
    ["stream-text", "Out of memory.", false],
    ["stream-choice", "Out of memory.", false],
    ["stream-detail", "Out of memory.", true],
    ["stream-plain", "Out of memory.", true],
    ["stream-no-reason", "The provider reported an error without giving a reason.", false],
  ])("%s: after some text, %s", async (fault, message, retryable) => {
    const { end, text } = await play(fault);
    expect(text).toBe("Hel");
    expect(end).toMatchObject({ outcome: "error", error: { message, retryable } });
  });

  test("an answer in one piece, sent as a stream, is the answer", async () => {
    const { end, text } = await play("typed-whole");
    expect([text, end.outcome]).toEqual(["Hello there.", "done"]);
  });

  test("an answer that is not streamed is the answer", async () => {
    const { end, text, all } = await play("whole-200");
    expect(text).toBe("Hello there.");
    expect(all("thinking-delta").map(({ delta }) => delta)).toEqual(["Short."]);
    expect(end).toMatchObject({ outcome: "done", usage: { input: 5, output: 7 } });
  });
});

describe("keep-alives are not silence", () => {
  test.each(["comments", "empty-deltas"])("%s: the user sees that the model is queued", async (fault) => {
    const { end, all, text } = await play(fault, { stallMs: 2500, until: "status", afterMs: 3500 });
    expect(all("status").map((event) => event.text)).toEqual(["The model is queued.", ""]);
    expect(all("step-retry")).toEqual([]);
    expect([text, end.outcome]).toEqual(["Hello there.", "done"]);
  });
});

describe("server extensions are kept", () => {
  test("sources, images, transcripts and thoughts in other fields", async () => {
    const { all, text, end } = await play("added");
    expect(all("thinking-delta").map(({ delta }) => delta)).toEqual(["I look it up."]);
    expect(text).toBe("Lisbon is warm. So I said.");
    expect(all("citation").map(({ url, title }) => [url, title])).toEqual([
      ["https://a.example/", undefined],
      ["https://b.example/", "B"],
      ["https://c.example/", "C"],
    ]);
    expect(all("file")).toMatchObject([{ mediaType: "image/png", bytes: 8 }]);
    expect(end.outcome).toBe("done");
  });

  test("a call in the legacy format is a call", async () => {
    const { all, text } = await play("legacy");
    expect(all("tool-start")).toMatchObject([{ name: "echo" }]);
    expect(all("tool-end")).toMatchObject([{ outcome: "ok", content: [{ text: "a" }] }]);
    expect(text).toBe("Hello there.");
  });

  test("a call without a name is shown, and the model gets an error", async () => {
    const { all, text } = await play("nameless");
    expect(all("tool-start")).toMatchObject([{ name: "unknown" }]);
    expect(all("tool-end")).toMatchObject([
      { outcome: "error", error: { message: expect.stringContaining("unknown") } },
    ]);
    expect(text).toBe("Hello there.");
  });

  test("arguments that arrive complete are shown verbatim", async () => {
    const { all } = await play("exact");
    const text = all("tool-input-delta").map(({ delta }) => delta);
    expect(text).toEqual(['{"text": "a", "id": 12345678901234567890, "text": "b"}']);
    expect(all("tool-end")).toMatchObject([{ outcome: "ok", content: [{ text: "b" }] }]);
  });
});

test.each(["acme/m", "google/m"])("arguments that %s sends as objects are exact", async (model) => {
  const endpoint = { baseUrl: `${serving.url}/exact-${model === "google/m" ? "google" : "object"}`, apiKey: "key" };
  const models = provider({ google: endpoint, compatible: { acme: endpoint } });
  const { runner, log } = setUp();
  const source = agent({ name: "test", model, provider: models, tools: [echo] });
  const { run } = await runner.start(request, { name: "test", source });
  const events = await untilEnd(log, run);
  const exact = events.flatMap((event) => (event.type === "tool-input-delta" ? [event.delta] : []));
  expect(exact.join("")).toContain('{"text":"a","id":12345678901234567890,"text":"b}é"}');
  const results = events.flatMap((event) => (event.type === "tool-end" ? [event.content] : []));
  expect(results).toEqual([[{ type: "text", text: "b}é" }], [{ type: "text", text: "c" }]]);
  expect(events.at(-1)).toMatchObject({ outcome: "done" });
});

test("arguments that arrive as a list are not those of another call", async () => {
  const { all } = await play("exact-list");
  expect(all("tool-input-delta").map(({ delta }) => delta)).toEqual(["[]"]);
  expect(all("tool-input-end").map(({ input }) => input)).toEqual([undefined, { text: "c" }]);
});

test("a body that never becomes a stream ends the step", async () => {
  const { end } = await play("frameless");
  expect(end).toMatchObject({ outcome: "error", error: { message: expect.stringMatching(/^.{1,1000}$/) } });
});

describe("one bad piece does not end the response", () => {
  test.each(["unreadable", "unknown_chunk"])("%s", async (fault) => {
    const { text, all, end } = await play(fault);
    expect([text, end.outcome]).toEqual(["Hello there.", "done"]);
    expect(all("notice").map((event) => event.text)).toEqual([
      "The model sent something that could not be read. It was skipped.",
    ]);
  });

  test.each(["error-null", "error-false"])(
    "a chunk that says that there is no error is no error: %s",
    async (fault) => {
      const { text, end } = await play(fault);
      expect([text, end.outcome]).toEqual(["Hello there.", "done"]);
    },
  );

  test("a connection that breaks after the end does not affect the answer", async () => {
    const { text, end } = await play("reset-after-end", { until: "text-delta" });
    expect([text, end.outcome]).toEqual(["Hello there.", "done"]);
  });

  test("one that breaks in the middle of the answer is reported as such", async () => {
    const { text, end } = await play("reset-in-text", { until: "text-delta" });
    expect(text).toBe("Hel");
    expect(end.error).toMatchObject({
      code: "model-unreachable",
      message: "The connection to the provider broke in the middle of the answer.",
    });
  });
});

describe("reasoning in the history", () => {
  const before: Message[] = [
    { role: "user", content: [{ type: "text", text: "hi" }] },
    {
      role: "assistant",
      content: [
        { type: "thinking", text: "Earlier." },
        { type: "text", text: "Hello." },
      ],
    },
  ];

  test.each([
    ["refuses-reasoning", "none", "done"],
    ["refuses-reasoning", "turn", "error"],
    ["wants-reasoning", "turn", "done"],
    ["wants-reasoning", "all", "done"],
    ["wants-reasoning", "none", "error"],
  ] as const)("a server that %s, configured to get %s: %s", async (fault, history, outcome) => {
    const { end, text } = await play(fault, { history, before });
    expect(end.outcome).toBe(outcome);
    if (outcome === "done") expect(text).toBe("Hello there.");
    else expect(end.error?.message).toContain("reasoning_content");
  });

  test.each([
    ["groq", "none"],
    ["mistral", "none"],
    ["xai", "none"],
    ["deepseek", "turn"],
    ["vllm", "turn"],
    ["openrouter", "all"],
  ])("%s gets by default: %s", async (name, history) => {
    const { end, all } = await play("refuses-reasoning", { before, name });
    const calls = { none: 1, turn: 1, all: 0 }[history];
    expect(all("tool-start")).toHaveLength(calls!);
    expect(end.outcome).toBe(history === "none" ? "done" : "error");
  });

  test("thoughts about earlier messages go back only to servers that get all of them", async () => {
    const ask = (history: ReasoningHistory) => play("refuses-reasoning", { history, before });
    expect((await ask("all")).all("tool-start")).toEqual([]);
    expect((await ask("turn")).all("tool-start")).toHaveLength(1);
  });
});

/** The end of a run with a model of this provider. */
const endOf = async (fault: string, model: string) => {
  const endpoint = { baseUrl: `${serving.url}/${fault}`, apiKey: "key" };
  const models = provider({ openai: endpoint, anthropic: endpoint, google: endpoint, compatible: { acme: endpoint } });
  const source = agent({ name: "test", model, provider: models });
  const { runner, log } = setUp();
  const { run } = await runner.start(request, { name: "test", source });
  const events = await untilEnd(log, run);
  expect(JSON.stringify(events)).not.toContain("could not be read");
  return events.at(-1);
};

test.each(["gone", "gone-200"])("a server without the Responses API is reported as such: %s", async (fault) => {
  expect(await endOf(fault, "openai/local-model")).toMatchObject({
    outcome: "error",
    error: {
      message: "This server does not support OpenAI's responses API.",
      hint: "If it supports chat completions, use the model name openai-chat/local-model.",
    },
  });
});

test.each(["openai/m", "openai-chat/m", "anthropic/claude-sonnet-4-5", "google/m", "acme/m"])(
  "a gateway's error in the stream of %s is reported",
  async (model) => {
    expect(await endOf("error-in-stream", model)).toMatchObject({
      outcome: "error",
      error: { message: "The gateway gave up.", retryable: false },
    });
  },
);

test.each(["openai/m", "anthropic/claude-sonnet-4-5", "google/m"])(
  "an answer in one piece, which %s cannot read, is reported as such",
  async (model) => {
    expect(await endOf("whole-200", model)).toMatchObject({
      outcome: "error",
      error: { message: "The server sent its answer in one piece instead of a stream." },
    });
  },
);
