import { type ModelMessage, dynamicTool, jsonSchema, tool, zodSchema } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Json } from "../src/events.ts";
import { type AiSdkTool, adopt, agent } from "../src/sources/agent.ts";
import { drive, playing, script, toolResults } from "./drive.ts";

/** Calls `used` once with this input, through the whole loop. */
const using = async (used: AiSdkTool, input: Json = {}, allow = true) => {
  const { model, requests } = playing(script("go", [{ call: "used", id: "call_1", input }], [{ say: "done" }]));
  const source = agent({ name: "test", model, instructions: "Be brief.", tools: { used } });
  const run = await drive(source, "go", (event, { answer }) => {
    if (event.type === "ask-start") answer(event.ask, { allow });
  });
  const [end] = run.all("tool-end");
  const offered = requests[0]?.tools?.[0];
  return {
    ...run,
    end,
    toolResults: toolResults(requests[1])[0]?.slice(1),
    offered: offered?.type === "function" ? offered : undefined,
  };
};

test("a tool as written in the AI SDK's documentation", async () => {
  const weather = tool({
    title: "Weather",
    description: "The weather in a place",
    inputSchema: z.object({ place: z.string().describe("A city"), days: z.number().default(1) }),
    execute: async ({ place, days }) => ({ place, days, degrees: 7 }),
  });
  const { end, offered, all, toolResults } = await using(weather, { place: "Oslo" });
  expect(offered).toMatchObject({
    description: "The weather in a place",
    inputSchema: { type: "object", properties: { place: { description: "A city" } }, required: ["place"] },
  });
  expect(all("tool-start")[0]?.title).toBe("Weather");
  expect(end).toMatchObject({
    outcome: "ok",
    content: [{ type: "json", value: { place: "Oslo", days: 1, degrees: 7 } }],
  });
  expect(toolResults).toEqual(["json", { place: "Oslo", days: 1, degrees: 7 }]);
});

test("invalid input never reaches it", async () => {
  const strict = tool({ inputSchema: z.object({ place: z.string() }), execute: () => "never" });
  const { end, typesOf } = await using(strict, { place: 7 });
  expect(end).toMatchObject({ outcome: "error", error: { code: "invalid-input" } });
  expect(typesOf("call_1")).not.toContain("tool-execute");
});

describe("every kind of schema", () => {
  const json = {
    type: "object" as const,
    properties: { count: { type: "integer" as const } },
    required: ["count"],
  };
  /** As libraries other than zod provide it. */
  const standard = {
    "~standard": {
      version: 1,
      vendor: "other",
      validate: (value: unknown) =>
        Number.isInteger((value as { count: unknown }).count)
          ? { value }
          : { issues: [{ message: "count must be whole" }] },
      jsonSchema: { input: () => json },
    },
  };
  const kinds: Record<string, AiSdkTool["inputSchema"]> = {
    zod: z.object({ count: z.int() }),
    zodSchema: zodSchema(z.object({ count: z.int() })),
    "a function that returns one": () => zodSchema(z.object({ count: z.int() })),
    "jsonSchema without validation": jsonSchema(json),
    "jsonSchema with validation": jsonSchema<{ count: number }>(json, {
      validate: (value) =>
        Number.isInteger((value as { count: unknown }).count)
          ? { success: true, value: value as { count: number } }
          : { success: false, error: new Error("count must be whole") },
    }),
    "jsonSchema in a function": jsonSchema(() => json),
    "another Standard Schema": standard,
    "a Standard Schema that is a function": Object.assign(() => {}, standard),
  };
  test.each(Object.entries(kinds))("%s", async (_, inputSchema) => {
    const counting: AiSdkTool = { inputSchema, execute: ({ count }: { count: number }) => count + 1 };
    const fits = await using(counting, { count: 1 });
    expect(fits.offered?.inputSchema).toMatchObject({ type: "object", required: ["count"] });
    expect(fits.end?.content).toEqual([{ type: "json", value: 2 }]);
    const wrong = await using(counting, { count: "x" });
    expect(wrong.end).toMatchObject({ outcome: "error", error: { code: "invalid-input" } });
  });

  test("no schema means an empty object", async () => {
    const { offered, end } = await using({ inputSchema: undefined, execute: () => "ok" });
    expect(offered?.inputSchema).toMatchObject({ type: "object", properties: {} });
    expect(end?.outcome).toBe("ok");
  });
});

test("dynamicTool", async () => {
  const dynamic = dynamicTool({
    description: "",
    inputSchema: z.object({}).loose(),
    execute: async (input) => ({ input }),
  });
  expect((await using(dynamic, { any: 1 })).end?.content).toEqual([{ type: "json", value: { input: { any: 1 } } }]);
});

test("a generator's values are progress, and its last one is the result", async () => {
  const counting = tool({
    inputSchema: z.object({ to: z.number() }),
    async *execute({ to }) {
      for (let count = 1; count <= to; count += 1) yield { status: "counting", count };
      yield { status: "done", count: to };
    },
  });
  const { all, end } = await using(counting, { to: 2 });
  expect(all("tool-progress").map(({ value }) => value)).toEqual([
    { status: "counting", count: 1 },
    { status: "counting", count: 2 },
  ]);
  expect(end?.content).toEqual([{ type: "json", value: { status: "done", count: 2 } }]);
});

