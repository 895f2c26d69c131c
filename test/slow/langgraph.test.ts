import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Answer, Event } from "../../src/events.ts";
import { langgraph } from "../../src/sources/langgraph.ts";
import { absent } from "../components.ts";
import { startCuttingProxy } from "../cutting-proxy.ts";
import { type ScriptedModel, startModel } from "../frameworks/model.ts";
import { type Decide, allow, looking, playStory, start } from "../frameworks/play.ts";
import type { Program } from "../frameworks/program.ts";
import { takenOver } from "../frameworks/take-over.ts";
import { graphsFolder, python, startLangGraph } from "../langgraph/server.ts";
import { expectStored, stateOf } from "../langgraph/stored.ts";
import { entriesOf, untilEnd } from "../running.ts";

const isLong = process.env.RUNCAST_LONG === "1";

if (!python) absent("LangGraph", "not installed: npm run agents -- langgraph");

describe.skipIf(!python)("a LangGraph server", { timeout: 60_000 }, () => {
  const { folder, remove } = graphsFolder();
  let model: ScriptedModel;
  let server: Program;
  beforeAll(async () => {
    model = await startModel();
    server = await startLangGraph(model.url, folder);
  }, 150_000);
  afterAll(async () => {
    await server?.kill();
    await model?.close();
    remove();
  });

  const agent = (assistant = "solo", url = server.url) => langgraph({ url, assistant });
  /** Plays a story and compares it with the state that LangGraph has stored. */
  const play = async (assistant: string, prompt: string, decide: Decide = allow, more: object = {}) => {
    const looked = await playStory(agent(assistant), prompt, decide, more);
    expectStored(looked, await stateOf(server.url, looked));
    return looked;
  };
  const solo = (prompt: string, decide?: Decide, more?: object) => play("solo", prompt, decide, more);
  const deep = (prompt: string, decide?: Decide, more?: object) => play("deep", prompt, decide, more);

  test("hello", async () => {
    const { text, end, all } = await solo("HELLO");
    expect(text()).toBe("Hello there, friend.");
    expect(end).toMatchObject({ outcome: "done", usage: { output: 20 } });
    expect(all("step-start")).toMatchObject([{ model: "scripted" }]);
  });

  test("thinking", async () => {
    const { thinking, text } = await solo("THINK");
    expect(thinking()).toBe("The user wants a thought. I have one.");
    expect(text()).toBe("I thought about it: yes.");
  });

  test("two parallel tools, ending independently, with the server's times", async () => {
    const { calls, all } = await solo("TOOLS");
    expect(calls.map(({ name, state }) => [name, state])).toEqual([
      ["get_weather", "ok"],
      ["get_time", "ok"],
    ]);
    expect(all("tool-end").map(({ call }) => call)).toEqual([calls[1]!.id, calls[0]!.id]);
    expect(all("tool-input-delta").length).toBeGreaterThan(1);
    expect(all("step-end").map(({ finish }) => finish)).toEqual(["tools", "stop"]);
    for (const { ms } of calls) expect(ms).toBeGreaterThan(0);
  });

  test("failing tool: it fails the run, as in LangGraph", async () => {
    const { calls, end } = await solo("FAIL");
    expect(calls[0]).toMatchObject({ state: "error", error: { message: "order system is down" } });
    expect(end).toMatchObject({ outcome: "error", error: { message: "order system is down" } });
  });

  test("bad arguments", async () => {
    const { calls, end } = await solo("BADARGS");
    expect(calls[0]).toMatchObject({ state: "error", input: { city: 12 } });
    expect(end.outcome).toBe("done");
  });

  test("unknown tool: closed from the state", async () => {
    const { calls, all } = await solo("UNKNOWN");
    expect(calls[0]).toMatchObject({ name: "no_such_tool", state: "error" });
    expect(calls[0]!.error!.message).toContain("not a valid tool");
    expect(all("tool-execute")).toEqual([]);
  });

  test("calls with the same id, from a provider that repeats ids", async () => {
    const { calls, text } = await playStory(agent(), "SAMEIDS");
    expect(calls.map(({ state, content }) => [state, content])).toEqual([
      ["ok", [{ type: "text", text: "12:00 in Paris" }]],
      ["ok", [{ type: "text", text: "12:00 in Rome" }]],
    ]);
    expect(text()).toBe("Noon in both.");
  });

  test("todos and files", async () => {
    const { state, all } = await deep("TODOS");
    expect(state.data.get("todos")).toMatchObject([
      { text: "Look", status: "done" },
      { text: "Write", status: "done" },
    ]);
    expect(all("file")).toMatchObject([{ name: "/notes.md", change: "created", bytes: 14 }]);
  });

  test("one sub-agent", async () => {
    const { all, text, calls } = await deep("DELEGATE");
    const [helper] = all("agent-start");
    expect(helper).toMatchObject({ name: "researcher", task: "TOOLS: the weather in Paris", call: calls[0]!.id });
    expect(text(helper!.agent)).toBe("Let me look.In Paris it is sunny and noon.");
    expect(text()).toBe("A helper looks.My helper says: sunny.");
    expect(all("agent-end")).toMatchObject([{ outcome: "done" }]);
  });

  test("the same sub-agent twice in parallel, each with its own call", async () => {
    const { all, text, calls } = await deep("PAIR");
    const helpers = all("agent-start");
    const tasks = calls.filter(({ name }) => name === "task");
    expect(new Set(helpers.map(({ call }) => call))).toEqual(new Set(tasks.map(({ id }) => id)));
    for (const { agent: id, task } of helpers)
      expect(text(id)).toBe(
        task!.startsWith("HELLO") ? "Hello there, friend." : "Let me look.In Paris it is sunny and noon.",
      );
  });

  test("approval: allow", async () => {
    const { all, calls, text } = await solo("APPROVE");
    expect(all("ask-start")).toMatchObject([{ kind: "approval", call: calls[0]!.id, allows: ["edit", "reason"] }]);
    expect(calls[0]).toMatchObject({ state: "ok", content: [{ text: "sent to ann@example.com" }] });
    expect(text()).toBe("I need your approval.The mail is sent.");
  });

  test("approval: deny", async () => {
    const { calls, all } = await solo("APPROVE", () => ({ allow: false, reason: "denied: not today" }));
    expect(calls[0]).toMatchObject({ state: "denied", error: { message: "denied: not today" } });
    expect(all("tool-execute")).toEqual([]);
  });

  test("approval: edit", async () => {
    const input = { to: "eve@example.com", subject: "Hi" };
    const looked = await solo("APPROVE", () => ({ allow: true, input }));
    expect(looked.calls[0]).toMatchObject({
      state: "ok",
      edited: true,
      input,
      content: [{ text: "sent to eve@example.com" }],
    });
  });

  test("two approvals at the same time, beside a call that needs none", async () => {
    const { calls, text } = await solo("BOTH", (_, index) => ({ allow: index === 0, reason: "denied: no" }));
    expect(calls.map(({ name, state }) => `${name} ${state}`)).toEqual([
      "send_mail ok",
      "send_mail denied",
      "get_weather ok",
    ]);
    expect(text()).toContain("Some were not sent.");
  });

  test("approval inside a sub-agent", async () => {
    const { all, calls } = await deep("ASKBELOW");
    const [helper] = all("agent-start");
    expect(all("agent-start")).toHaveLength(1);
    expect(all("ask-start")).toMatchObject([{ kind: "approval", agent: helper!.agent }]);
    expect(calls.map(({ name, state }) => [name, state])).toEqual([
      ["task", "ok"],
      ["send_mail", "ok"],
    ]);
  });

  test("form: a tool that interrupts", async () => {
    const { all, calls } = await solo("FORM", () => ({ value: "Monday" }));
    expect(all("ask-start")).toMatchObject([
      {
        kind: "choice",
        call: calls[0]!.id,
        message: "Which day?",
        options: [{ value: "Monday" }, { value: "Tuesday" }],
      },
    ]);
    expect(calls[0]).toMatchObject({ state: "ok", content: [{ text: "table for 2 on Monday" }] });
  });

  test("a node that interrupts, and the state", async () => {
    const { all, state, end } = await play("custom", "HELLO", () => ({ value: "yes" }));
    expect(all("ask-start")).toMatchObject([{ kind: "input", message: "publish?\ndraft: Hello there, friend." }]);
    expect(state.data.get("state")).toEqual({ draft: "Hello there, friend. (published: yes)" });
    expect(end.outcome).toBe("done");
  });

  test("client-run tool", async () => {
    const { all, calls } = await solo("EXTERNAL", () => ({ value: "the map is shown" }));
    expect(all("ask-start")).toMatchObject([{ kind: "result", call: calls[0]!.id, value: { city: "Paris" } }]);
    expect(calls[0]).toMatchObject({ state: "ok", content: [{ text: "the map is shown" }] });
  });

  test("provider error", async () => {
    const { end } = await playStory(agent(), "BROKEN");
    expect(end).toMatchObject({ outcome: "error", error: { code: "upstream-error" } });
  });

  test("a slow tool shows as executing, and cancel ends the run immediately, here and on the server", async () => {
    const { runner, run, until, ended } = await start(agent(), "SLOWTOOL");
    await until(({ type }) => type === "tool-execute");
    await runner.cancel(run);
    // The tool would work for longer than this test may take.
    const { end, calls, all } = await ended();
    expect(end.outcome).toBe("cancelled");
    expect(calls[0]!.state).toBe("cancelled");
    const session = all("data").find(({ name }) => name === "session")!;
    const { id } = session.value as { id: string };
    const there = (session.meta as { langgraph: { run: string } }).langgraph.run;
    const status = async () =>
      ((await (await fetch(`${server.url}/threads/${id}/runs/${there}`)).json()) as { status: string }).status;
    await expect.poll(status).toBe("interrupted");
  });

  test("a thread continues, separately per user, even after a cancel and an unanswered approval", async () => {
    const thread = "t1";
    const count = async (more: object = {}) => {
      const looked = await solo("HELLO", allow, { thread, ...more });
      return (await stateOf(server.url, looked)).messages.length;
    };
    expect(await count()).toBe(2);
    expect(await count()).toBe(4);
    for (const [prompt, type] of [
      ["SLOWTOOL", "tool-execute"],
      ["APPROVE", "ask-start"],
    ] as const) {
      const { runner, run, until, ended } = await start(agent(), prompt, { thread });
      await until((event) => event.type === type);
      await runner.cancel(run);
      expect((await ended()).end.outcome).toBe("cancelled");
      const looked = await solo("HELLO", allow, { thread });
      expect(looked.end.outcome).toBe("done");
      const { messages } = await stateOf(server.url, looked);
      expect(messages.slice(-3)).toMatchObject([{ type: "tool" }, { type: "human", content: "HELLO" }, { type: "ai" }]);
    }
    expect(await count({ user: { id: "ada" } })).toBe(2);
  });

  test("cut and resume: nothing is lost and nothing appears twice", async () => {
    const whole = (await solo("TOOLS")).text();
    for (const cut of isLong ? [800, 1500, 3000, 6000, 9000, 12_000, 17_000] : [900, 6000]) {
      // The first connection creates the thread and carries the run's events, the second starts the run.
      const proxy = await startCuttingProxy(server.port, (connection) => (connection === 0 ? cut : undefined));
      const looked = await playStory(agent("solo", proxy.url), "TOOLS");
      expect(proxy.passed[0]).toBe(cut);
      expect(looked.text(), `cut after ${cut} bytes`).toBe(whole);
      expect(looked.all("tool-start")).toHaveLength(2);
      expectStored(looked, await stateOf(server.url, looked));
      await proxy.close();
    }
  });

  const cutOff = async (assistant: string, prompt: string, isReached: (event: Event) => boolean) => {
    const { log, run, runner } = await takenOver(agent(assistant), prompt, isReached);
    const ended = async () => {
      await untilEnd(log, run);
      const looked = looking(await entriesOf(log, run));
      expect(looked.all("run-resume")).toHaveLength(1);
      expect(looked.end.outcome).toBe("done");
      return looked;
    };
    /** Answers the run's asks after the takeover. */
    const answer = async (value: Answer) => {
      for (;;) {
        const events = (await entriesOf(log, run)).map(({ event }) => event);
        const over = new Set(events.map((event) => event.type === "ask-end" && event.ask));
        const open = events.find((event) => event.type === "ask-start" && !over.has(event.ask));
        const isTaken = events.some(({ type }) => type === "run-resume");
        if (isTaken && open?.type === "ask-start") return await runner.answer(run, open.ask, value);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    return { ended, answer };
  };

  test("another process takes over the run in the middle of the text", async () => {
    const { ended } = await cutOff(
      "solo",
      "SLOW",
      (event) => event.type === "text-delta" && event.delta.includes("going."),
    );
    expect((await ended()).text()).toBe("A very long answer that keeps going and going. ".repeat(20));
  });

  test("another process takes over the run while tools and a sub-agent work", async () => {
    const looked = await (
      await cutOff("deep", "DELEGATE", (e) => e.type === "tool-execute" && e.agent !== undefined)
    ).ended();
    const [helper] = looked.all("agent-start");
    expect(looked.all("agent-start")).toHaveLength(1);
    expect(looked.text(helper!.agent)).toBe("Let me look.In Paris it is sunny and noon.");
    expect(looked.text()).toBe("A helper looks.My helper says: sunny.");
    const again = looked.all("tool-start").filter(({ repeats }) => repeats !== undefined);
    for (const { call } of again) expect(looked.calls.find(({ id }) => id === call)!.state).toBe("ok");
  });

  test("another process takes over the run while it waits for approval", async () => {
    const { answer, ended } = await cutOff("solo", "APPROVE", ({ type }) => type === "ask-start");
    await answer({ allow: true });
    const looked = await ended();
    expectStored(looked, await stateOf(server.url, looked));
    expect(looked.all("ask-start")).toHaveLength(1);
    expect(looked.calls).toMatchObject([{ name: "send_mail", state: "ok" }]);
  });

  test("another process takes over the run while a tool asks", async () => {
    const { answer, ended } = await cutOff("solo", "FORM", ({ type }) => type === "ask-start");
    await answer({ value: "Tuesday" });
    const { calls, all } = await ended();
    expect(all("ask-end").map(({ outcome }) => outcome)).toEqual(["interrupted", "answered"]);
    expect(calls).toMatchObject([
      { state: "interrupted" },
      { state: "ok", content: [{ text: "table for 2 on Tuesday" }] },
    ]);
  });

  test("a refusal by the server refuses the run", async () => {
    await expect(start(agent("nobody"), "HELLO")).rejects.toMatchObject({
      message: expect.stringContaining("nobody") as string,
    });
  });

  // Must be last, because it kills the server.
  test("a server that dies ends the run with an error", async () => {
    const impatient = langgraph({ url: server.url, assistant: "solo", retryMs: 200 });
    const { until, ended } = await start(impatient, "SLOW");
    await until(({ type }) => type === "text-delta");
    await server.kill();
    expect((await ended()).end).toMatchObject({ outcome: "error", error: { code: "upstream-cut", retryable: true } });
  });
});

describe.skipIf(!python)("a LangGraph server without version 2 of the protocol", { timeout: 60_000 }, () => {
  const { folder, remove } = graphsFolder();
  let model: ScriptedModel;
  let server: Program;
  beforeAll(async () => {
    model = await startModel();
    server = await startLangGraph(model.url, folder, false);
  }, 150_000);
  afterAll(async () => {
    await server?.kill();
    await model?.close();
    remove();
  });

  const stories: [assistant: string, prompt: string, decide?: Decide][] = [
    ["solo", "HELLO"],
    ["solo", "THINK"],
    ["solo", "TOOLS"],
    ["solo", "FAIL"],
    ["solo", "BADARGS"],
    ["solo", "UNKNOWN"],
    ["deep", "TODOS"],
    ["deep", "DELEGATE"],
    ["deep", "PAIR"],
    ["solo", "APPROVE", () => ({ allow: true, input: { to: "eve@example.com", subject: "Hi" } })],
    ["solo", "APPROVE", () => ({ allow: false, reason: "denied: not today" })],
    ["solo", "BOTH", (_, index) => ({ allow: index === 0, reason: "denied: no" })],
    ["deep", "ASKBELOW"],
    ["solo", "FORM", () => ({ value: "Monday" })],
    ["solo", "EXTERNAL", () => ({ value: "the map is shown" })],
    ["custom", "HELLO", () => ({ value: "yes" })],
  ];
  test.each(stories)("%s %s", async (assistant, prompt, decide) => {
    const looked = await playStory(langgraph({ url: server.url, assistant }), prompt, decide);
    expectStored(looked, await stateOf(server.url, looked));
    expect(looked.end.outcome).toBe(prompt === "FAIL" ? "error" : "done");
    for (const { call } of looked.all("agent-start")) expect(looked.calls.some(({ id }) => id === call)).toBe(true);
  });

  test("provider error", async () => {
    const { end } = await playStory(langgraph({ url: server.url, assistant: "solo" }), "BROKEN");
    expect(end.outcome).toBe("error");
  });

  test("cancel ends a slow tool, here and on the server", async () => {
    const { runner, run, until, ended } = await start(langgraph({ url: server.url, assistant: "solo" }), "SLOWTOOL");
    await until(({ type }) => type === "tool-execute");
    await runner.cancel(run);
    const { end, calls, all } = await ended();
    expect(end.outcome).toBe("cancelled");
    expect(calls).toMatchObject([{ name: "slow_tool", state: "cancelled" }]);
    const { id } = all("data").find(({ name }) => name === "session")!.value as { id: string };
    const status = async () =>
      ((await (await fetch(`${server.url}/threads/${id}`)).json()) as { status: string }).status;
    await expect.poll(status).not.toBe("busy");
  });

  test("cut and resume", async () => {
    const proxy = await startCuttingProxy(server.port, (connection) => (connection === 1 ? 20_000 : undefined));
    const looked = await playStory(langgraph({ url: proxy.url, assistant: "solo" }), "TOOLS");
    expect(proxy.passed[1]).toBe(20_000);
    expectStored(looked, await stateOf(server.url, looked));
    await proxy.close();
  });
});
