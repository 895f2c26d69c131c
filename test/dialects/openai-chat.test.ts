import type { ChatCompletionChunk } from "openai/resources/chat/completions";
import { APIError, AuthenticationError, BadRequestError, NotFoundError } from "openai";
import { describe, expect, test } from "vitest";
import { until } from "../serving.ts";
import {
  asksOf,
  echo,
  endOf,
  failing,
  large,
  openai,
  stories,
  tools,
  twoClientCalls,
  waiting,
  wordsOf,
} from "./openai-client.ts";
import type { Entry } from "../../src/events.ts";
import { endingOf } from "./ending.ts";

const ask = (model: string, content = "Hello") => ({ model, messages: [{ role: "user" as const, content }] });

const collect = async (stream: AsyncIterable<ChatCompletionChunk>) => {
  const chunks: ChatCompletionChunk[] = [];
  let error: unknown;
  try {
    for await (const chunk of stream) chunks.push(chunk);
  } catch (thrown) {
    error = thrown;
  }
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
  return {
    chunks,
    error,
    deltas,
    content: deltas.map(({ content }) => content ?? "").join(""),
    reasoning: deltas.map((delta) => reasoningIn(delta)).join(""),
    finish: chunks.flatMap(({ choices }) => choices.flatMap(({ finish_reason: reason }) => reason ?? [])),
    calls: deltas.flatMap(({ tool_calls: calls }) => calls ?? []),
  };
};

/** The reasoning, under both names, because clients read one or the other. */
const reasoningIn = (delta: object): string => {
  const { reasoning_content: ours = "", reasoning = "" } = delta as Record<string, string | undefined>;
  expect(reasoning).toBe(ours);
  return ours;
};

const FINISH: Readonly<Record<string, string>> = { length: "length", filter: "content_filter" };
const finishOf = (name: string, entries: readonly Entry[]) =>
  name === "client-run-tool" ? "tool_calls" : (FINISH[endingOf(entries).finish] ?? "stop");

describe("every story", () => {
  test.each([...stories])("%s, streamed", async (name, entries) => {
    const { client } = await openai();
    const stream = await client.chat.completions.create({
      ...ask(name),
      stream: true,
      stream_options: { include_usage: true },
    });
    const { chunks, deltas, content, reasoning, error, finish, calls } = await collect(stream);
    const end = endOf(entries);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(chunks[0]!.id).toMatch(/^chatcmpl-/);
    expect(new Set(chunks.map(({ model, object, created }) => [model, object, typeof created].join()))).toEqual(
      new Set([`${name},chat.completion.chunk,number`]),
    );
    expect(deltas[0]).toEqual({ role: "assistant", content: "" });
    expect(content).toBe(wordsOf(entries, "text").join(""));
    const thoughts = wordsOf(entries, "thinking").join("");
    if (asksOf(entries).length === 0) expect(reasoning).toBe(thoughts);
    else expect(reasoning).toMatch(/waiting for your answer at http:.+\/\?run=/);
    expect(calls.map(({ function: about }) => about?.name).filter(Boolean)).toEqual(
      name === "client-run-tool" ? ["show_map"] : [],
    );
    if (end.outcome === "done") {
      expect(error).toBeUndefined();
      expect(finish).toEqual([finishOf(name, entries)]);
      const last = chunks.at(-1)!;
      expect(last.choices).toEqual([]);
      expect(last.usage?.prompt_tokens).toBe(end.usage?.input);
      expect(last.usage?.completion_tokens).toBe(end.usage?.output);
    } else {
      expect(error).toBeInstanceOf(APIError);
      expect((error as APIError).code).toBe(end.error!.code);
      expect((error as APIError).message).toContain(end.error!.message);
    }
  });

  test.each([...stories])("%s, without streaming", async (name, entries) => {
    const { client } = await openai();
    const asked = client.chat.completions.create(ask(name));
    const end = endOf(entries);
    if (end.outcome !== "done") {
      await expect(asked).rejects.toMatchObject({
        code: end.error!.code,
        status: end.outcome === "cancelled" ? 499 : 500,
      });
      return;
    }
    const { choices, usage, model, object } = await asked;
    expect({ model, object }).toEqual({ model: name, object: "chat.completion" });
    expect(choices).toHaveLength(1);
    expect(choices[0]!.message.role).toBe("assistant");
    expect(choices[0]!.message.content).toBe(wordsOf(entries, "text").join(""));
    expect(choices[0]!.finish_reason).toBe(finishOf(name, entries));
    expect(choices[0]!.message.tool_calls?.length).toBe(name === "client-run-tool" ? 1 : undefined);
    expect(usage?.total_tokens).toBe((end.usage?.input ?? 0) + (end.usage?.output ?? 0));
  });
});

