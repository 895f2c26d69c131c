import { expect, test } from "vitest";
import { z } from "zod";
import { createClient } from "../../src/client.ts";
import type { Source } from "../../src/source.ts";
import { agent } from "../../src/sources/agent.ts";
import { defineTool } from "../../src/tool.ts";
import { describeRun } from "../../src/view.ts";
import { type AssistantMessage, shownMessages } from "../../web/src/conversations/conversation.ts";
import { createConversations } from "../../web/src/conversations/conversations.ts";
import { memoryDatabase } from "../../web/src/conversations/databases/memory.ts";
import { countFinished } from "../../web/src/conversations/requests.ts";
import { playing, script } from "../drive.ts";
import { onStop, serve, until } from "../serving.ts";

const text = (words: string) => [{ type: "text" as const, text: words }];
const RESUME = "continue";
const fail = { fail: { status: 529, message: "overloaded" } };
const asked = { role: "user", content: [{ type: "text", text: RESUME }] };

/** The longest result that the page sends whole, in characters of several bytes. Too long for the log. */
const LONG = `${"“é🙂” ".repeat(80_659)}123456789`;

/** Counts its executions outside of the agent. */
const counting = (approval: "always" | "never" = "never") => {
  const runs: string[] = [];
  const tool = defineTool({
    name: "count",
    description: "",
    input: z.object({ of: z.string() }),
    approval,
    run: ({ of }) => {
      runs.push(of);
      return of === "long" ? LONG : `${of} “é🙂”`;
    },
  });
  return { tool, runs };
};

/** A conversation as the page has it. */
const talk = async (source: Source) => {
  const { url } = await serve(source);
  const client = createClient({ url });
  const tab = createConversations({ client, database: memoryDatabase() });
  const { id } = await tab.send(undefined, { content: text("go"), settings: {} });
  const last = () => shownMessages(tab.get(id)!).at(-1) as AssistantMessage;
  /** Follows the last answer to its end. */
  const end = async (onAsk?: (ask: string) => Promise<void>) => {
    onStop(tab.open(id));
    await until(() => tab.get(id) !== undefined);
    const { run } = last();
    onStop(tab.runs.open(run, tab.follow(id, last())));
    const asks = () => [...tab.runs.get(run)!.state.nodes.values()].filter(({ kind }) => kind === "ask");
    if (onAsk) {
      await until(() => asks().length > 0);
      await onAsk(asks()[0]!.id);
    }
    await until(() => last().output !== undefined);
    return { state: tab.runs.get(run)!.state, asks: asks() };
  };
  const resume = async () => {
    const keeps = countFinished(await tab.entries(last().run));
    await tab.send(id, { content: text(RESUME), settings: {}, keeps });
  };
  return { client, tab, id, last, end, resume };
};

test("continuing sends what the failed step was asked, byte for byte, and nothing of that step", async () => {
  expect(Buffer.byteLength(LONG)).toBe(1024 * 1024);
  const { tool, runs } = counting();
  const { model, requests } = playing(
    script(
      "go",
      [
        { think: "hm" },
        { say: "I count. " },
        { call: "count", input: { of: "ä" }, id: "provider-1" },
        { call: "count", input: { of: "long" }, id: "provider-2" },
      ],
      [{ say: "Half a sen" }, { call: "count", input: { of: "never" }, id: "provider-3" }, fail],
    ),
    script(RESUME, [{ say: "Done." }]),
    script("more", [{ say: "Sure." }]),
  );
  // The agent would otherwise shorten the result for its model.
  const source = agent({ name: "test", model, tools: [tool], maxResultLength: LONG.length });
  const { tab, id, end, resume, last } = await talk(source);
  expect(describeRun((await end()).state).resume).toBe("Continue from the failed step");
  await resume();
  expect((await end()).state.outcome).toBe("done");
  expect(runs).toEqual(["ä", "long"]);
  const [, failed, resumed] = requests;
  expect(resumed!.prompt).toEqual([...failed!.prompt, asked]);
  expect(JSON.stringify(resumed!.prompt)).toContain('"toolCallId":"provider-2"');
  expect(JSON.stringify(resumed!.prompt)).toContain(LONG);

  // A retry of that answer, and the next message, also do without the step that failed.
  await tab.rerun(id, last());
  await end();
  expect(requests[3]!.prompt).toEqual(resumed!.prompt);
  await tab.send(id, { content: text("more"), settings: {} });
  await end();
  expect(requests[4]!.prompt.slice(0, resumed!.prompt.length)).toEqual(resumed!.prompt);
});

test("a sub-agent that failed counts as a result, and is not started again", async () => {
  const { tool, runs } = counting();
  const { model, requests } = playing(
    script("go", [{ call: "task", input: { agent: "sub", task: "dig" }, id: "t" }], [fail]),
    script("dig", [{ call: "count", input: { of: "dug" } }], [{ fail: { status: 400, message: "no" } }]),
    script(RESUME, [{ say: "Done." }]),
  );
  const sub = { description: "digs", tools: [tool] };
  const { end, resume } = await talk(agent({ name: "test", model, agents: { sub }, maxAttempts: 1 }));
  expect((await end()).state.outcome).toBe("error");
  await resume();
  const { state } = await end();
  expect(state.outcome).toBe("done");
  expect([...state.nodes.values()].filter(({ kind }) => kind === "agent" || kind === "call")).toEqual([]);
  expect(runs).toEqual(["dug"]);
  const failed = requests.at(-2)!.prompt;
  expect(failed.at(-1)).toMatchObject({ role: "tool", content: [{ toolCallId: "t", output: { type: "error-text" } }] });
  expect(requests.at(-1)!.prompt).toEqual([...failed, asked]);
});

test("an approval that was answered is not asked for again", async () => {
  const { tool, runs } = counting("always");
  const { model, requests } = playing(
    script("go", [{ call: "count", input: { of: "a" }, id: "p" }], [{ say: "So" }, fail]),
    script(RESUME, [{ say: "Done." }]),
  );
  const { client, end, resume, last } = await talk(agent({ name: "test", model, tools: [tool] }));
  await end((ask) => client.answer(last().run, ask, { allow: true, input: { of: "b" } }));
  await resume();
  const { state, asks } = await end();
  expect(state.outcome).toBe("done");
  expect(asks).toEqual([]);
  expect(runs).toEqual(["b"]);
  expect(requests.at(-1)!.prompt).toEqual([...requests.at(-2)!.prompt, asked]);
});

test("a run that the user stopped during a call continues with what is known of that call", async () => {
  const started = Promise.withResolvers<void>();
  const wait = defineTool({
    name: "wait",
    description: "",
    input: z.object({}),
    run: async (_, { signal }) => {
      started.resolve();
      await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    },
  });
  const { tool, runs } = counting();
  const { model, requests } = playing(
    script("go", [
      { call: "count", input: { of: "a" }, id: "one" },
      { call: "wait", id: "two" },
    ]),
    script(RESUME, [{ say: "Done." }]),
  );
  const { client, end, resume, last } = await talk(agent({ name: "test", model, tools: [tool, wait] }));
  const ended = end();
  await started.promise;
  await until(() => runs.length === 1);
  await client.cancel(last().run);
  expect(describeRun((await ended).state).resume).toBe("Continue where it stopped");
  await resume();
  expect((await end()).state.outcome).toBe("done");
  expect(runs).toEqual(["a"]);
  expect(requests.at(-1)!.prompt.slice(-2)).toMatchObject([
    { role: "tool", content: [{ toolCallId: "one" }, { toolCallId: "two", output: { type: "error-text" } }] },
    asked,
  ]);
});
