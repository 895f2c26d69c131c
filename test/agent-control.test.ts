import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Answer } from "../src/events.ts";
import { type AgentOptions, agent } from "../src/sources/agent.ts";
import { type Tool, type ToolContext, defineTool } from "../src/tool.ts";
import { drive, playing, script, toolResults } from "./drive.ts";

const empty = z.object({});
const done = [{ say: "done" }];
const tool = (name: string, run: (context: ToolContext) => unknown, more: Partial<Tool> = {}): Tool =>
  ({ ...defineTool({ name, description: "", input: empty, run: (_, context) => run(context) }), ...more }) as Tool;
/** Runs until its signal aborts. */
const obedient = tool(
  "obedient",
  ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
);

describe("approvals", () => {
  const pay = defineTool({
    name: "pay",
    description: "",
    input: z.object({ amount: z.number() }),
    approval: ({ amount }) => (amount > 10 ? "always" : "never"),
    run: ({ amount }) => `paid ${amount}`,
  });
  const asking = (answer: Answer | "expired", options: Partial<AgentOptions> = {}) => {
    const { model, requests } = playing(script("go", [{ call: "pay", input: { amount: 50 }, id: "pay" }], done));
    const source = agent({ name: "test", model, tools: [pay], ...options });
    const run = drive(source, "go", (event, { answer: give }) => {
      if (event.type === "ask-start") give(event.ask, answer);
    });
    return run.then((driven) => ({ ...driven, toolResults: toolResults(requests[1]) }));
  };

  test("an allowed call executes after the answer", async () => {
    const run = await asking({ allow: true });
    expect(run.all("ask-start")[0]).toMatchObject({
      kind: "approval",
      call: "pay",
      value: { amount: 50 },
      allows: ["edit", "always", "reason"],
    });
    const order = run.events.map(({ type }) => type).filter((type) => /^(ask|tool-execute|tool-end)/.test(type));
    expect(order).toEqual(["ask-start", "ask-end", "tool-execute", "tool-end"]);
    expect(run.toolResults).toEqual([["pay", "text", "paid 50"]]);
  });

  test("edited arguments are executed, and the model sees them as its own", async () => {
    const run = await asking({ allow: true, input: { amount: 20 } });
    expect(run.all("tool-execute")).toEqual([{ type: "tool-execute", call: "pay", input: { amount: 20 } }]);
    expect(run.toolResults).toEqual([["pay", "text", "paid 20"]]);
  });

  test.each([
    ["denied", { allow: false, reason: "too much" } as Answer, "denied", /too much/],
    ["expired", "expired" as const, "denied", /in time/],
    [
      "edited into invalid arguments",
      { allow: true, input: { amount: "x" } } as Answer,
      "error",
      /do not match its schema/,
    ],
  ])("a call that is %s never executes", async (_, answer, outcome, message) => {
    const run = await asking(answer, { approvalExpiresMs: 1000 });
    expect(run.all("ask-start")[0]?.expires).toBeGreaterThan(Date.now() - 1000);
    expect(run.all("tool-execute")).toEqual([]);
    expect(run.all("tool-end")[0]).toMatchObject({ outcome, error: { message: expect.stringMatching(message) } });
    expect(run.toolResults[0]?.[1]).toBe("error-text");
  });

  test("a tool needs approval depending on its input, and none once it is always allowed", async () => {
    const call = (amount: number) => [{ call: "pay", input: { amount } }];
    const { model } = playing(script("go", call(5), call(50), call(60), done));
    const run = await drive(agent({ name: "test", model, tools: [pay] }), "go", (event, { answer }) => {
      if (event.type === "ask-start") answer(event.ask, { allow: true, always: true });
    });
    expect(run.all("ask-start").map(({ value }) => value)).toEqual([{ amount: 50 }]);
    expect(run.all("tool-end").map(({ outcome }) => outcome)).toEqual(["ok", "ok", "ok"]);
  });

  test("can be answered in any order, even inside sub-agents", async () => {
    const names = ["a", "b", "c"];
    const { model } = playing(
      script(
        "go",
        [
          { call: "pay", input: { amount: 11 } },
          ...names.map((task) => ({ call: "task", input: { agent: "payer", task } })),
        ],
        done,
      ),
      ...names.map((name, index) =>
        script(name, [{ call: "pay", input: { amount: 100 + index } }], ({ results }) => [
          { say: results[0]?.text ?? "" },
        ]),
      ),
    );
    const source = agent({ name: "test", model, tools: [pay], agents: { payer: { tools: [pay] } } });
    const asks: string[] = [];
    const run = await drive(source, "go", (event, { answer }) => {
      if (event.type !== "ask-start") return;
      asks.push(event.ask);
      if (asks.length === 4)
        for (const [index, ask] of asks.toReversed().entries()) answer(ask, { allow: index % 2 === 0 });
    });
    expect(run.all("ask-end").map(({ ask }) => ask)).toEqual(asks.toReversed());
    for (const { call, ask } of run.all("ask-start")) {
      const allowed = run.all("ask-end").find((end) => end.ask === ask)?.answer?.allow;
      expect(run.all("tool-end").find((end) => end.call === call)?.outcome).toBe(allowed ? "ok" : "denied");
    }
    expect(run.all("agent-end").map(({ outcome }) => outcome)).toEqual(["done", "done", "done"]);
  });
});

