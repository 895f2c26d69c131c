import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { pythonAgents, pythonOf } from "../../scripts/install-agents/python-agents.ts";
import { agUi } from "../../src/dialects/ag-ui.ts";
import type { Answer, Event, EventOf, EventType } from "../../src/events.ts";
import { http } from "../../src/sources/http.ts";
import type { CallNode, PartNode, RunState } from "../../src/state.ts";
import { createState, fold } from "../../src/state.ts";
import { verify } from "../../src/verify.ts";
import { absent } from "../components.ts";
import { type PydanticServer, type Sent, servePydantic } from "../pydantic-ai/serve.ts";
import { expectStored } from "../pydantic-ai/stored.ts";
import { entriesOf, setUp, untilEnd, untilEvent } from "../running.ts";

const agent = pythonAgents.find(({ name }) => name === "pydantic-ai")!;
const python = pythonOf(agent);
const [version] = agent.packages;

if (python) describe(version!, { timeout: 60_000 }, () => suite(python));
else absent("PydanticAI", "not installed: npm run agents -- pydantic-ai");

const suite = (program: string): void => {
  let server: PydanticServer;
  beforeAll(async () => {
    server = await servePydantic(program);
  }, 150_000);
  beforeEach(() => {
    server.cutAfter(Infinity);
    server.sent();
  });
  afterAll(() => server.close());

  const start = async (message: string, more: object = {}) => {
    const { runner, log } = setUp({ graceMs: 2000 });
    const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: message }] }];
    const source = http({ dialect: agUi, url: server.url, path: () => "" });
    const { run } = await runner.start({ messages, ...more }, { name: "pydantic", source });
    return { runner, log, run };
  };
  /** Plays a story, gives the same answer to every ask, and compares the run with what the server sent and kept. */
  const play = async (
    message: string,
    answer: (ask: EventOf<"ask-start">) => Answer = () => ({ allow: true }),
    more = {},
  ) => {
    const { runner, log, run } = await start(message, more);
    const ended = untilEnd(log, run);
    const answered = new Set<string>();
    let isOver = false;
    void ended.finally(() => (isOver = true)).catch(() => {});
    while (!isOver) {
      for (const { event } of await entriesOf(log, run))
        if (event.type === "ask-start" && !answered.has(event.ask)) {
          answered.add(event.ask);
          await runner.answer(run, event.ask, answer(event));
        }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const events = await ended;
    const state = createState();
    for (const entry of await entriesOf(log, run)) fold(state, entry);
    const sent = server.sent();
    expectFaithful(state, sent);
    expect(verify(await entriesOf(log, run))).toBeUndefined();
    const stored = await server.stored();
    // PydanticAI keeps nothing of a run that fails.
    expect(stored.length > 0).toBe(state.outcome === "done");
    const known = (more as { readonly messages?: readonly unknown[] }).messages?.length ?? 1;
    if (state.outcome === "done") expectStored(state, stored.slice(known));
    return { events, state, sent, all: <Type extends EventType>(type: Type) => allOf(events, type) };
  };

  test("hello", async () => {
    const { all, events, state } = await play("HELLO");
    expect(textOf(state, "text")).toBe("Hello there, friend.");
    expect(all("step-end")).toMatchObject([{ finish: "stop" }]);
    expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: "done" });
  });

  test("thinking", async () => {
    const { all, state } = await play("THINK");
    expect(textOf(state, "thinking")).toBe("Somebody wants a thought. I have one.");
    // The next request needs this to continue the thinking.
    expect(all("thinking-end")[0]!.meta).toBeDefined();
  });

  test("two parallel tools, each with its result when it arrives", async () => {
    const { all } = await play("TWO");
    const [weather, time] = all("tool-start");
    expect(all("tool-end").map(({ call }) => call)).toEqual([time!.call, weather!.call]);
    expect(all("step-end").map(({ finish }) => finish)).toEqual(["tools", "stop"]);
    // The server does not report when they began.
    expect(all("tool-execute")).toEqual([]);
    expect(all("tool-end").every(({ ms }) => ms === undefined)).toBe(true);
  });

  test("a failing tool has failed, and so has a call with wrong arguments", async () => {
    const failing = await play("FAIL");
    expect(failing.all("tool-end")).toMatchObject([
      { outcome: "error", error: { message: "the order system is down, so 42 was not found" } },
    ]);
    const wrong = await play("WRONG");
    expect(wrong.all("tool-end")).toMatchObject([{ outcome: "error" }]);
    expect(textOf(wrong.state, "text")).toBe("Those arguments were wrong.");
  });

  test("an agent that a tool calls is the tool's result, also twice in parallel", async () => {
    const one = await play("HELPER");
    expect(one.all("tool-end")).toMatchObject([{ outcome: "ok", content: [{ text: "Hello there, friend." }] }]);
    expect(textOf(one.state, "text")).toBe("A helper looks.My helper is back.");
    const two = await play("PAIR");
    const results = two.all("tool-end").map(({ content }) => (content![0] as { text: string }).text);
    expect(results.toSorted()).toEqual(["Hello there, friend.", "I thought about it: yes."]);
    // AG-UI does not report them as sub-agents.
    expect(two.all("agent-start")).toEqual([]);
  });

  test.each([
    ["allowed", { allow: true }, "ok", "sent to ann"],
    ["allowed with edited arguments", { allow: true, input: { to: "eve" } }, "ok", "sent to eve"],
    ["denied", { allow: false, reason: "not today" }, "denied", "not today"],
  ] as const)("an approval that is %s", async (_, answer, outcome, result) => {
    const { all, state, events } = await play("MAIL", () => answer as Answer);
    expect(all("ask-start")).toMatchObject([{ kind: "approval", allows: ["edit", "reason"] }]);
    expect(all("tool-end")).toMatchObject([{ outcome, content: [{ type: "text", text: result }] }]);
    expect(textOf(state, "text")).toContain("That was the mail.");
    expect(events.at(-1)).toMatchObject({ outcome: "done" });
  });

  test("two approvals at the same time, one of them denied", async () => {
    const asked: string[] = [];
    const { all, state } = await play("MAILS", ({ message = "" }) => {
      asked.push(message);
      return { allow: message.includes("ann") };
    });
    expect(asked.length).toBe(2);
    expect(
      all("tool-end")
        .map(({ outcome }) => outcome)
        .toSorted(),
    ).toEqual(["denied", "ok", "ok"]);
    expect(textOf(state, "text")).toContain("Those were the mails.");
  });

  test("the client runs its own tool, and its result goes back", async () => {
    const tools = [
      {
        name: "show_map",
        description: "Shows a map.",
        schema: { type: "object", properties: { city: { type: "string" } } },
      },
    ];
    const { all, events, state } = await play("MAP", undefined, { tools });
    const [{ call }] = all("tool-start") as [EventOf<"tool-start">];
    expect(all("tool-end")).toMatchObject([{ outcome: "deferred" }]);
    expect(events.at(-1)).toMatchObject({ outcome: "done", awaiting: [call] });
    const messages = [
      { role: "user", content: [{ type: "text", text: "MAP" }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: textOf(state, "text") },
          { type: "call", call, name: "show_map", input: { city: "Paris" } },
        ],
      },
      { role: "tool", content: [{ type: "result", call, content: [{ type: "text", text: "shown" }] }] },
    ];
    const next = await play("", undefined, { messages, tools });
    expect(textOf(next.state, "text")).toBe("You see Paris.");
  });

  test("an error of the provider is the run's error", async () => {
    const { events } = await play("ERROR");
    expect(events.at(-1)).toMatchObject({ outcome: "error", error: { code: "upstream-error" } });
    expect(JSON.stringify(events.at(-1))).toContain("the model is out of order");
  });

  test("a cancel ends the run here and closes the connection to the server", async () => {
    const { runner, log, run } = await start("SLOW");
    await untilEvent(log, run, ({ type }) => type === "text-delta");
    await runner.cancel(run, {});
    const events = await untilEnd(log, run);
    expect(events.at(-1)).toMatchObject({ outcome: "cancelled" });
    await expect.poll(() => server.open).toBe(0);
    expect(server.sent().some(({ type }) => type === "RUN_FINISHED")).toBe(false);
  });

  test("a cancel ends a slow tool", async () => {
    const { runner, log, run } = await start("SLOWTOOL");
    await untilEvent(log, run, ({ type }) => type === "tool-input-end");
    await runner.cancel(run, {});
    const events = await untilEnd(log, run);
    expect(allOf(events, "tool-end")).toMatchObject([{ outcome: "cancelled" }]);
    expect(events.at(-1)).toMatchObject({ outcome: "cancelled" });
    await expect.poll(() => server.open).toBe(0);
  });

  test("a cut is a retryable error", async () => {
    server.cutAfter(2000);
    const { log, run } = await start("SLOW");
    const events = await untilEnd(log, run);
    expect(events.at(-1)).toMatchObject({ outcome: "error", error: { code: "upstream-cut", retryable: true } });
    expect(allOf(events, "text-end")).toMatchObject([{ cut: true }]);
  });
};

