import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LangGraphOptions, langgraph } from "../../src/sources/langgraph.ts";
import { type ScriptedModel, startModel } from "../frameworks/model.ts";
import { type Decide, allow, playStory, start } from "../frameworks/play.ts";
import { graphs } from "../langgraph/graphs.ts";
import { expectStored } from "../langgraph/stored.ts";

describe("a graph of LangGraph.js in process", { timeout: 60_000 }, () => {
  let model: ScriptedModel;
  let all: ReturnType<typeof graphs>;
  beforeAll(async () => {
    model = await startModel();
    all = graphs(model.url);
  });
  afterAll(() => model.close());

  const agent = (name: "solo" | "deep") => langgraph({ graph: all[name] });
  /** Plays a story and compares it with the state that the graph's checkpointer has stored. */
  const play = async (name: "solo" | "deep", prompt: string, decide: Decide = allow) => {
    const inner = all[name] as Required<LangGraphOptions["graph"]>;
    const threads = new Set<unknown>();
    const graph = {
      streamEvents: (input: any, options: any) => {
        threads.add(options.configurable.thread_id);
        return inner.streamEvents(input, options);
      },
      getState: (config: any) => inner.getState(config),
    };
    const looked = await playStory(langgraph({ graph }), prompt, decide);
    const [id] = threads;
    const { values } = await inner.getState({ configurable: { thread_id: id } });
    expectStored(looked, values);
    return looked;
  };

  test("hello", async () => {
    const { text, end } = await play("solo", "HELLO");
    expect(text()).toBe("Hello there, friend.");
    expect(end).toMatchObject({ outcome: "done", usage: { input: 100, output: 21 } });
  });

  test("thinking", async () => {
    expect((await play("solo", "THINK")).thinking()).toBe("The user wants a thought. I have one.");
  });

  test("two parallel tools, ending independently", async () => {
    const { calls, all: of } = await play("solo", "TOOLS");
    expect(calls.map(({ name, state, input }) => [name, state, input])).toEqual([
      ["get_weather", "ok", { city: "Paris" }],
      ["get_time", "ok", { city: "Paris" }],
    ]);
    expect(of("tool-end").map(({ call }) => call)).toEqual([calls[1]!.id, calls[0]!.id]);
  });

  test.each(["FAIL", "BADARGS", "UNKNOWN"])("%s: the call fails, and the model continues", async (prompt) => {
    const { calls, end } = await play("solo", prompt);
    expect(calls[0]!.state).toBe("error");
    expect(end.outcome).toBe("done");
  });

  test("calls with the same id, from a provider that repeats ids", async () => {
    const { calls, text } = await playStory(agent("solo"), "SAMEIDS");
    expect(calls.map(({ state, content }) => [state, content])).toEqual([
      ["ok", [{ type: "text", text: "12:00 in Paris" }]],
      ["ok", [{ type: "text", text: "12:00 in Rome" }]],
    ]);
    expect(text()).toBe("Noon in both.");
  });

  test("files", async () => {
    const { all: of } = await play("deep", "TODOS");
    expect(of("file")).toMatchObject([{ name: "/notes.md", change: "created", bytes: 14 }]);
  });

  test("one sub-agent", async () => {
    const { all: of, text, calls } = await play("deep", "DELEGATE");
    const [helper] = of("agent-start");
    expect(of("agent-start")).toHaveLength(1);
    expect(helper).toMatchObject({ name: "researcher", task: "TOOLS: the weather in Paris", call: calls[0]!.id });
    expect(text(helper!.agent)).toBe("Let me look.In Paris it is sunny and noon.");
    expect(text()).toBe("A helper looks.My helper says: sunny.");
    expect(of("agent-end")).toMatchObject([{ outcome: "done" }]);
  });

  test("the same sub-agent twice in parallel, each with its own call", async () => {
    const { all: of, text, calls } = await play("deep", "PAIR");
    const tasks = calls.filter(({ name }) => name === "task");
    expect(new Set(of("agent-start").map(({ call }) => call))).toEqual(new Set(tasks.map(({ id }) => id)));
    for (const { agent: id, task, name } of of("agent-start")) {
      expect(name).toBe("researcher");
      expect(text(id)).toBe(
        task!.startsWith("HELLO") ? "Hello there, friend." : "Let me look.In Paris it is sunny and noon.",
      );
    }
  });

  test("approvals: allow, deny and edit", async () => {
    expect((await play("solo", "APPROVE")).calls[0]).toMatchObject({ state: "ok" });
    const denied = await play("solo", "APPROVE", () => ({ allow: false, reason: "denied: not today" }));
    expect(denied.calls[0]).toMatchObject({ state: "denied", error: { message: "denied: not today" } });
    const input = { to: "eve@example.com", subject: "Hi" };
    const edited = await play("solo", "APPROVE", () => ({ allow: true, input }));
    expect(edited.calls[0]).toMatchObject({ edited: true, input, content: [{ text: "sent to eve@example.com" }] });
  });

  test("two approvals at the same time, beside a call that needs none", async () => {
    const states = async (decide: Decide) =>
      (await play("solo", "BOTH", decide)).calls.map(({ name, state }) => `${name} ${state}`);
    expect(await states(allow)).toEqual(["send_mail ok", "send_mail ok", "get_weather ok"]);
    // LangChain.js runs none of the calls if one of them is rejected.
    const denied = await states((_, index) => ({ allow: index === 0, reason: "denied: no" }));
    expect(denied).toEqual(["send_mail interrupted", "send_mail denied", "get_weather interrupted"]);
  });

  test("approval inside a sub-agent", async () => {
    const { all: of, calls } = await play("deep", "ASKBELOW");
    expect(of("agent-start")).toHaveLength(1);
    expect(of("ask-start")).toMatchObject([{ kind: "approval", agent: of("agent-start")[0]!.agent }]);
    expect(calls.map(({ name, state }) => [name, state])).toEqual([
      ["task", "ok"],
      ["send_mail", "ok"],
    ]);
  });

  test("form: a tool that interrupts", async () => {
    const { all: of, calls } = await play("solo", "FORM", () => ({ value: "Monday" }));
    expect(of("ask-start")).toMatchObject([{ kind: "choice", call: calls[0]!.id, message: "Which day?" }]);
    expect(calls[0]).toMatchObject({ state: "ok", content: [{ text: "table for 2 on Monday" }] });
  });

  test("client-run tool", async () => {
    const { all: of, calls, text } = await play("solo", "EXTERNAL", () => ({ value: "the map is shown" }));
    expect(of("ask-start")).toMatchObject([{ kind: "result", call: calls[0]!.id, value: { city: "Paris" } }]);
    expect(calls[0]).toMatchObject({ state: "ok", content: [{ text: "the map is shown" }] });
    expect(text()).toBe("Please run this.You see Paris.");
  });

  test("provider error", async () => {
    const { end } = await play("solo", "BROKEN");
    expect(end).toMatchObject({ outcome: "error", error: { message: expect.stringContaining("refuses") as string } });
  });

  test("cancel stops a slow tool", async () => {
    const { runner, run, until, ended } = await start(agent("solo"), "SLOWTOOL");
    await until(({ type }) => type === "tool-execute");
    await runner.cancel(run);
    const { end, calls } = await ended();
    expect(end.outcome).toBe("cancelled");
    expect(calls[0]!.state).toBe("cancelled");
  });

  test("a thread continues, with the graph's own memory", async () => {
    const thread = "t1";
    const threads = new Set<unknown>();
    const { solo } = all;
    const graph = {
      streamEvents: (input: any, options: any) => {
        threads.add(options.configurable.thread_id);
        return solo.streamEvents(input, options);
      },
      getState: (config: any) => solo.getState(config),
    };
    for (const prompt of ["HELLO", "THINK"])
      expect((await playStory(langgraph({ graph }), prompt, allow, { thread })).end.outcome).toBe("done");
    const [id, ...others] = threads;
    expect(others).toEqual([]);
    const { values } = await solo.getState({ configurable: { thread_id: id } });
    const { messages } = values as { messages: { readonly type: string; readonly text: string }[] };
    expect(messages.map(({ type, text }) => [type, text])).toEqual([
      ["human", "HELLO"],
      ["ai", "Hello there, friend."],
      ["human", "THINK"],
      ["ai", "I thought about it: yes."],
    ]);
  });
});