describe("sub-agents", () => {
  test("nest, run in parallel, and end before the call that started them", async () => {
    const { model, requests } = playing(
      script(
        "go",
        [
          { call: "task", input: { agent: "outer", task: "x" } },
          { call: "task", input: { agent: "outer", task: "y" } },
        ],
        done,
      ),
      ...["x", "y"].map((task) =>
        script(task, [{ call: "task", input: { agent: "inner", task: `${task} inside` } }], ({ results }) => [
          { say: `${results[0]?.text} out` },
        ]),
      ),
      ...["x", "y"].map((task) => script(`${task} inside`, [{ say: `${task} in` }])),
    );
    const outer = { description: "out", agents: { inner: { description: "in" } } };
    const run = await drive(agent({ name: "test", model, agents: { outer } }), "go");
    const starts = run.all("agent-start");
    expect(starts.map(({ name, parent }) => [name, parent])).toEqual([
      ["outer", undefined],
      ["outer", undefined],
      ["inner", "outer-1"],
      ["inner", "outer-2"],
    ]);
    for (const { agent: id, call } of starts) {
      const ends = run.events.findIndex((event) => event.type === "agent-end" && event.agent === id);
      expect(ends).toBeLessThan(run.events.findIndex((event) => event.type === "tool-end" && event.call === call));
    }
    expect(toolResults(requests.at(-1))).toEqual([
      ["task", "text", "x in out"],
      ["task", "text", "y in out"],
    ]);
  });

  test("a failed sub-agent is an error of its call, and the run continues", async () => {
    const { model } = playing(
      script("go", [{ call: "task", input: { agent: "sub", task: "break" } }], done),
      script("break", [{ say: "half" }, { fail: { status: 400, message: "bad request" } }]),
    );
    const run = await drive(agent({ name: "test", model, agents: { sub: {} } }), "go");
    expect(run.all("agent-end")[0]).toMatchObject({ outcome: "error", error: { message: "bad request" } });
    expect(run.all("tool-end")[0]).toMatchObject({ outcome: "error", error: { message: "bad request" } });
    expect(run.text()).toBe("done");
  });
});