describe("chat completions", () => {
  test("the demo agent answers, and the helper's final message is complete", async () => {
    const { client } = await openai();
    const stream = client.chat.completions.stream(ask("demo", "Hello"));
    const content = await stream.finalContent();
    const { choices } = await client.chat.completions.create(ask("demo", "Hello"));
    expect(content).toBe(choices[0]!.message.content);
    expect(content!.length).toBeGreaterThan(20);
  });

  test("every agent is a model", async () => {
    const { client } = await openai();
    const { data } = await client.models.list();
    expect(data.map(({ id }) => id)).toEqual(["demo", ...stories.keys()]);
    expect(await client.models.retrieve("demo")).toEqual(data[0]);
    await expect(client.models.retrieve("none")).rejects.toBeInstanceOf(NotFoundError);
  });

  test("the client's tools: interleaved fragments by index, and the results with the next request", async () => {
    const { client, endOf: logged } = await openai({ calls: twoClientCalls });
    const stream = await client.chat.completions.create({ ...ask("calls"), tools, stream: true });
    const { deltas, finish, calls, chunks } = await collect(stream);
    expect(deltas[0]).toEqual({ role: "assistant", content: null });
    expect(calls).toEqual([
      { index: 0, id: "call_a", type: "function", function: { name: "weather", arguments: "" } },
      { index: 0, function: { arguments: '{"city":' } },
      { index: 1, id: "call_b", type: "function", function: { name: "show_map", arguments: "" } },
      { index: 1, function: { arguments: '{"place":' } },
      { index: 0, function: { arguments: '"Bern"}' } },
      { index: 1, function: { arguments: '"Basel"}' } },
    ]);
    expect(chunks.at(-1)!.choices[0]!.delta).toEqual({});
    expect(finish).toEqual(["tool_calls"]);
    const run = chunks[0]!.id.replace("chatcmpl-", "");
    expect((await logged(run))?.awaiting).toEqual(["call_a", "call_b"]);

    const { choices } = await client.chat.completions.create({ ...ask("calls"), tools });
    const { message } = choices[0]!;
    expect(message.content).toBeNull();
    const results = message.tool_calls!.map(({ id }) => ({
      role: "tool" as const,
      tool_call_id: id,
      content: `of ${id}`,
    }));
    const second = await client.chat.completions.create({
      model: "calls",
      messages: [{ role: "user", content: "Hello" }, message, ...results],
      tools,
    });
    expect(second.choices[0]!.message.content).toBe("call_a=of call_a;call_b=of call_b;");
  });

  test("the demo's client-run tool, streamed by the helper that runs tools", async () => {
    const { client } = await openai();
    const runner = client.chat.completions.runTools({
      ...ask("demo", "Use a client-run tool"),
      stream: true,
      tools: [
        {
          type: "function",
          function: {
            name: "show_map",
            parameters: { type: "object", properties: { place: { type: "string" } } },
            description: "Shows a place on the map of the client.",
            function: (text: string) => `a map of ${text}`,
          },
        },
      ],
    });
    const content = await runner.finalContent();
    expect(runner.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(content).toContain("a map of");
  });

  test("messages of every shape", async () => {
    const { client } = await openai({ echo });
    const { choices } = await client.chat.completions.create({
      model: "echo",
      messages: [
        { role: "system", content: "be kind" },
        { role: "developer", content: [{ type: "text", text: "be short" }] },
        {
          role: "user",
          content: [
            { type: "text", text: "look" },
            { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
            { type: "image_url", image_url: { url: "https://example.org/a.png" } },
            { type: "input_audio", input_audio: { data: "BBBB", format: "mp3" } },
            { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,CCCC" } },
            { type: "file", file: { filename: "b.pdf", file_data: "DDDD" } },
          ],
        },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "c1", type: "function", function: { name: "weather", arguments: '{"city":"Bern"}' } }],
        },
        { role: "tool", tool_call_id: "c1", content: [{ type: "text", text: "sunny" }] },
      ],
    });
    const lines = choices[0]!.message.content!.split("\n").map((line) => {
      const [, role, content] = /^(\w+): (.*)$/.exec(line)!;
      return [role, JSON.parse(content!)];
    });
    expect(lines).toEqual([
      ["system", [{ type: "text", text: "be kind" }]],
      ["system", [{ type: "text", text: "be short" }]],
      [
        "user",
        [
          { type: "text", text: "look" },
          { type: "file", mediaType: "image/png", data: "AAAA" },
          { type: "file", mediaType: "image/*", url: "https://example.org/a.png" },
          { type: "file", mediaType: "audio/mpeg", data: "BBBB" },
          { type: "file", mediaType: "application/pdf", data: "CCCC", name: "a.pdf" },
          { type: "file", mediaType: "application/pdf", data: "DDDD", name: "b.pdf" },
        ],
      ],
      ["assistant", [{ type: "call", call: "c1", name: "weather", input: { city: "Bern" } }]],
      ["tool", [{ type: "result", call: "c1", content: [{ type: "text", text: "sunny" }] }]],
    ]);
  });

  test("interleaved text is shown in start order, with the text of different steps separated", async () => {
    const { client } = await openai({
      busy: async function* () {
        yield { type: "step-start", step: "s1" };
        yield { type: "text-start", part: "p1" };
        yield { type: "text-start", part: "p2" };
        yield { type: "text-delta", part: "p1", delta: "one" };
        yield { type: "text-delta", part: "p2", delta: " three" };
        yield { type: "text-delta", part: "p1", delta: " two" };
        yield { type: "text-end", part: "p1" };
        yield { type: "text-delta", part: "p2", delta: " four." };
        yield { type: "text-end", part: "p2" };
        yield { type: "step-end", step: "s1", finish: "stop" };
        yield { type: "step-start", step: "s2" };
        yield { type: "text-start", part: "p3" };
        yield { type: "text-delta", part: "p3", delta: "Five" };
      },
    });
    const { choices } = await client.chat.completions.create(ask("busy"));
    expect(choices[0]!.message.content).toBe("one two three four.\n\nFive");
  });

  test("errors before the stream have OpenAI's format", async () => {
    const { client } = await openai();
    const unknown = await client.chat.completions.create(ask("nobody")).catch((error: unknown) => error);
    expect(unknown).toBeInstanceOf(NotFoundError);
    expect(unknown).toMatchObject({ code: "model_not_found", param: "model", type: "invalid_request_error" });
    expect((unknown as Error).message).toContain("there is no agent nobody (");
    const bad = await client.chat.completions.create({ model: "demo", messages: [] }).catch((error: unknown) => error);
    expect(bad).toBeInstanceOf(BadRequestError);
    expect(bad).toMatchObject({ code: "bad-request", param: null, type: "invalid_request_error" });
    expect((bad as Error).message).toContain("messages");
  });

  test("the key is the client's API key", async () => {
    const { client } = await openai({}, { key: "a-long-enough-key" });
    const refused = await client.models.list().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(AuthenticationError);
    expect(refused).toMatchObject({ code: "invalid_api_key", type: "invalid_request_error" });
    // LiteLLM recognizes a wrong key by this text.
    expect((refused as Error).message).toContain("Incorrect API key provided");
    const { data } = await client.withOptions({ apiKey: "a-long-enough-key" }).models.list();
    expect(data[0]!.id).toBe("demo");
  });

  test("an error in the middle of a stream comes after the text so far", async () => {
    const { client } = await openai({ failing });
    const { content, error } = await collect(await client.chat.completions.create({ ...ask("failing"), stream: true }));
    expect(content).toBe("I begin");
    expect(error).toMatchObject({ code: "agent-failed", type: "server_error", param: null });
    expect((error as Error).message).toContain("the disk is full");
  });

  test("closing the stream cancels the run", async () => {
    const { client, endOf: logged } = await openai({ waiting });
    const stream = await client.chat.completions.create({ ...ask("waiting"), stream: true });
    let run = "";
    for await (const { id, choices } of stream) {
      run = id.replace("chatcmpl-", "");
      if (choices[0]?.delta.content === "I wait") break;
    }
    await until(async () => (await logged(run)) !== undefined);
    expect((await logged(run))?.outcome).toBe("cancelled");
  });

  test("closing a request that waits for the whole answer cancels the run", async () => {
    const { client, log, endOf: logged } = await openai({ waiting });
    const stop = new AbortController();
    const asked = client.chat.completions.create(ask("waiting"), { signal: stop.signal });
    const refused = expect(asked).rejects.toThrow();
    let run: string | undefined;
    await until(async () => (run = (await log.list({ limit: 1 }))[0]?.run) !== undefined);
    stop.abort();
    await refused;
    await until(async () => (await logged(run!)) !== undefined);
    expect((await logged(run!))?.outcome).toBe("cancelled");
  });

  test("a large tool result is not sent, and a large answer is complete", async () => {
    const { client } = await openai({ large });
    const { content } = await collect(await client.chat.completions.create({ ...ask("large"), stream: true }));
    expect(content).toHaveLength(2 ** 20);
    const { choices } = await client.chat.completions.create(ask("large"));
    expect(choices[0]!.message.content).toBe(content);
  });
});
