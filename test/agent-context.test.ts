import { choicesOf } from "../src/protocol.ts";
import { expect, test } from "vitest";
import { z } from "zod";
import { adopt, agent } from "../src/sources/agent.ts";
import { type CallNode, createState, fold } from "../src/state.ts";
import { type ToolText, type ToolContext, defineTool } from "../src/tool.ts";
import { drive, playing, script, user } from "./drive.ts";
import { entriesOf, play } from "./running.ts";

const using = async (use: (context: ToolContext) => unknown, request = {}) => {
  const { model } = playing(
    script("go", [{ call: "tool", id: "call" }], [{ say: "done" }]),
    script("sub", [{ say: "from below" }]),
  );
  const tool = defineTool({
    name: "tool",
    description: "",
    input: z.object({}),
    doing: "Working…",
    run: (_, context) => use(context),
  });
  const source = agent({ name: "test", model, tools: [tool], agents: { sub: {} } });
  const messages = [
    {
      role: "user" as const,
      content: [{ type: "file" as const, mediaType: "text/plain", name: "a.txt", data: "YQ==" }],
    },
    user("go"),
  ];
  return drive(source, { messages, ...request }, (event, { answer }) => {
    if (event.type !== "ask-start") return;
    if (event.kind === "confirmation") answer(event.ask, { allow: true });
    else if (event.kind === "choice") answer(event.ask, { value: choicesOf(event)[1]?.value ?? null });
    else if (event.kind === "execute") answer(event.ask, { value: 42 });
    else answer(event.ask, "expired");
  });
};

test("everything that a tool sends is an event of its call, between tool-execute and tool-end", async () => {
  const run = await using(async (context) => {
    context.progress({ fraction: 2, note: "half" });
    context.progress({ fraction: 0 / 0, note: "of nothing" });
    context.output("out");
    context.output("err", "stderr");
    const saying = context.say("one");
    saying(" two");
    saying.end();
    saying(" never");
    context.say("left open");
    context.cite({ title: "A page", author: "Ada", published: "2026-01-01", accessed: "2026-11-15" });
    await context.file({ name: "a.bin", bytes: new Uint8Array(3) });
    await context.file({ name: "b", url: "https://example.com/b", change: "changed" });
    context.embed({ id: "map", html: "<p>map</p>", origins: ["https://example.com"] });
    context.notify("careful", "warning");
    context.data("title", "A title");
    return { ok: true };
  });
  const own = run.events.filter((event) => "call" in event && event.call === "call").slice(2, -1);
  expect(own).toEqual([
    { type: "tool-execute", call: "call" },
    { type: "status", text: "Working…", call: "call" },
    { type: "tool-progress", call: "call", note: "half", fraction: 1 },
    { type: "tool-progress", call: "call", note: "of nothing" },
    { type: "tool-output-delta", call: "call", stream: "stdout", delta: "out" },
    { type: "tool-output-delta", call: "call", stream: "stderr", delta: "err" },
    { type: "text-start", part: "part-1", call: "call" },
    { type: "text-start", part: "part-2", call: "call" },
    {
      type: "citation",
      citation: "citation-1",
      title: "A page",
      author: "Ada",
      published: "2026-01-01",
      accessed: "2026-11-15",
      call: "call",
    },
    { type: "file", name: "a.bin", change: "created", call: "call", file: "stored-1", bytes: 3 },
    { type: "file", name: "b", change: "changed", call: "call", url: "https://example.com/b" },
    { type: "embed", embed: "map", html: "<p>map</p>", origins: ["https://example.com"], call: "call" },
    { type: "notice", level: "warning", text: "careful", call: "call" },
    { type: "data", name: "title", value: "A title", call: "call" },
  ]);
  expect(run.text()).toBe("one twoleft opendone");
  expect(run.all("tool-end")[0]?.bytes).toEqual({ result: 11, stdout: 3, stderr: 3 });
});

test("a tool can replace its text any number of times, open or ended, but never after its call", async () => {
  const { model } = playing(script("hi", [{ call: "tool", id: "call" }], [{ say: "done" }]));
  let kept: ToolText | undefined;
  const tool = defineTool({
    name: "tool",
    description: "",
    input: z.object({}),
    run(_, { say }) {
      kept = say("Rain");
      const other = say("stays");
      other.end();
      kept.replace("Sun");
      kept(" until noon");
      kept.end();
      kept.replace("Fog");
    },
  });
  const { log, run, events } = await play(agent({ name: "test", model, tools: [tool] }));
  kept?.replace("too late");
  const state = createState();
  for (const entry of await entriesOf(log, run)) fold(state, entry);
  const { items } = state.root.items.find((item) => item.kind === "call") as CallNode;
  expect(items.map((item) => item.kind === "text" && [item.text, item.replacedBy])).toEqual([
    ["Rain", "part-3"],
    ["stays", undefined],
    ["Sun until noon", "part-4"],
    ["Fog", undefined],
  ]);
  expect(events.flatMap((event) => (event.type === "text-start" && event.call ? [event.replaces] : []))).toEqual([
    undefined,
    undefined,
    "part-1",
    "part-3",
  ]);
});

