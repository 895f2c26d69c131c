import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import OpenAI from "openai";
import { native } from "../../src/dialects/native.ts";
import { openaiChat } from "../../src/dialects/openai-chat.ts";
import { openaiResponses } from "../../src/dialects/openai-responses.ts";
import type { Entry, Event, EventOf } from "../../src/events.ts";
import type { Log } from "../../src/log.ts";
import { memory } from "../../src/logs/memory.ts";
import { demoAgent } from "../../src/models/demo.ts";
import type { ServerOptions } from "../../src/server.ts";
import type { Source } from "../../src/source.ts";
import { serve } from "../serving.ts";

const directory = path.join(import.meta.dirname, "../../golden/runs");

/** The recorded runs, by name. */
export const stories: ReadonlyMap<string, readonly Entry[]> = new Map(
  readdirSync(directory).map((file) => [
    file.replace(".jsonl", ""),
    readFileSync(path.join(directory, file), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Entry),
  ]),
);

/** An agent that replays a recorded run. */
export const replay = (entries: readonly Entry[]): Source =>
  async function* () {
    for (const { event } of entries) yield event;
  };

/** A server with each story as an agent, and the client from npm with retries disabled. */
export const openai = async (agents: Record<string, Source> = {}, options: Partial<ServerOptions> = {}) => {
  const sources = Object.entries({ demo: demoAgent({ speed: Infinity }), ...agents });
  for (const [name, entries] of stories) sources.push([name, replay(entries)]);
  const log: Log = memory();
  const { url, server } = await serve(demoAgent({ speed: Infinity }), {
    log,
    dialects: [native, openaiChat, openaiResponses],
    agents: Object.fromEntries(sources),
    ...options,
  });
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });
  const entriesOf = async (run: string): Promise<readonly Entry[]> => await log.read(run, 0, 100_000);
  const endOf = async (run: string): Promise<EventOf<"run-end"> | undefined> => {
    const event = (await entriesOf(run)).at(-1)?.event;
    return event?.type === "run-end" ? event : undefined;
  };
  return { url, server, client, log, entriesOf, endOf };
};

/** The root agent's text or thinking, part by part in the order they start. */
export const wordsOf = (entries: readonly Entry[], kind: "text" | "thinking"): string[] => {
  const parts = new Map<string, string>();
  for (const { event } of entries) {
    if (event.agent !== undefined) continue;
    if (event.type === `${kind}-start`) parts.set((event as EventOf<"text-start">).part, "");
    else if (event.type === `${kind}-delta`) {
      const { part, delta } = event as EventOf<"text-delta">;
      parts.set(part, parts.get(part) + delta);
    }
  }
  return [...parts.values()];
};

export const asksOf = (entries: readonly Entry[]): EventOf<"ask-start">[] =>
  entries.flatMap(({ event }) => (event.type === "ask-start" ? [event] : []));

export const endOf = (entries: readonly Entry[]): EventOf<"run-end"> => {
  const event = entries.at(-1)?.event;
  if (event?.type !== "run-end") throw new Error("the story has no end");
  return event;
};

/** Two parallel calls for the client, with interleaved deltas of their arguments. Given their results, it answers. */
export const twoClientCalls: Source = async function* ({ messages, tools = [] }) {
  const results = messages.flatMap(({ content }) => content.filter((part) => part.type === "result"));
  yield { type: "step-start", step: "s" };
  if (results.length > 0) {
    yield { type: "text-start", part: "p" };
    for (const { call, content } of results)
      yield {
        type: "text-delta",
        part: "p",
        delta: `${call}=${content.map((one) => (one.type === "text" ? one.text : "")).join()};`,
      };
    return;
  }
  const [first, second] = tools.map(({ name }) => name);
  yield { type: "tool-start", call: "call_a", name: first!, client: true };
  yield { type: "tool-input-delta", call: "call_a", delta: '{"city":' };
  yield { type: "tool-start", call: "call_b", name: second!, client: true };
  yield { type: "tool-input-delta", call: "call_b", delta: '{"place":' };
  yield { type: "tool-input-delta", call: "call_a", delta: '"Bern"}' };
  yield { type: "tool-input-delta", call: "call_b", delta: '"Basel"}' };
  yield { type: "tool-input-end", call: "call_a" };
  yield { type: "tool-input-end", call: "call_b" };
  yield { type: "step-end", step: "s", finish: "tools" };
  yield { type: "tool-end", call: "call_a", outcome: "deferred" };
  yield { type: "tool-end", call: "call_b", outcome: "deferred" };
  yield { type: "run-end", outcome: "done", awaiting: ["call_a", "call_b"] };
};

/** Writes some text, then fails. */
export const failing: Source = async function* () {
  yield { type: "step-start", step: "s" };
  yield { type: "text-start", part: "p" };
  yield { type: "text-delta", part: "p", delta: "I begin" };
  throw new Error("the disk is full");
};

/** Writes some text, then waits until it is cancelled. */
export const waiting: Source = async function* (_, { signal }) {
  yield { type: "step-start", step: "s" };
  yield { type: "text-start", part: "p" };
  yield { type: "text-delta", part: "p", delta: "I wait" };
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
};

/** One of the agent's own tools with a result of 1 MB, then an answer of the same size. */
export const large: Source = async function* () {
  const text = "0123456789abcdef".repeat(65_536);
  yield { type: "step-start", step: "s1" };
  yield { type: "tool-start", call: "c", name: "read" };
  yield { type: "tool-input-end", call: "c", input: {} };
  yield { type: "step-end", step: "s1", finish: "tools" };
  yield { type: "tool-execute", call: "c" };
  yield { type: "tool-end", call: "c", outcome: "ok", content: [{ type: "text", text }] };
  yield { type: "step-start", step: "s2" };
  yield { type: "text-start", part: "p" };
  yield { type: "text-delta", part: "p", delta: text };
};

/** Answers with the roles and contents of the request's messages. */
export const echo: Source = async function* ({ messages }) {
  yield { type: "step-start", step: "s" };
  yield { type: "text-start", part: "p" };
  const parts = messages.map(({ role, content }) => `${role}: ${JSON.stringify(content)}`);
  yield { type: "text-delta", part: "p", delta: parts.join("\n") } satisfies Event;
};

export const tools = [
  { type: "function" as const, function: { name: "weather", parameters: { type: "object" } } },
  { type: "function" as const, function: { name: "show_map", parameters: { type: "object" } } },
];
