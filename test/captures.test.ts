import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Event } from "../src/events.ts";
import { provider } from "../src/models/provider.ts";
import { agent } from "../src/sources/agent.ts";
import { type Recording, recordedIn } from "./recorded.ts";
import { request, setUp, untilEnd } from "./running.ts";
import { type Serving, serve } from "./another-process.ts";

/** Written by hand in the formats of the providers. */
const OWN = path.join(import.meta.dirname, "recordings");
/** Recordings of real providers, if they are here. */
const outside = process.env.RUNCAST_CAPTURES ?? path.join(import.meta.dirname, "../../shared/captures");
const isThere = existsSync(outside);
const seed = Number(process.env.RUNCAST_SEED ?? Math.floor(Math.random() * 2 ** 31));
const MODELS: Record<string, string> = {
  "openai-chat": "acme/recorded",
  "openai-responses": "openai/gpt-5",
  anthropic: "anthropic/claude-sonnet-4-5",
  google: "google/gemini-3-pro-preview",
};
console.log(`streams split at random bytes, RUNCAST_SEED=${seed}`);
if (!isThere) console.log("recordings of real providers: none here, skipped");

const linesIn = (directory: string, format: string, file: string): readonly string[] =>
  readFileSync(path.join(directory, format, file), "utf8")
    .trim()
    .split("\n");

describe.each([["our own", OWN] as const, ...(isThere ? [["real", outside] as const] : [])])("%s", (_, directory) => {
  const recordings = Object.keys(MODELS).flatMap((format) =>
    readdirSync(path.join(directory, format)).map((file) => [format, file] as const),
  );
  let serving: Serving;
  beforeAll(async () => {
    serving = await serve("captured-provider.ts", directory, `${seed}`);
  });
  afterAll(() => serving.stop());

  test.each(recordings)("the run shows the content of %s %s", async (format, file) => {
    const recorded = recordedIn(format, linesIn(directory, format, file));
    const baseUrl = `${serving.url}/${format}/${file}/v1`;
    const endpoint = { baseUrl, apiKey: "key" };
    const models = provider({
      openai: endpoint,
      anthropic: endpoint,
      google: endpoint,
      compatible: { acme: endpoint },
    });
    const source = agent({ name: "test", model: MODELS[format]!, provider: models, maxSteps: 1 });
    const { runner, log } = setUp();
    const { run } = await runner.start(
      {
        messages: [{ role: "user", content: [{ type: "text", text: "go" }] }],
        tools: recorded.calls.map(({ name }) => ({ name })),
      },
      { name: "test", source },
    );
    const ended = untilEnd(log, run);
    // A tool that the provider runs may wait for the user.
    let isOver = false;
    void ended.finally(() => (isOver = true)).catch(() => {});
    while (!isOver) {
      for (const { event } of await log.read(run, 0, 1_000_000))
        if (event.type === "ask-start") await runner.answer(run, event.ask, { allow: false });
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const events = await ended;
    expect(shownIn(events)).toEqual(recorded);
  });

  test("signatures and reasoning go back to the provider with the results", async () => {
    const withTool = (format: string) =>
      recordings.find(
        ([each, file]) => each === format && /^(?:thinking-and-tool|google-tool|deepseek-tool)/.test(file),
      )!;
    const google = withTool("google");
    const signature = /"thoughtSignature":"([^"]+)"/.exec(linesIn(directory, ...google).join("\n"))![1];
    const next = await secondRequest(serving.url, ...google);
    expect(next).toContain(`"thoughtSignature":"${signature}"`);
    expect(next).toContain("sunny");
    const chat = withTool("openai-chat");
    const { thinking } = recordedIn("openai-chat", linesIn(directory, ...chat));
    const { messages } = JSON.parse(await secondRequest(serving.url, ...chat)) as { messages: unknown[] };
    expect(messages).toMatchObject([
      { role: "user" },
      { role: "assistant", reasoning_content: thinking, tool_calls: [{ function: { name: "weather" } }] },
      { role: "tool", content: "sunny" },
    ]);
  });

  // None of the real recordings of Anthropic has both thinking and a call.
  if (directory === OWN)
    test("so do Anthropic's", async () => {
      const file = ["anthropic", "thinking-and-tools.jsonl"] as const;
      const lines = linesIn(directory, ...file);
      const { thinking } = recordedIn("anthropic", lines);
      const [, signature] = /"signature":"([^"]+)"/.exec(lines.join("\n"))!;
      const { messages } = JSON.parse(await secondRequest(serving.url, ...file)) as {
        messages: { content: unknown[] }[];
      };
      expect(messages[1]!.content[0]).toEqual({ type: "thinking", thinking, signature });
    });
});

/** Answers the recorded call with a real tool, and returns what the provider gets in the next request. */
const secondRequest = async (url: string, format: string, file: string): Promise<string> => {
  const endpoint = { baseUrl: `${url}/${format}/${file}/v1`, apiKey: "key" };
  const models = provider({ anthropic: endpoint, google: endpoint, compatible: { acme: endpoint } });
  const weather = { name: "weather", description: "", input: { jsonSchema: { type: "object" } }, run: () => "sunny" };
  const source = agent({ name: "test", model: MODELS[format]!, provider: models, tools: [weather], maxSteps: 2 });
  const { runner, log } = setUp();
  const before = (await (await fetch(`${url}/${format}/${file}`)).json()) as string[];
  const { run } = await runner.start(request, { name: "test", source });
  await untilEnd(log, run);
  const bodies = (await (await fetch(`${url}/${format}/${file}`)).json()) as string[];
  return bodies[before.length + 1] ?? "";
};

const shownIn = (events: readonly Event[]): Recording => {
  const joined = (type: Event["type"]) =>
    events.map((event) => (event.type === type && "delta" in event ? event.delta : "")).join("");
  const starts = events.filter((event) => event.type === "tool-start");
  return {
    text: joined("text-delta"),
    thinking: joined("thinking-delta"),
    calls: starts
      .filter(({ provider: isProviders }) => !isProviders)
      .map(({ call, name }) => {
        const own = events.filter((event) => "call" in event && event.call === call);
        const streamed = own.map((event) => (event.type === "tool-input-delta" ? event.delta : "")).join("");
        const end = own.find((event) => event.type === "tool-input-end");
        return { name, input: streamed === "" ? end?.input : JSON.parse(streamed) };
      }),
    usage: counted(events.find((event) => event.type === "step-end")?.usage ?? {}),
    failed:
      events.at(-1)?.type === "run-end" &&
      events.some((event) => event.type === "step-end" && event.finish === "error"),
  };
};

const counted = ({ input = 0, output = 0 }: { input?: number; output?: number }) => ({ input, output });