const allOf = <Type extends EventType>(events: readonly Event[], type: Type): EventOf<Type>[] =>
  events.filter((event): event is EventOf<Type> => event.type === type);

const textOf = (state: RunState, kind: "text" | "thinking"): string =>
  [...state.nodes.values()].flatMap((node) => (node.kind === kind ? [(node as PartNode).text] : [])).join("");

/** Compares the folded run with what the server sent, read here independently of the decoder. */
const expectFaithful = (state: RunState, sent: readonly Sent[]): void => {
  const joined = (type: string) => sent.flatMap((one) => (one.type === type ? [one["delta"]] : [])).join("");
  expect(textOf(state, "text")).toBe(joined("TEXT_MESSAGE_CONTENT"));
  expect(textOf(state, "thinking")).toBe(joined("REASONING_MESSAGE_CONTENT"));
  const calls = [...state.nodes.values()].filter((node): node is CallNode => node.kind === "call");
  const started = sent.filter(({ type }) => type === "TOOL_CALL_START");
  expect(calls.map(({ name }) => name)).toEqual(started.map(({ toolCallName }) => toolCallName));
  for (const [index, { toolCallId }] of started.entries()) {
    const args = sent.filter((one) => one.type === "TOOL_CALL_ARGS" && one["toolCallId"] === toolCallId);
    expect(calls[index]!.input).toEqual(JSON.parse(args.map(({ delta }) => delta).join("")));
    const result = sent.find((one) => one.type === "TOOL_CALL_RESULT" && one["toolCallId"] === toolCallId);
    const shown = calls[index]!.content?.map((part) => (part.type === "text" ? part.text : "")).join("");
    expect(shown || calls[index]!.error?.message).toEqual(result?.["content"]);
  }
};