test("a tool asks users, runs code in the client, and starts sub-agents", async () => {
  const run = await using(async (context) => ({
    sure: await context.confirm({ title: "Sure?" }),
    choice: await context.ask({ title: "Which?", options: [{ value: "a" }, { value: "b" }] }),
    input: (await context.ask({ title: "What?", expiresMs: 1000 })) ?? "nothing",
    executed: await context.execute("6 * 7"),
    below: await context.agent({ task: "sub" }),
  }));
  expect(run.all("tool-end")[0]?.content).toEqual([
    {
      type: "json",
      value: {
        sure: true,
        choice: "b",
        input: "nothing",
        executed: 42,
        below: { agent: "sub-1", outcome: "done", text: "from below" },
      },
    },
  ]);
  expect(run.all("ask-start").map(({ kind }) => kind)).toEqual(["confirmation", "choice", "input", "execute"]);
});

test("whatever a tool started without waiting for it ends with its call", async () => {
  const run = await using((context) => {
    void context.confirm({ title: "Sure?" });
    return "at once";
  });
  expect(run.typesOf("call").slice(-1)).toEqual(["tool-end"]);
  expect(run.all("ask-end")).toHaveLength(1);
});

test("a tool can read the request it works for", async () => {
  const run = await using(
    ({ user: asker, thread, run: id, messages, files, model, metadata, settings, credentials }) => ({
      asker: asker?.id ?? "",
      thread: thread ?? "",
      id,
      roles: messages.map(({ role }) => role),
      files: files.map(({ name }) => name ?? ""),
      model: model ?? "",
      metadata,
      settings,
      keys: [
        credentials("RUNCAST_TEST_KEY"),
        credentials("PATH") === process.env.PATH,
        credentials("RUNCAST_TEST_NONE") ?? "none",
      ],
    }),
    {
      user: { id: "u" },
      thread: "t",
      files: [{ type: "file", name: "b.docx", mediaType: "application/msword", data: "eA==" }],
      metadata: { a: 1 },
      settings: { b: 2 },
      secrets: { RUNCAST_TEST_KEY: "secret" },
    },
  );
  expect(run.all("tool-end")[0]?.content?.[0]).toEqual({
    type: "json",
    value: {
      asker: "u",
      thread: "t",
      id: "run",
      roles: ["user", "user", "assistant"],
      files: ["a.txt", "b.docx"],
      model: "demo (scripted)",
      metadata: { a: 1 },
      settings: { b: 2 },
      keys: ["secret", true, "none"],
    },
  });
});

test("AI SDK tool objects work by name, with approval and streamed results", async () => {
  const tools = {
    plain: {
      description: "Adds one.",
      inputSchema: z.object({ n: z.number() }),
      execute: ({ n }: { n: number }) => ({ n: n + 1 }),
    },
    streams: {
      inputSchema: { jsonSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } },
      needsApproval: true,
      async *execute({ n }: { n: number }) {
        yield "working";
        yield `got ${n}`;
      },
    },
  };
  const { model, requests } = playing(
    script(
      "go",
      [
        { call: "plain", input: { n: 1 } },
        { call: "streams", input: { n: 2 } },
        { call: "streams", input: {}, id: "unfit" },
      ],
      [{ say: "done" }],
    ),
  );
  const run = await drive(agent({ name: "test", model, tools }), "go", (event, { answer }) => {
    if (event.type === "ask-start") answer(event.ask, { allow: true });
  });
  expect(run.all("tool-progress")[0]?.value).toBe("working");
  expect(run.all("tool-end").find(({ call }) => call === "unfit")).toMatchObject({ error: { code: "invalid-input" } });
  expect(JSON.stringify(run.all("tool-end"))).toContain("got 2");
  expect(requests[0]?.tools?.[0]).toMatchObject({ name: "plain", inputSchema: { type: "object", required: ["n"] } });
  expect(() => adopt({ client: { inputSchema: z.object({}) } })).toThrow(/no execute/);
});

test("mistakes in an agent's tools are reported when the agent is created", () => {
  const { model } = playing();
  const tool = defineTool({ name: "twice", description: "", input: z.object({}), run: () => "" });
  expect(() => agent({ name: "test", model, tools: [tool, tool] })).toThrow(/two tools are named twice/);
});
