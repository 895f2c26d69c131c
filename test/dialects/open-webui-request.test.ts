import { describe, expect, test } from "vitest";
import { openWebui } from "../../src/dialects/open-webui.ts";
import type { Command, ServerFacts } from "../../src/dialect.ts";
import { readAnswer } from "../../src/dialects/open-webui/asks.ts";
import { STYLES } from "../../src/dialects/open-webui/styles.ts";
import type { Event, Message } from "../../src/events.ts";
import { createRouter } from "../../src/server/router.ts";
import { framesOf, itemsOf, run, call, ended, text } from "./open-webui-page.ts";
import { read, refused } from "./dialect-frames.ts";

const CHAT = "/open-webui/v1/chat/completions";
const user = (content: unknown) => ({ role: "user", content });
const ask = (body: object, headers: Record<string, string> = {}, path = CHAT): Command =>
  read(openWebui, { path, headers, body: { model: "companion", stream: true, messages: [user("Hi")], ...body } });
const started = (...asked: Parameters<typeof ask>) => {
  const command = ask(...asked);
  if (command.do !== "start") throw new Error(`a ${command.do} was read`);
  return command;
};

const facts = (data: [string, any][] = []): ServerFacts => ({
  agents: [{ name: "companion" }, { name: "other" }],
  version: "1",
  latestData: async (thread) => new Map(thread === "chat" ? data : []),
});
const replied = async (command: Command, data?: [string, any][]): Promise<any> => {
  if (command.do !== "reply") throw new Error(`a ${command.do} was read`);
  return command.reply(facts(data));
};

describe("a chat", () => {
  test("is identified by its headers: thread, user, message", () => {
    const command = started(
      {},
      {
        "X-OpenWebUI-Chat-Id": "chat-1",
        "X-OpenWebUI-Message-Id": "m1",
        "X-OpenWebUI-User-Message-Id": "u1",
        "X-OpenWebUI-User-Id": "ann",
        "X-OpenWebUI-User-Name": "Ann%20%C3%89",
        "X-OpenWebUI-User-Email": "ann@example.org",
        "X-OpenWebUI-User-Role": "admin",
        "X-OpenWebUI-Task": "",
      },
    );
    expect(command).toEqual({
      do: "start",
      style: "cards",
      request: {
        agent: "companion",
        thread: "chat-1",
        user: { id: "ann", name: "Ann É", email: "ann@example.org" },
        metadata: { openWebui: { message: "m1", userMessage: "u1", role: "admin" } },
        messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
      },
    });
  });

  test("has documents from the pipe for tools, not as part of the message", () => {
    const files = [{ type: "file", name: "a.csv", mediaType: "text/csv", data: "YTtiCg==" }];
    const command = started({ runcast: { files } });
    expect(command.request.files).toEqual(files);
    expect(command.request.messages).toEqual([{ role: "user", content: [{ type: "text", text: "Hi" }] }]);
    const { body } = openWebui.write(command);
    expect(JSON.parse(body!).runcast).toEqual({ files });
    expect(started({ runcast: { files: [] } }).request).not.toHaveProperty("files");
  });

  test("ignores templates that an older version left unexpanded", () => {
    const headers = { "X-OpenWebUI-Chat-Id": "{{CHAT_ID}}", "X-OpenWebUI-Task": "{{TASK}}" };
    expect(started({}, headers).request).not.toHaveProperty("thread");
  });

  test("omits Open WebUI's own tools: it would run calls to them and query again", () => {
    const tools = [{ type: "function", function: { name: "search_web" } }];
    expect(started({ tools }).request).not.toHaveProperty("tools");
  });

  test("passes images and files of the user's message to the agent", () => {
    const parts = [
      { type: "text", text: "See" },
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
      { type: "file", file: { file_data: "data:application/pdf;base64,BBBB", filename: "a.pdf" } },
    ];
    expect(started({ messages: [user(parts)] }).request.messages[0]?.content).toEqual([
      { type: "text", text: "See" },
      { type: "file", mediaType: "image/png", data: "AAAA" },
      { type: "file", mediaType: "application/pdf", data: "BBBB", name: "a.pdf" },
    ]);
  });

  test("a chat without a viewer gets a single response", () => {
    expect(started({ stream: false })).toMatchObject({ whole: "end" });
  });

  test("has settings and a chosen id next to OpenAI's fields, and secrets in headers", () => {
    const { request } = started(
      { temperature: 0.5, runcast: { run: "mine", settings: { tone: "kind" } } },
      { "Runcast-Secret-Open-Webui-Token": "t" },
    );
    expect(request).toMatchObject({
      run: "mine",
      settings: { temperature: 0.5, tone: "kind" },
      secrets: { OPEN_WEBUI_TOKEN: "t" },
    });
  });

  test("over a connection of type Responses has its own format", () => {
    const input = [{ type: "message", role: "user", content: [{ type: "input_text", text: "Hi" }] }];
    const command = read(openWebui, {
      path: "/open-webui/v1/responses",
      body: { model: "companion:details", stream: true, input, instructions: "Be kind." },
    });
    expect(command).toMatchObject({
      do: "start",
      style: "details",
      request: { agent: "companion", system: "Be kind.", messages: [{ role: "user", content: [{ text: "Hi" }] }] },
    });
  });
});

