import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agno } from "../../src/sources/agno.ts";
import { expectStored } from "../agno/stored.ts";
import { python, serverFolder, startAgentOs } from "../agno/server.ts";
import { absent } from "../components.ts";
import { startCuttingProxy } from "../cutting-proxy.ts";
import { type ScriptedModel, startModel } from "../frameworks/model.ts";
import { type Decide, allow, looking, playStory, start } from "../frameworks/play.ts";
import type { Program } from "../frameworks/program.ts";
import { takenOver } from "../frameworks/take-over.ts";
import { entriesOf, untilEnd } from "../running.ts";

const isLong = process.env.RUNCAST_LONG === "1";

if (!python) absent("Agno", "not installed: npm run agents -- agno");

describe.skipIf(!python)("an AgentOS", { timeout: 60_000 }, () => {
  const { folder, remove } = serverFolder();
  let model: ScriptedModel;
  let server: Program;
  beforeAll(async () => {
    model = await startModel();
    server = await startAgentOs(model.url, folder);
  }, 150_000);
  afterAll(async () => {
    await server?.kill();
    await model.close();
    remove();
  });

  const agent = (id = "solo", url = server.url) => agno({ url, agent: id });
  const solo = async (prompt: string, decide: Decide = allow, more: object = {}) => {
    const looked = await playStory(agent(), prompt, decide, more);
    await expectStored(`${server.url}/agents/solo`, looked);
    return looked;
  };
  const crew = async (prompt: string, decide: Decide = allow) => {
    const looked = await playStory(agno({ url: server.url, team: "crew" }), prompt, decide);
    await expectStored(`${server.url}/teams/crew`, looked);
    return looked;
  };

  test("hello", async () => {
    const { text, end } = await solo("HELLO");
    expect(text()).toBe("Hello there, friend.");
    expect(end).toMatchObject({ outcome: "done", usage: { input: 100, output: 20 } });
  });

  test("thinking", async () => {
    const { thinking, text } = await solo("THINK");
    expect(thinking()).toBe("The user wants a thought. I have one.");
    expect(text()).toBe("I thought about it: yes.");
  });

  test("two parallel tools, with the times that the server measured", async () => {
    const { calls, all } = await solo("TOOLS");
    expect(calls.map(({ name, state }) => [name, state])).toEqual([
      ["get_weather", "ok"],
      ["get_time", "ok"],
    ]);
    expect(all("step-end").map(({ finish }) => finish)).toEqual(["tools", "stop"]);
    // Both are reported together when the slower one is done. `expectStored` compares the times with the server's.
    for (const { ms } of calls) expect(ms).toBeDefined();
  });

  test("failing tool, once", async () => {
    const { calls, all } = await solo("FAIL");
    expect(all("tool-end")).toHaveLength(1);
    expect(calls[0]).toMatchObject({ state: "error", error: { message: "order system is down" } });
  });

  test("bad arguments", async () => {
    const { calls } = await solo("BADARGS");
    expect(calls[0]).toMatchObject({ state: "error", input: { city: 12 } });
  });

  test("calls with the same id, from a provider that repeats ids", async () => {
    const { calls, text } = await playStory(agent(), "SAMEIDS");
    expect(calls.map(({ state, content }) => [state, content])).toEqual([
      ["ok", [{ type: "text", text: "12:00 in Paris" }]],
      ["ok", [{ type: "text", text: "12:00 in Rome" }]],
    ]);
    expect(text()).toBe("Noon in both.");
  });

  test("state", async () => {
    const { state } = await solo("STATE");
    expect(state.data.get("state")).toEqual({ mood: "good" });
  });

  test("one member", async () => {
    const { all, text, calls } = await crew("DELEGATE");
    const [member] = all("agent-start");
    expect(member).toMatchObject({ name: "Researcher", task: "TOOLS: the weather in Paris", call: calls[0]!.id });
    expect(text(member!.agent)).toBe("Let me look.In Paris it is sunny and noon.");
    expect(text()).toBe("A helper looks.My helper says: sunny.");
  });

  test("the same member twice in parallel, each with its own call", async () => {
    const { all, text, calls } = await crew("PAIR");
    const members = all("agent-start");
    const delegates = calls.filter(({ name }) => name === "delegate_task_to_member");
    expect(new Set(members.map(({ call }) => call))).toEqual(new Set(delegates.map(({ id }) => id)));
    for (const { agent: id, task } of members)
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
    const { calls } = await solo("APPROVE", () => ({ allow: true, input }));
    expect(calls[0]).toMatchObject({
      state: "ok",
      edited: true,
      input,
      content: [{ text: "sent to eve@example.com" }],
    });
  });

  test("two approvals at the same time, beside a call that needs none", async () => {
    const { calls, text } = await solo("BOTH", (_, index) => ({ allow: index === 0 }));
    expect(calls.map(({ name, state }) => `${name} ${state}`).toSorted()).toEqual([
      "get_weather ok",
      "send_mail denied",
      "send_mail ok",
    ]);
    expect(text()).toContain("Some were not sent.");
  });

  test("approval inside a member", async () => {
    const { all, calls } = await crew("ASKBELOW");
    const [member] = all("agent-start");
    expect(all("ask-start")).toMatchObject([{ kind: "approval", agent: member!.agent }]);
    expect(calls.map(({ name, state }) => [name, state])).toEqual([
      ["delegate_task_to_member", "ok"],
      ["send_mail", "ok"],
    ]);
    expect(calls[0]!.content).toEqual([{ type: "text", text: "The mail is sent." }]);
  });

  test("form", async () => {
    const { all, calls } = await solo("FORM", () => ({ value: { people: 3, day: "Monday" } }));
    expect(all("ask-start")).toMatchObject([
      { kind: "input", schema: { required: ["people", "day"] }, value: { people: 2 } },
    ]);
    expect(calls[0]).toMatchObject({ state: "ok", content: [{ text: "table for 3 on Monday" }] });
  });

  test("client-run tool", async () => {
    const { all, calls } = await solo("EXTERNAL", () => ({ value: "the map is shown" }));
    expect(all("ask-start")).toMatchObject([{ kind: "result", value: { city: "Paris" } }]);
    expect(calls[0]).toMatchObject({ state: "ok", content: [{ text: "the map is shown" }] });
  });

  test("provider error", async () => {
    const { end } = await solo("BROKEN");
    expect(end).toMatchObject({ outcome: "error", error: { message: "The scripted model refuses." } });
  });

  test("a workflow's steps", async () => {
    const { all, text } = await playStory(agno({ url: server.url, workflow: "flow" }), "TOOLS");
    expect(all("agent-start").map(({ name, task }) => [name, task])).toEqual([
      ["Looker", "look"],
      ["Writer-a", "write-a"],
      ["Writer-b", "write-b"],
    ]);
    expect(text()).toBe("Hello there, friend.");
  });

  test("a workflow's pauses: a tool of an agent, and a step", async () => {
    const { all, text, calls } = await playStory(agno({ url: server.url, workflow: "mailing" }), "APPROVE");
    expect(all("ask-start").map(({ kind, message }) => [kind, message])).toEqual([
      ["approval", undefined],
      ["confirmation", "Publish it?"],
    ]);
    expect(calls[0]).toMatchObject({ name: "send_mail", state: "ok" });
    expect(text()).toBe("published: The mail is sent.");
  });

  test("a thread is a session, which users do not share", async () => {
    const thread = "t1";
    await solo("HELLO", allow, { thread });
    const runsOf = async (session: string) => {
      const response = await fetch(`${server.url}/sessions/${session}/runs?type=agent`);
      return ((await response.json()) as unknown[]).length;
    };
    await solo("THINK", allow, { thread });
    await solo("THINK", allow, { thread, user: { id: "ada" } });
    expect(await runsOf(thread)).toBe(2);
    expect(await runsOf(encodeURIComponent(`ada:${thread}`))).toBe(1);
    const shared = agno({ url: server.url, agent: "solo", session: "thread" });
    await playStory(shared, "HELLO", allow, { thread: "t2", user: { id: "ada" } });
    const refused = playStory(shared, "HELLO", allow, { thread: "t2", user: { id: "bob" } });
    await expect(refused).rejects.toThrow("Session not found");
    expect(await runsOf("t2")).toBe(1);
  });

  test("a slow tool shows as executing, and cancel ends the run immediately", async () => {
    const { runner, run, until, ended } = await start(agent(), "SLOWTOOL");
    await until(({ type }) => type === "tool-execute");
    await runner.cancel(run);
    // The tool would work for longer than this test may take.
    const { end, calls } = await ended();
    expect(end.outcome).toBe("cancelled");
    expect(calls[0]!.state).toBe("cancelled");
  });

  test("cancel in the middle of the text, here and on the server", async () => {
    const { runner, run, until, ended } = await start(agent(), "SLOW");
    await until(({ type }) => type === "text-delta");
    await runner.cancel(run);
    const looked = await ended();
    expect(looked.end.outcome).toBe("cancelled");
    await expect.poll(async () => await expectStored(`${server.url}/agents/solo`, looked).then(() => true)).toBe(true);
  });

  test("cut and resume: nothing is lost and nothing appears twice", async () => {
    const whole = (await solo("TOOLS")).text();
    for (const cut of isLong ? [1, 500, 1500, 3000, 5000, 7000] : [1500, 5000]) {
      const proxy = await startCuttingProxy(server.port, (connection) => (connection === 0 ? cut : undefined));
      const looked = await playStory(agent("solo", proxy.url), "TOOLS");
      expect(proxy.passed[0]).toBe(cut);
      await expectStored(`${server.url}/agents/solo`, looked);
      expect(looked.text(), `cut after ${cut} bytes`).toBe(whole);
      expect(looked.all("tool-start")).toHaveLength(2);
      await proxy.close();
    }
  });

  test("without a database a run works, and a cut ends it", async () => {
    expect((await playStory(agent("forgetful"), "HELLO")).text()).toBe("Hello there, friend.");
    const proxy = await startCuttingProxy(server.port, (connection) => (connection === 1 ? 3000 : undefined));
    const { end } = await playStory(agent("forgetful", proxy.url), "SLOW");
    expect(end).toMatchObject({ outcome: "error", error: { code: "upstream-cut", retryable: true } });
    await proxy.close();
  });

  test("another process takes over the run in the middle of the text", async () => {
    const { log, run } = await takenOver(
      agent(),
      "SLOW",
      (event) => event.type === "text-delta" && event.delta.includes("going."),
    );
    await untilEnd(log, run);
    const looked = looking(await entriesOf(log, run));
    expect(looked.all("run-resume")).toHaveLength(1);
    expect(looked.text()).toBe("A very long answer that keeps going and going. ".repeat(20));
    expect(looked.end.outcome).toBe("done");
  });

  test("another process takes over the run while it waits for the user", async () => {
    const { log, run, runner } = await takenOver(agent(), "APPROVE", ({ type }) => type === "ask-start");
    const ask = (await entriesOf(log, run)).map(({ event }) => event).find((event) => event.type === "ask-start")!;
    await runner.answer(run, ask.ask, { allow: true });
    await untilEnd(log, run);
    const looked = looking(await entriesOf(log, run));
    await expectStored(`${server.url}/agents/solo`, looked);
    expect(looked.all("ask-start")).toHaveLength(1);
    expect(looked.calls).toMatchObject([{ name: "send_mail", state: "ok" }]);
    expect(looked.end.outcome).toBe("done");
  });

  test("a refusal by the server refuses the run", async () => {
    await expect(start(agent("nobody"), "HELLO")).rejects.toMatchObject({ message: "Agent not found", status: 404 });
  });

  // Must be last, because it kills the server.
  test("a server that dies ends the run with an error", async () => {
    const impatient = agno({ url: server.url, agent: "solo", retryMs: 200 });
    const { until, ended } = await start(impatient, "SLOW");
    await until(({ type }) => type === "text-delta");
    await server.kill();
    expect((await ended()).end).toMatchObject({ outcome: "error", error: { code: "upstream-cut", retryable: true } });
  });
});