describe("cancel", () => {
  test("cancelling the run ends everything from the inside out", async () => {
    const { model } = playing(
      script("go", [{ call: "obedient" }, { call: "task", input: { agent: "sub", task: "wait" } }], done),
      script("wait", [{ call: "obedient" }, { call: "asks" }], done),
    );
    const asks = tool("asks", (context) => context.confirm({ title: "Sure?" }));
    const source = agent({ name: "test", model, tools: [obedient], agents: { sub: { tools: [obedient, asks] } } });
    const run = await drive(source, "go", (event, { cancelRun }) => {
      if (event.type === "ask-start") cancelRun();
    });
    expect(run.all("tool-end").map(({ outcome }) => outcome)).toEqual(Array(4).fill("cancelled"));
    expect(run.all("agent-end").map(({ outcome }) => outcome)).toEqual(["cancelled"]);
    expect(run.all("run-end")).toEqual([]);
    expect(run.error).toBeUndefined();
  });

  test("cancelling the run in the middle of a text cuts the part and ends the step", async () => {
    const { model } = playing(script("go", [{ say: "word ".repeat(5000) }]));
    const run = await drive(agent({ name: "test", model }), "go", (event, { cancelRun, events }) => {
      if (event.type === "text-delta" && events.length === 10) cancelRun();
    });
    expect(run.events.slice(-2)).toMatchObject([
      { type: "text-end", cut: true },
      { type: "step-end", finish: "cancelled" },
    ]);
  });

  test("cancelling one call does not affect the others, and the model sees the cancel", async () => {
    const other = Promise.withResolvers<string>();
    const { model, requests } = playing(
      script(
        "go",
        [
          { call: "obedient", id: "stopped" },
          { call: "other", id: "other" },
        ],
        done,
      ),
    );
    const source = agent({ name: "test", model, tools: [obedient, tool("other", () => other.promise)] });
    const run = await drive(source, "go", (event, { cancel }) => {
      if (event.type === "tool-execute" && event.call === "other") cancel("call", "stopped");
      if (event.type === "tool-end") other.resolve("fine");
    });
    expect(run.all("tool-end").map(({ call, outcome }) => [call, outcome])).toEqual([
      ["stopped", "cancelled"],
      ["other", "ok"],
    ]);
    expect(toolResults(requests[1])).toEqual([
      ["obedient", "error-text", "The call was cancelled."],
      ["other", "text", "fine"],
    ]);
  });

  test("cancelling one sub-agent ends it with its call, and the other continues", async () => {
    const { model } = playing(
      script(
        "go",
        [
          { call: "task", input: { agent: "sub", task: "wait" } },
          { call: "task", input: { agent: "sub", task: "quick" } },
        ],
        done,
      ),
      script("wait", [{ call: "obedient" }], done),
      script("quick", [{ say: "quick" }]),
    );
    const run = await drive(
      agent({ name: "test", model, agents: { sub: { tools: [obedient] } } }),
      "go",
      (event, { cancel }) => {
        if (event.type === "tool-execute" && event.agent) cancel("agent", event.agent);
      },
    );
    expect(
      run
        .all("agent-end")
        .map(({ outcome }) => outcome)
        .toSorted(),
    ).toEqual(["cancelled", "done"]);
    expect(
      run
        .all("tool-end")
        .filter((event) => !event.agent)
        .map(({ outcome }) => outcome)
        .toSorted(),
    ).toEqual(["cancelled", "ok"]);
    expect(run.text()).toBe("done");
  });

  test.each([true, false])("cancelling a call before its approval (runner ends the ask: %s)", async (closesAsks) => {
    const { model } = playing(script("go", [{ call: "guarded", id: "guarded" }], done));
    const source = agent({ name: "test", model, tools: [tool("guarded", () => "ran", { approval: "always" })] });
    const stop = (event: { type: string }, { cancel }: { cancel(kind: "call", id: string): void }) => {
      if (event.type === "ask-start") cancel("call", "guarded");
    };
    const run = await drive(source, "go", stop, { closesAsks });
    expect(run.all("ask-end")[0]?.outcome).toBe("cancelled");
    expect(run.all("tool-end")[0]?.outcome).toBe("cancelled");
    expect(run.all("tool-execute")).toEqual([]);
  });

  test("a tool can cancel the run, which ends as cancelled", async () => {
    const { model } = playing(script("go", [{ call: "quits" }], done));
    const run = await drive(
      agent({ name: "test", model, tools: [tool("quits", ({ cancel }) => cancel("enough"))] }),
      "go",
    );
    expect(run.events.at(-1)).toEqual({
      type: "run-end",
      outcome: "cancelled",
      error: { code: "cancelled", message: "enough" },
    });
  });

  test("a tool that ignores the cancel is abandoned, and its later output is dropped", async () => {
    const held = Promise.withResolvers<ToolContext>();
    const finish = Promise.withResolvers<string>();
    const deaf = tool("deaf", (context) => (held.resolve(context), context.say("so far"), finish.promise));
    const { model } = playing(script("go", [{ call: "deaf", id: "deaf" }], done));
    const run = await drive(agent({ name: "test", model, tools: [deaf] }), "go", async (event, { cancel }) => {
      if (event.type === "text-delta" && event.delta === "so far") cancel("call", "deaf");
      if (event.type !== "tool-end") return;
      const context = await held.promise;
      for (const late of [context.status, context.output, context.notify]) late("late");
      context.progress({ note: "late" });
      context.say("late").end();
      await context.file({ name: "late", bytes: "late" });
      expect(await context.confirm({ title: "late" })).toBe(false);
      expect(await context.agent({ task: "late" })).toMatchObject({ outcome: "cancelled" });
      context.cancel("late");
      finish.resolve("late");
    });
    expect(run.all("tool-end")).toMatchObject([{ outcome: "cancelled" }]);
    expect(run.all("text-end")[0]?.cut).toBe(true);
    expect(JSON.stringify(run.events)).not.toContain("late");
    expect(run.files.size).toBe(0);
    expect(run.text()).toBe("so fardone");
  });

  test("a reader that leaves stops the work", async () => {
    const stopped = Promise.withResolvers<void>();
    const { model } = playing(script("go", [{ call: "waits" }], done));
    const waits = tool(
      "waits",
      ({ signal, status }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => (stopped.resolve(), reject(signal.reason)));
          status("waiting");
        }),
    );
    const events = agent({ name: "test", model, tools: [waits] })(
      { messages: [{ role: "user", content: [{ type: "text", text: "go" }] }] },
      {
        run: "run",
        agent: "test",
        signal: new AbortController().signal,
        signalOf: () => new AbortController().signal,
        answerTo: () => Promise.reject(),
        isRevoked: () => false,
        stored: () => Promise.resolve(),
        put: () => Promise.reject(),
        get: () => Promise.reject(),
      },
    );
    for await (const { type } of events) if (type === "status") break;
    await stopped.promise;
  });
});

