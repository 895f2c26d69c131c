import { describe, expect, test } from "vitest";
import { openaiChat } from "../../src/dialects/openai-chat.ts";
import { openWebui } from "../../src/dialects/open-webui.ts";
import { native } from "../../src/dialects/native.ts";
import { memory } from "../../src/logs/memory.ts";
import { demoAgent } from "../../src/models/demo.ts";
import type { Source } from "../../src/source.ts";
import { framesOf, post, textSource, serve, silent, until } from "../serving.ts";
import { itemsOf, linesOf, shown, statuses } from "./open-webui-page.ts";

const dialects = [native, openaiChat, openWebui];
const headers = { "X-OpenWebUI-Chat-Id": "chat-1", "X-OpenWebUI-User-Id": "ann" };
const body = (content: string, more: object = {}) => ({ stream: true, messages: [{ role: "user", content }], ...more });
const chat = (url: string, ...asked: Parameters<typeof body>) =>
  post(`${url}/v1/chat/completions`, body(...asked), headers);

describe("over HTTP", () => {
  test("on /v1, Open WebUI gets cards, and other clients get plain chunks", async () => {
    const { url } = await serve(demoAgent({ speed: Infinity }), { dialects });
    const frames = await framesOf(await chat(url, "tools in parallel"));
    expect(itemsOf(frames).some(({ type }) => type === "function_call")).toBe(true);
    const plain = await framesOf(await post(`${url}/v1/chat/completions`, body("Hi")));
    expect(linesOf(plain)[0]).toMatchObject({ object: "chat.completion.chunk" });
  });

  test("a run belongs to its chat and user", async () => {
    const log = memory();
    const { url } = await serve(textSource(["Hi."]), { dialects, log });
    const response = await chat(url, "Hello");
    await framesOf(response);
    const run = response.headers.get("runcast-run")!;
    expect(await log.info(run)).toMatchObject({ thread: "chat-1" });
    expect((await log.read(run, 0, 1))[0]?.event).toMatchObject({ user: { id: "ann" } });
  });

  test("closing the connection, as Stop does, stops the tool at once", async () => {
    let stopped = false;
    const source: Source = async function* (_, { signal }) {
      yield { type: "step-start", step: "s" };
      yield { type: "tool-start", call: "c", name: "sleep" };
      yield { type: "tool-input-end", call: "c", input: {} };
      yield { type: "step-end", step: "s", finish: "tools" };
      yield { type: "tool-execute", call: "c" };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      stopped = true;
    };
    const log = memory();
    // No heartbeat can notice it.
    const quiet = { ...openWebui, heartbeat: { ...openWebui.heartbeat, everyMs: 3_600_000 } };
    const { url } = await serve(source, { dialects: [native, quiet], log });
    const abort = new AbortController();
    const response = await fetch(`${url}/open-webui/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body("Hi")),
      signal: abort.signal,
    });
    const run = response.headers.get("runcast-run")!;
    await until(async () => (await log.info(run))!.seq >= 6);
    abort.abort();
    await until(() => stopped);
    await until(async () => (await log.info(run))?.outcome === "cancelled");
  });

  test("a call that Open WebUI ran itself after a cut starts nothing, and the response reports that the answer is incomplete", async () => {
    const log = memory();
    const { url } = await serve(silent, { dialects, log });
    const call = { id: "call_1", type: "function", function: { name: "look_up", arguments: "{}" } };
    const messages = [
      { role: "user", content: "Hello" },
      { role: "assistant", content: "I look.", tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: 'Error: Tool "look_up" not found.' },
    ];
    const response = await post(`${url}/open-webui/v1/chat/completions`, { stream: true, messages }, headers);
    expect(response.status).toBe(200);
    const lines = linesOf(await framesOf(response));
    expect(lines.find(({ error }) => error)?.["error"].message).toMatch(/^The connection to the agent broke/);
    const whole = await post(`${url}/open-webui/v1/chat/completions`, { stream: false, messages }, headers);
    expect(whole.status).toBe(409);
    expect(await log.list({ limit: 1 })).toEqual([]);
  });

  test("a request that ends with the agent's text, as up to 0.11.0 after a cut, starts nothing and gives the reason", async () => {
    const log = memory();
    const { url } = await serve(silent, { dialects, log });
    const messages = [
      { role: "user", content: "Hello" },
      { role: "assistant", content: "I look." },
    ];
    const response = await post(`${url}/open-webui/v1/chat/completions`, { stream: true, messages }, headers);
    const lines = linesOf(await framesOf(response));
    expect(lines.find(({ error }) => error)?.["error"].message).toMatch(/^This answer is incomplete/);
    expect(await log.list({ limit: 1 })).toEqual([]);
  });

  test("housekeeping starts nothing, even if it requests a stream", async () => {
    const log = memory();
    const { url } = await serve(silent, { dialects, log });
    const asked = { ...headers, "X-OpenWebUI-Task": "title_generation" };
    const prompt = "<chat_history>\nUSER: Why is the sky blue?\n</chat_history>";
    const response = await post(`${url}/v1/chat/completions`, body(prompt), asked);
    expect(response.headers.get("content-type")).toContain("application/json");
    const { choices } = (await response.json()) as { choices: [{ message: { content: string } }] };
    expect(choices[0].message.content).toBe('{"title":"Why is the sky blue?"}');
    expect(await log.list({ limit: 1 })).toEqual([]);
  });

  test("the title, tags and suggestions of a run are repeated when Open WebUI asks", async () => {
    const source: Source = async function* () {
      yield { type: "data", name: "title", value: "Skies" };
      yield { type: "data", name: "tags", value: ["weather"] };
      yield { type: "data", name: "follow-ups", value: ["And red?"] };
    };
    const { url } = await serve(source, { dialects });
    await framesOf(await chat(url, "Hi"));
    const replyTo = async (task: string) => {
      const response = await post(`${url}/v1/chat/completions`, body("x"), { ...headers, "X-OpenWebUI-Task": task });
      const { choices } = (await response.json()) as { choices: [{ message: { content: string } }] };
      return JSON.parse(choices[0].message.content) as unknown;
    };
    expect(await replyTo("title_generation")).toEqual({ title: "Skies" });
    expect(await replyTo("tags_generation")).toEqual({ tags: ["weather"] });
    expect(await replyTo("follow_up_generation")).toEqual({ follow_ups: ["And red?"] });
  });

  test("without a stream, the answer is one completion", async () => {
    const { url } = await serve(textSource(["Hello ", "you."]), { dialects });
    const response = await chat(url, "Hi", { stream: false });
    expect(await response.json()).toMatchObject({
      object: "chat.completion",
      choices: [{ message: { role: "assistant", content: "Hello you." }, finish_reason: "stop" }],
      output: [{ type: "message", content: [{ type: "output_text", text: "Hello you." }] }],
    });
  });

  test("a refusal is one sentence in OpenAI's format", async () => {
    const { url } = await serve(silent, { dialects, key: "a-long-key" });
    const response = await chat(url, "Hi");
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringContaining("this server requires a key") },
    });
  });

  test("the link of a truncated result can be read without a key", async () => {
    const source: Source = async function* () {
      yield { type: "step-start", step: "s" };
      yield { type: "tool-start", call: "c", name: "cat" };
      yield { type: "tool-input-end", call: "c", input: {} };
      yield { type: "step-end", step: "s", finish: "tools" };
      yield { type: "tool-execute", call: "c" };
      yield { type: "tool-end", call: "c", outcome: "ok", content: [{ type: "text", text: "x".repeat(100_000) }] };
    };
    const { url } = await serve(source, { dialects, key: "a-long-key" });
    const response = await post(`${url}/open-webui/v1/chat/completions`, body("Hi"), {
      ...headers,
      authorization: "Bearer a-long-key",
    });
    const [card] = shown(await framesOf(response));
    const [link] = /http:\S+/.exec(card!)!;
    expect(await (await fetch(link)).text()).toBe("x".repeat(100_000));
  });
});

describe("the pipe over HTTP", () => {
  const pipe = { ...headers, "Runcast-Pipe": "version=1; open-webui=0.12.4; mode=native" };

  test("an approval is answered with the result of its dialog", async () => {
    const log = memory();
    const { url } = await serve(demoAgent({ speed: Infinity }), { dialects, log });
    const response = await post(`${url}/open-webui/v1/chat/completions`, body("approval"), pipe);
    const frames = framesOf(response);
    const run = response.headers.get("runcast-run")!;
    let ask: string | undefined;
    await until(async () => {
      const events = (await log.read(run, 0, 1000)).map(({ event }) => event);
      ask = events.find((event) => event.type === "ask-start")?.ask;
      return ask !== undefined;
    });
    const answer = (result: unknown) => post(`${url}/open-webui/v1/runs/${run}/asks/${ask}/yes`, { result });
    expect((await answer({ error: "timeout" })).status).toBe(422);
    expect((await answer(true)).status).toBe(200);
    expect((await answer(false)).status).toBe(409);
    const all = await frames;
    expect(linesOf(all).filter(({ runcast }) => runcast?.call)).toHaveLength(1);
    expect(statuses(all).at(-1)).toBe("Complete ✓");
    const middle = all.findIndex(({ data }) => data.includes('"function_call"'));
    const resumed = await fetch(`${url}/open-webui/v1/runs/${run}/events`, {
      headers: { ...pipe, "Last-Event-ID": all[middle]!.id! },
    });
    expect(await framesOf(resumed)).toEqual(all.slice(middle + 1));
  });

  test("a run can be stopped by a request", async () => {
    const { url } = await serve(silent, { dialects });
    const response = await post(`${url}/open-webui/v1/chat/completions`, body("Hi"), pipe);
    const run = response.headers.get("runcast-run")!;
    expect((await post(`${url}/open-webui/v1/runs/${run}/cancel`, {})).status).toBe(200);
    expect(statuses(await framesOf(response)).at(-1)).toBe("Stopped ✓");
  });
});