describe("styles", () => {
  test("the model's suffix, a header or the pipe sets the style", () => {
    expect(started({ model: "companion:collapse" })).toMatchObject({
      style: "collapse",
      request: { agent: "companion" },
    });
    expect(started({}, { "Runcast-Style": "details" }).style).toBe("details");
    const pipe = { "Runcast-Pipe": "version=1.0; open-webui=0.10.2; mode=legacy; citations=0; style=citations" };
    expect(started({}, pipe).style).toBe("citations; open-webui=0.10.2; mode=legacy; citations=0");
    expect(started({ model: "companion:cards" }, { ...pipe, "Runcast-Style": "details" }).style).toMatch(/^cards;/);
  });

  test("a name with an unknown suffix is an agent's name", () => {
    expect(started({ model: "llama3:8b" }).request.agent).toBe("llama3:8b");
  });

  test("an unknown style is refused with the known ones", () => {
    expect(refused(() => ask({}, { "Runcast-Style": "fancy" }))).toMatchObject({
      status: 400,
      hint: expect.stringContaining("collapse"),
    });
  });

  test("models are the agents, and with styles=1 each agent in every style", async () => {
    const list = async (query: string) => {
      const route = openWebui.routes.find(({ path }) => path === "/open-webui/v1/models")!;
      const command = openWebui.read(route, {
        params: {},
        query: new URLSearchParams(query),
        headers: new Headers(),
        body: undefined,
      });
      return await replied(command);
    };
    const ids = async (query: string) => (await list(query)).data.map(({ id }: { id: string }) => id);
    expect(await ids("")).toEqual(["companion", "other"]);
    expect(await ids("styles=1")).toContain("other:collapse");
    expect((await list("")).styles).toEqual(STYLES);
  });
});

describe("on /v1", () => {
  const router = createRouter([openWebui]);
  const found = (headers: Record<string, string>) => router.match("POST", "/v1/chat/completions", new Headers(headers));
  test("only requests with a header of Open WebUI or of the pipe match", () => {
    expect(found({})).toBeUndefined();
    expect(found({ "X-OpenWebUI-User-Name": "Ann" })?.dialect).toBe(openWebui);
    expect(found({ "Runcast-Pipe": "version=1" })?.dialect).toBe(openWebui);
  });
});

