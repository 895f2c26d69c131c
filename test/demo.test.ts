import { describe, expect, test } from "vitest";
import { z } from "zod";
import { demo, demoAgent, demoStories, demoTools } from "../src/models/demo.ts";
import { type Driving, drive, user } from "./drive.ts";
import type { Event } from "../src/events.ts";
import { agent } from "../src/sources/agent.ts";
import { type ToolContext, defineTool } from "../src/tool.ts";

const source = demoAgent({ speed: Infinity });
const allow = (event: Event, { answer }: Driving) => {
  if (event.type === "ask-start") answer(event.ask, { allow: true, value: "docs" });
};
const play = (name: string, on = allow) =>
  drive(source, demoStories.find((story) => story.name === name)?.message ?? name, on);

describe("every story", () => {
  test.each(demoStories.map(({ name }) => name))("%s is a grammatical run that ends with text", async (name) => {
    const run = await play(name);
    expect(run.error).toBeUndefined();
    expect(run.events.at(-1)).toMatchObject({ type: "step-end", finish: "stop" });
    expect(run.text().length).toBeGreaterThan(20);
    expect(run.all("run-start")[0]?.model).toContain("scripted");
  });

  test("has its own message and is triggered by it, not by chance", async () => {
    expect(new Set(demoStories.map(({ message }) => message)).size).toBe(demoStories.length);
    const shapes = await Promise.all(demoStories.map(async ({ name }) => (await play(name)).text()));
    expect(new Set(shapes).size).toBe(demoStories.length);
  });

  test("is deterministic, including its ids", async () => {
    const shape = async () =>
      (await play("sub-agents"))
        .all("tool-start")
        .map(({ call }) => call)
        .toSorted();
    expect(await shape()).toEqual(await shape());
  });
});

test("any other message gets thinking, text, parallel tools, a failed one, a sub-agent and an answer that names it", async () => {
  const run = await play("How is my cat?");
  expect(run.all("thinking-start").length).toBeGreaterThan(0);
  expect(run.all("agent-start")).toHaveLength(1);
  const [first, second] = run
    .all("step-end")
    .filter((event) => !event.agent)
    .map((event) => run.events.indexOf(event));
  const parallel = run.events.slice(first, second).filter(({ type, agent }) => type === "tool-execute" && !agent);
  expect(parallel).toHaveLength(2);
  expect(run.all("tool-end").filter(({ outcome }) => outcome === "error")).toMatchObject([
    { error: { code: "no-network" } },
  ]);
  expect(run.text()).toContain("How is my cat?");
  expect(run.text()).toContain("scripted demo");
});