describe("timeouts", () => {
  test("end a call, by the tool's own limit before the agent's, and the model sees the timeout", async () => {
    const { model, requests } = playing(script("go", [{ call: "obedient" }, { call: "own" }], done));
    const own = { ...obedient, name: "own", timeoutMs: 5 };
    const run = await drive(agent({ name: "test", model, tools: [obedient, own], toolTimeoutMs: 20 }), "go");
    expect(run.all("tool-end").map(({ outcome }) => outcome)).toEqual(["timeout", "timeout"]);
    expect(toolResults(requests[1]).map(([, , text]) => text)).toEqual(Array(2).fill("The call timed out."));
  });

  test("exclude the time a user takes to answer", async () => {
    const { model } = playing(script("go", [{ call: "asks" }], done));
    const asks = tool("asks", ({ ask }) => ask({ title: "Which?" }), { timeoutMs: 100 });
    const run = await drive(agent({ name: "test", model, tools: [asks] }), "go", async (event, { answer }) => {
      if (event.type !== "ask-start") return;
      await new Promise((resolve) => setTimeout(resolve, 250));
      answer(event.ask, { value: "this" });
    });
    expect(run.all("tool-end")[0]).toMatchObject({ outcome: "ok", content: [{ type: "text", text: "this" }] });
  });
});
