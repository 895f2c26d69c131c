import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { Event } from "../src/events.ts";
import { provider } from "../src/models/provider.ts";
import { agent } from "../src/sources/agent.ts";
import { createState, fold, snapshot } from "../src/state.ts";
import { defineTool } from "../src/tool.ts";
import { entriesOf, setUp, untilEnd } from "./running.ts";
import { type Serving, serve } from "./another-process.ts";

let serving: Serving;
beforeAll(async () => {
  serving = await serve("scripted-provider.ts");
});
afterAll(() => serving.stop());

const tools = [
  defineTool({
    name: "weather",
    description: "Says the weather.",
    input: z.object({ city: z.string() }),
    run: ({ city }) => ({ city, degrees: city === "Oslo" ? -3 : 24 }),
  }),
  defineTool({
    name: "tides",
    description: "Says the tides.",
    input: z.object({ port: z.string() }),
    run: () => Promise.reject(new Error("the gauge is out of order")),
  }),
];

const formats = [
  "acme/deepseek-reasoner",
  "openai/gpt-5",
  "anthropic/claude-sonnet-4-5",
  "google/gemini-2.5-pro",
] as const;

const converse = async (model: string) => {
  const { url } = serving;
  const models = provider({
    openai: { baseUrl: `${url}/v1`, apiKey: "key" },
    anthropic: { baseUrl: `${url}/v1`, apiKey: "key" },
    google: { baseUrl: `${url}/v1beta`, apiKey: "key" },
    compatible: { acme: { baseUrl: `${url}/v1`, apiKey: "key" } },
  });
  const source = agent({ name: "test", model, provider: models, tools, instructions: "Be brief." });
  const { runner, log } = setUp();
  const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "How is the weather?" }] }];
  const { run } = await runner.start({ messages }, { name: "test", source });
  const events = await untilEnd(log, run);
  const state = createState();
  for (const entry of await entriesOf(log, run)) fold(state, entry);
  return { events, state: snapshot(state) };
};

describe("one conversation in four formats", () => {
  test("results in one state, except for ids, times, usage and meta", async () => {
    const conversations = await Promise.all(formats.map(converse));
    const [first, ...others] = conversations.map(({ state }) => comparable(state));
    expect(first).toMatchObject({ outcome: "done" });
    expect(JSON.stringify(first)).toContain("the gauge is out of order");
    for (const [index, other] of others.entries()) expect(other, formats[index + 1]).toEqual(first);
  });

  test.each(formats)("%s shows everything", async (model) => {
    const { events } = await converse(model);
    expect(joined(events, "thinking-delta")).toBe(
      "Two cities, so two lookups at once.The tides are missing; I say so.",
    );
    expect(joined(events, "text-delta")).toBe(
      "Let me look at both.Now the sea.Lisbon is **warm**, Oslo is cold; nobody knows the tides. 🌊",
    );
    for (const type of ["thinking", "text"] as const) {
      const pieces = events.filter((event) => event.type === `${type}-delta`);
      const parts = events.filter((event) => event.type === `${type}-start`);
      expect(pieces.length, `${type} arrives piece by piece`).toBeGreaterThan(parts.length);
    }
    const ends = events.filter(({ type }) => type === "tool-end");
    expect(ends).toMatchObject([{ outcome: "ok" }, { outcome: "ok" }, { outcome: "error" }]);
    const executed = events.flatMap((event, index) => (event.type === "tool-execute" ? [index] : []));
    const firstEnd = events.findIndex(({ type }) => type === "tool-end");
    expect(executed.filter((index) => index < firstEnd)).toHaveLength(2);
    expect(events.filter(({ type }) => type === "step-end").every((event) => "usage" in event && event.usage)).toBe(
      true,
    );
  });

  test("arguments stream only in formats that stream them", async () => {
    for (const model of formats) {
      const { events } = await converse(model);
      const streamed = events.some(({ type }) => type === "tool-input-delta");
      const whole = events.some((event) => event.type === "tool-input-end" && event.input !== undefined);
      expect({ model, streamed, whole }).toEqual({ model, streamed: !model.startsWith("google"), whole: !streamed });
    }
  });
});

const joined = (events: readonly Event[], type: Event["type"]): string =>
  events.map((event) => (event.type === type && "delta" in event ? event.delta : "")).join("");

/** The parts of a state that must not depend on the format. Ids become numbers in order of first appearance. */
const comparable = (state: object): unknown => {
  const ids = new Map<string, number>();
  const numbered = (id: string) => ids.get(id) ?? ids.set(id, ids.size + 1).get(id);
  const plain = (value: unknown, key = ""): unknown => {
    if (Array.isArray(value)) return value.map((item) => plain(item, key));
    if (ID.test(key) && typeof value === "string") return numbered(value);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => !VARIES.test(name))
        .map(([name, field]) => [name, plain(field, name)]),
    );
  };
  return plain(state);
};
const ID = /^(id|run|step|part|call|answer|agent|parent)$/;
const VARIES = /^(at|startedAt|endedAt|.*At|ms|usage|meta|version|seq|model|inputText|deltas)$/;