describe("stories show what they describe", () => {
  test("three parallel sub-agents, and three nested ones", async () => {
    expect((await play("sub-agents")).all("agent-start").map(({ parent }) => parent)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect((await play("nested")).all("agent-start").map(({ name, parent }) => [name, parent])).toEqual([
      ["researcher", undefined],
      ["reader", "researcher-1"],
      ["summarizer", "reader-1"],
    ]);
  });

  test("an approval with edits, and a denial", async () => {
    const edited = await play("approval", (event, { answer }) => {
      if (event.type !== "ask-start") return;
      answer(event.ask, { allow: true, input: { ...(event.value as object), to: "mara@lantern.example" } });
    });
    expect(edited.text()).toContain("mara@lantern.example");
    expect(edited.all("file")).toMatchObject([{ name: "report.md" }]);
    const denied = await play("approval", (event, { answer }) => {
      if (event.type === "ask-start") answer(event.ask, { allow: false, reason: "not yet" });
    });
    expect(denied.text()).toContain("Nothing was sent");
    expect(denied.all("file")).toEqual([]);
  });

  test("a question, a retry, a provider-run tool and live output", async () => {
    expect((await play("question")).text()).toContain("docs");
    expect((await play("retry")).all("step-retry")).toHaveLength(1);
    expect((await play("provider-run tool")).all("tool-start")).toMatchObject([{ provider: true }]);
    const long = await play("long");
    expect(new Set(long.all("tool-output-delta").map(({ stream }) => stream))).toEqual(new Set(["stdout", "stderr"]));
    expect(long.all("tool-progress").at(-1)?.fraction).toBe(1);
  });

  test("a client-run tool, and the answer after its result", async () => {
    const tools = [{ name: "locate", schema: { type: "object", properties: { city: { type: "string" } } } }];
    const message = user("Use a client-run tool");
    const first = await drive(source, { messages: [message], tools });
    const [call] = first.all("run-end")[0]?.awaiting ?? [];
    expect(first.all("tool-end")).toMatchObject([{ call, outcome: "deferred" }]);
    const second = await drive(source, {
      tools,
      messages: [
        message,
        {
          role: "assistant",
          content: [{ type: "call", call: call ?? "", name: "locate", input: { city: "Lantern" } }],
        },
        { role: "tool", content: [{ type: "result", call: call ?? "", content: [{ type: "text", text: "Lisbon" }] }] },
      ],
    });
    expect(second.text()).toBe("Your client answered: Lisbon");
  });

  test("a slow call that can be stopped", async () => {
    const slow = demoAgent({ speed: 100 });
    const run = await drive(slow, "Start something slow that I can stop", (event, { cancel }) => {
      if (event.type === "tool-progress") cancel("call", event.call);
    });
    expect(run.all("tool-end")).toMatchObject([{ outcome: "cancelled" }]);
    expect(run.text()).toContain("Stopped.");
  });
});

test("the model also answers without streaming, and states that it is scripted", async () => {
  const model = demo({ speed: Infinity });
  expect(model).toMatchObject({ provider: "demo", modelId: "demo (scripted)" });
  const { content, finishReason } = await model.doGenerate({
    prompt: [{ role: "user", content: [{ type: "text", text: "Just answer" }] }],
  });
  expect(content).toMatchObject([{ type: "text", text: expect.stringContaining("scripted demo") }]);
  expect(finishReason.unified).toBe("stop");
});

describe("for any other agent", () => {
  const rollDice = defineTool({
    name: "roll_dice",
    description: "",
    input: z.object({ count: z.number().int().min(1).max(10) }),
    run: ({ count }) => `${count} dice rolled`,
  });
  const dice = agent({ name: "dice", model: demo({ speed: Infinity }), tools: [rollDice] });

  test("states that it has no script, and describes nothing that did not happen", async () => {
    const { text } = await drive(dice, "hello");
    expect(text()).toContain("no script for this agent");
    expect(text()).toContain("Use roll_dice");
    expect(text()).not.toContain("Lantern");
  });

  const helper = agent({
    name: "helper",
    model: demo({ speed: Infinity }),
    agents: { writer: { description: "writes" } },
    tools: [
      rollDice,
      { ...rollDice, name: "calculate" },
      defineTool({ name: "search_notes", description: "", input: z.object({ query: z.string() }), run: () => "" }),
    ],
  });
  test.each(demoStories.map(({ name, message }) => [name, message]))(
    "plays %s only with the tools of its script",
    async (name, message) => {
      for (const source of [dice, helper]) {
        const run = await drive(source, {
          messages: [user(message)],
          settings: source === dice ? { tools: false } : {},
        });
        const called = run.all("tool-start").filter(({ provider }) => !provider);
        expect(called).toHaveLength(0);
        if (name !== "retry") expect(run.all("step-start")).toHaveLength(1);
        if (!NEEDS_NO_TOOLS.includes(name)) expect(run.text()).toMatch(/no tool ran|I called none/);
      }
    },
  );

  test("calls the tool that the message names", async () => {
    const run = await drive(dice, "Use roll_dice");
    expect(run.all("tool-end")).toMatchObject([{ outcome: "ok" }]);
    expect(run.text()).toContain("The tool returned: 3 dice rolled");
  });
});

/** Stories whose text is correct for any agent, because they need none of its tools. */
const NEEDS_NO_TOOLS = ["provider-run tool", "retry", "thinking", "markdown", "answer"];

test("speed sets the pace", async () => {
  const timed = async (speed: number) => {
    const started = performance.now();
    await drive(demoAgent({ speed }), "Just answer");
    return performance.now() - started;
  };
  expect(await timed(20)).toBeGreaterThan(40);
});

test("the calculator calculates, and rejects unknown syntax", async () => {
  const calculate = demoTools({ speed: Infinity }).find(({ name }) => name === "calculate");
  const value = (expression: string) =>
    Promise.resolve(calculate?.run({ expression }, { signal: new AbortController().signal } as ToolContext));
  expect(await value("2 + 3 * (4 - 1) ^ 2 / -3")).toMatchObject({ result: -7 });
  expect(await value("10 % 4 - 1.5")).toMatchObject({ result: 0.5 });
  for (const wrong of ["", "2 +", "(1", "process.exit()", "1 2"]) {
    await expect(value(wrong)).rejects.toThrow(SyntaxError);
  }
});