test("execute gets the call, the signal, and the conversation before the call", async () => {
  let seen: { id: string; messages: ModelMessage[]; aborted: boolean | undefined } | undefined;
  const looking = tool({
    inputSchema: z.object({}),
    execute: async (_, { toolCallId, messages, abortSignal }) => {
      seen = { id: toolCallId, messages, aborted: abortSignal?.aborted };
      return "ok";
    },
  });
  await using(looking);
  expect(seen).toEqual({
    id: expect.stringMatching(/^call_\w+_1$/),
    messages: [{ role: "user", content: [{ type: "text", text: "go" }] }],
    aborted: false,
  });
});

test("a thrown error goes to the model", async () => {
  const failing = tool({
    inputSchema: z.object({}),
    execute: async (): Promise<string> => {
      throw new Error("the station is closed");
    },
  });
  const { end, toolResults } = await using(failing);
  expect(end).toMatchObject({ outcome: "error", error: { message: "the station is closed" } });
  expect(toolResults).toEqual(["error-text", "the station is closed"]);
});

describe("needsApproval", () => {
  const guarded = (needsApproval: boolean | ((input: { amount: number }) => boolean | Promise<boolean>)) =>
    tool({ inputSchema: z.object({ amount: z.number() }), needsApproval, execute: () => "paid" });

  test.each<[boolean | ((input: { amount: number }) => boolean | Promise<boolean>), number]>([
    [true, 1],
    [false, 0],
    [({ amount }) => amount > 5, 1],
    [async ({ amount }) => amount > 50, 0],
  ])("%s", async (needsApproval, asks) => {
    const { all, end } = await using(guarded(needsApproval), { amount: 10 });
    expect(all("ask-start").length).toBe(asks);
    expect(end?.outcome).toBe("ok");
  });

  test("a denied call never runs", async () => {
    expect((await using(guarded(true), { amount: 10 }, false)).end?.outcome).toBe("denied");
  });
});

describe("the model gets the output of toModelOutput, with the value alongside", () => {
  const shot = (toModelOutput: AiSdkTool["toModelOutput"], output: unknown = { width: 2 }): AiSdkTool => ({
    inputSchema: z.object({ url: z.string() }),
    execute: () => output,
    toModelOutput,
  });
  const input = { url: "https://example.com" };

  test("text, made from input and output", async () => {
    const real = tool({
      inputSchema: z.object({ url: z.string() }),
      execute: async () => ({ width: 2 }),
      toModelOutput: ({ input, output, toolCallId }) => ({
        type: "text",
        value: `${toolCallId.slice(0, 4)}: ${input.url} is ${output.width} wide`,
      }),
    });
    const { end, toolResults } = await using(real, input);
    expect(end).toMatchObject({
      content: [{ type: "text", text: "call: https://example.com is 2 wide" }],
      value: { width: 2 },
    });
    expect(toolResults).toEqual(["text", "call: https://example.com is 2 wide"]);
  });

  test("json, and errors", async () => {
    expect(
      (
        await using(
          shot(() => ({ type: "json", value: [1] })),
          input,
        )
      ).end?.content,
    ).toEqual([{ type: "json", value: [1] }]);
    const failed = await using(
      shot(() => ({ type: "error-text", value: "no page" })),
      input,
    );
    expect(failed.end).toMatchObject({ outcome: "error", error: { message: "no page" } });
    expect(failed.toolResults).toEqual(["error-text", "no page"]);
    const denied = await using(
      shot(() => ({ type: "execution-denied", reason: "not today" })),
      input,
    );
    expect(denied.end).toMatchObject({ outcome: "error", error: { code: "denied", message: "not today" } });
  });

  test("files are stored alongside the log", async () => {
    const png = Buffer.from([137, 80, 78, 71]);
    const parts = [
      { type: "text", text: "Here:" },
      { type: "file", mediaType: "image/png", data: { type: "data", data: png.toString("base64") } },
      { type: "file", mediaType: "image/png", data: { type: "url", url: new URL("https://example.com/a.png") } },
    ];
    const { end, files } = await using(
      shot(() => ({ type: "content", value: parts }), png),
      input,
    );
    expect(end?.content).toEqual([
      { type: "text", text: "Here:" },
      { type: "file", file: "stored-1", mediaType: "image/png", bytes: 4 },
      { type: "link", url: "https://example.com/a.png", mediaType: "image/png" },
    ]);
    expect(files.get("stored-1")).toEqual(png);
    expect(end?.value).toBeUndefined();
  });
});

test("a description may be a function", async () => {
  const { offered } = await using({ description: () => "made", inputSchema: z.object({}), execute: () => 1 });
  expect(offered?.description).toBe("made");
});

test.each<[what: string, used: AiSdkTool, message: RegExp]>([
  ["no execute", tool({ inputSchema: z.object({}), outputSchema: z.string() }), /^tool used: .*no execute/],
  [
    "a definition by a provider",
    { type: "provider", inputSchema: z.object({}), execute: () => 1 },
    /^tool used: .*pass it in providerTools/,
  ],
  [
    "a context",
    { inputSchema: z.object({}), contextSchema: z.object({}), execute: () => 1 },
    /^tool used: .*requires a context/,
  ],
  [
    "a schema that is a promise",
    { inputSchema: jsonSchema(Promise.resolve({ type: "object" as const })), execute: () => 1 },
    /^tool used: .*is a promise/,
  ],
])("creating an agent throws for a tool with %s", (_, used, message) => {
  expect(() => adopt({ used })).toThrow(message);
});