describe("housekeeping never starts the agent", () => {
  const history =
    "<chat_history>\nUSER: How do **tides** work, and why twice a day?\nASSISTANT: The moon.\n</chat_history>";
  const content = async (prompt: string, headers: Record<string, string> = {}, data?: [string, any][]) => {
    const body = await replied(ask({ messages: [user(prompt)] }, headers), data);
    expect(body).toMatchObject({ object: "chat.completion", choices: [{ finish_reason: "stop" }] });
    return body.choices[0].message.content;
  };

  test.each([
    ["title_generation", { title: "How do tides work, and why…" }],
    ["tags_generation", { tags: [] }],
    ["follow_up_generation", { follow_ups: [] }],
    ["query_generation", { queries: [] }],
    ["autocomplete_generation", { text: "" }],
    ["image_prompt_generation", { prompt: "How do **tides** work, and why twice a day?" }],
    ["function_calling", { tool_calls: [] }],
  ])("%s by its header", async (task, answer) => {
    expect(JSON.parse(await content(`Whatever\n${history}`, { "X-OpenWebUI-Task": task }))).toEqual(answer);
  });

  test("an unknown task gets an empty response", async () => {
    expect(await content("Do it", { "X-OpenWebUI-Task": "something_new" })).toBe("");
  });

  test("the title and tags of the chat's latest run are repeated, or Open WebUI would remove them", async () => {
    const data: [string, any][] = [
      ["follow-ups", ["And neap tides?"]],
      ["title", "Tides"],
      ["tags", ["sea"]],
    ];
    const replyTo = async (task: string) =>
      JSON.parse(await content(history, { "X-OpenWebUI-Task": task, "X-OpenWebUI-Chat-Id": "chat" }, data));
    expect(await replyTo("follow_up_generation")).toEqual({ follow_ups: ["And neap tides?"] });
    expect(await replyTo("title_generation")).toEqual({ title: "Tides" });
    expect(await replyTo("tags_generation")).toEqual({ tags: ["sea"] });
  });

  test.each([
    ["Generate a concise, 3-5 word title with an emoji summarizing the chat history.", "title"],
    ["Generate a concise title summarizing the chat history.", "title"],
    ["Generate 1-3 broad tags categorizing the main themes of the chat history", "tags"],
    ["Suggest 3-5 relevant follow-up questions or prompts", "follow_ups"],
    ["Predict 3-5 useful messages this user might naturally send next", "follow_ups"],
    ["Analyze the chat history to determine the necessity of generating search queries", "queries"],
    ["You are an autocompletion system. Continue the text", "text"],
  ])("without a header, by its prompt: %s", async (opening, key) => {
    expect(Object.keys(JSON.parse(await content(`### Task:\n${opening}\n### Output:\nJSON\n${history}`)))).toEqual([
      key,
    ]);
  });

  test("a question with documents is a question", () => {
    const prompt =
      "### Task:\nRespond to the user query using the provided context\n### Output:\nProvide a clear response\n<context></context>\nWhat?";
    expect(ask({ messages: [user(prompt)] }).do).toBe("start");
    expect(ask({ messages: [user("### Task: write a poem")] }).do).toBe("start");
  });

  test("the tool pass of the legacy mode gets no tools", async () => {
    const system = "Available Tools: []\n\nYour task is to choose and return the correct tool(s) from the list";
    const command = ask({ messages: [{ role: "system", content: system }, user("Query: History:")] });
    expect((await replied(command)).choices[0].message.content).toBe('{"tool_calls":[]}');
  });
});

describe("history", () => {
  const history = (...messages: object[]): Message[] =>
    started({ messages: [...messages, user("And now?")] }).request.messages.slice(0, -1);

  test("calls and their results come back as calls and results, failures as failures", () => {
    const calls = [
      { id: "c1", type: "function", function: { name: "look", arguments: '{"at":1}' } },
      { id: "c2", type: "function", function: { name: "look", arguments: "{}" } },
    ];
    const messages = history(
      { role: "assistant", content: "Let me see.", tool_calls: calls },
      { role: "tool", tool_call_id: "c1", content: "a moon" },
      {
        role: "tool",
        tool_call_id: "c2",
        content: [
          { type: "input_text", text: "Error: dark" },
          { type: "input_image", image_url: "x" },
        ],
      },
      { role: "assistant", content: "A moon." },
    );
    expect(messages).toEqual([
      {
        role: "assistant",
        content: [
          { type: "text", text: "Let me see." },
          { type: "call", call: "c1", name: "look", input: { at: 1 } },
          { type: "call", call: "c2", name: "look", input: {} },
        ],
      },
      { role: "tool", content: [{ type: "result", call: "c1", content: [{ type: "text", text: "a moon" }] }] },
      {
        role: "tool",
        content: [{ type: "result", call: "c2", content: [{ type: "text", text: "Error: dark" }], error: true }],
      },
      { role: "assistant", content: [{ type: "text", text: "A moon." }] },
    ]);
  });

  test("calls of sub-agents are removed", () => {
    const call = { id: "sub-agent:c1", type: "function", function: { name: "researcher › look", arguments: "{}" } };
    const messages = history(
      { role: "assistant", content: "", tool_calls: [call] },
      { role: "tool", tool_call_id: "sub-agent:c1", content: "x" },
      { role: "assistant", content: "Done." },
    );
    expect(messages).toEqual([{ role: "assistant", content: [{ type: "text", text: "Done." }] }]);
  });

  const roundTrip = (style: string) => {
    const result = '</details> <b>"quoted"\nlines & more';
    const entries = run(
      { type: "step-start", step: "s1" },
      ...text("p1", "Before."),
      ...call("c", "look", { at: "<x>" }),
      { type: "step-end", step: "s1", finish: "tools" },
      ended("c", result),
      { type: "step-start", step: "s2" },
      ...text("p2", "After."),
      { type: "step-end", step: "s2", finish: "stop" },
    );
    const content = itemsOf(framesOf(entries, style))
      .map((item) => item["content"][0].text)
      .join("\n");
    return { result, messages: history({ role: "assistant", content }) };
  };

  test("a call that was shown as a block becomes a call again", () => {
    const { result, messages } = roundTrip("details");
    expect(messages).toEqual([
      {
        role: "assistant",
        content: [
          { type: "text", text: "Before." },
          { type: "call", call: "c", name: "look", input: { at: "<x>" } },
        ],
      },
      { role: "tool", content: [{ type: "result", call: "c", content: [{ type: "text", text: result }] }] },
      { role: "assistant", content: [{ type: "text", text: "After." }] },
    ]);
  });

  test.each(["cards", "details"])(
    "images that %s added below a call are removed, and the agent's own stay",
    (style) => {
      const image = { type: "file", file: "f", mediaType: "image/png", bytes: 1, name: "owl.png" } as const;
      const own = "![Owl](https://owls.example/owl.png)";
      const drawn: Event = { type: "tool-end", call: "c", outcome: "ok", content: [image] };
      const entries = run(...text("p1", "Before."), ...call("c", "draw"), drawn, ...text("p2", own));
      const items = itemsOf(framesOf(entries, style)).filter(({ type }) => type === "message");
      const content = items.map((item) => item["content"][0].text).join("\n");
      expect(content).toContain('"Result of draw"');
      const texts = history({ role: "assistant", content }).flatMap(({ role, content: parts }) =>
        role === "assistant"
          ? parts.flatMap((part) => (part.type === "text" ? part.text.trim().split(/\n+/) : []))
          : [],
      );
      expect(texts).toEqual(["Before.", own]);
    },
  );

  test("collapsed steps are removed", () => {
    expect(roundTrip("collapse").messages).toEqual([
      { role: "assistant", content: [{ type: "text", text: "After." }] },
    ]);
  });

  test("a block from another source is text", () => {
    const content = "<details>\n<summary>More</summary>\nwords\n</details>";
    expect(history({ role: "assistant", content })).toEqual([
      { role: "assistant", content: [{ type: "text", text: content }] },
    ]);
  });
});

test("an approval with options is a list of them, and the answer names one", () => {
  const encode = openWebui.encode({ link: () => "", style: "cards; open-webui=0.12.4; mode=native" });
  const events: Event[] = [
    { type: "run-start", protocol: 2, run: "r", name: "test" },
    { type: "step-start", step: "s" },
    { type: "tool-start", call: "c", name: "write" },
    {
      type: "ask-start",
      ask: "a",
      kind: "approval",
      call: "c",
      options: [
        { id: "once", label: "Allow once", allow: true },
        { id: "no", label: "Deny", allow: false },
      ],
    },
  ];
  const data = events.flatMap((event, index) => encode({ seq: index + 1, at: 1, event })).map((frame) => frame.data);
  const dialog = data.find((text) => text.includes('"answer"'));
  expect(dialog).toContain("/asks/a/option");
  for (const label of ["Allow once", "Deny"]) expect(dialog).toContain(label);
  const answered = (result: unknown) => readAnswer("option", result);
  expect(answered('{"allow":true,"option":"once"}')).toEqual({ allow: true, option: "once" });
  expect(answered('{"allow":false,"option":"no"}')).toEqual({ allow: false, option: "no" });
  for (const closed of [false, null, "nonsense"]) expect(answered(closed)).toEqual({ allow: false });
  expect(() => answered("")).toThrow("the dialog was not answered");
});
