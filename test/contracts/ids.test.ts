import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Dialect } from "../../src/dialect.ts";
import type { Entry, Event, Message } from "../../src/events.ts";
import { agent } from "../../src/sources/agent.ts";
import { http } from "../../src/sources/http.ts";
import type { Source } from "../../src/source.ts";
import { frameText } from "../../src/sse.ts";
import { createAnswer } from "../../src/state.ts";
import { defineTool } from "../../src/tool.ts";
import { playing, script, user } from "../drive.ts";
import { entriesOf, setUp, untilEnd } from "../running.ts";
import { startScriptedServer } from "../scripted-server.ts";
import { onStop } from "../serving.ts";
import { dialects } from "./dialect-variants.ts";

const link = () => "https://example.org/file";

const idsOf = (events: readonly Event[]): string[] =>
  events.flatMap((event) =>
    event.type === "tool-start" ? [event.call] : event.type === "ask-start" ? [event.ask] : [],
  );

/** Plays a source to its end and allows every ask. */
const run = async (source: Source, messages: readonly Message[]): Promise<readonly Entry[]> => {
  const { runner, log } = setUp();
  const asked = new Set<string>();
  const { run: id } = await runner.start({ messages: [...messages] }, { name: "test", source });
  const look = async (): Promise<void> => {
    for (const { event } of await entriesOf(log, id))
      if (event.type === "ask-start" && !asked.has(event.ask)) {
        asked.add(event.ask);
        await runner.answer(id, event.ask, { allow: true });
      }
  };
  const stop = log.watch(id, () => void look());
  await look();
  await untilEnd(log, id);
  stop();
  return await entriesOf(log, id);
};

/** A conversation of two runs, as a client stores it: the second request contains all output of the first. */
const conversation = async (source: Source, forget = false) => {
  const first = await run(source, [user("go")]);
  const answer = createAnswer();
  for (const entry of first) answer.take(entry);
  const history = answer.messages().map((message) => (forget ? withoutMeta(message) : message));
  return [first, await run(source, [user("go"), ...history, user("go")])] as const;
};

const withoutMeta = (message: Message): Message =>
  JSON.parse(JSON.stringify(message, (key, value) => (key === "meta" ? undefined : value)));

/** A model that reuses the same call ids in every answer, and a tool that needs approval. */
const repeating = () => {
  const call = { call: "pay", input: { amount: 1 }, id: "call_0" };
  const { model, requests } = playing(script("go", [call], [call], [{ say: "done" }]));
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    input: z.object({ amount: z.number() }),
    approval: "always",
    run: () => "paid",
  });
  return { source: agent({ name: "test", model, tools: [pay] }), requests };
};

describe("two runs of one conversation share no call id and no ask id", () => {
  test.each(dialects.map((dialect) => [dialect.name, dialect] as const))("as %s stores them", async (_, dialect) => {
    const logs = await conversation(repeating().source);
    const ids = logs.flatMap((entries) => {
      const decode = dialect.decode();
      const encode = dialect.encode({ extensions: true, link });
      const found = idsOf(entries.flatMap((entry) => encode(entry).flatMap((frame) => [...decode(frame)])));
      expect(found).toHaveLength(4);
      // Encoders change no id.
      expect(found).toEqual(idsOf(entries.map(({ event }) => event)));
      return found;
    });
    expect(new Set(ids).size).toBe(8);
  });

  test.each(dialects.map((dialect) => [dialect.name, dialect] as const))(
    "of a server that uses %s and repeats its ids",
    async (_, dialect) => {
      const server = await startScriptedServer((response) =>
        response.writeHead(200, { "content-type": dialect.contentType }).end(wordsOf(dialect)),
      );
      onStop(server.close);
      const source = http({ dialect, url: server.url });
      const logs = [await run(source, [user("go")]), await run(source, [user("go")])];
      const ids = logs.map((entries) => idsOf(entries.map(({ event }) => event)));
      expect(ids[0]!.length).toBeGreaterThan(0);
      expect(ids[0]).toHaveLength(ids[1]!.length);
      expect(new Set(ids.flat()).size).toBe(ids.flat().length);
    },
  );
});

/** A run with one call of the agent and one for the client, encoded by the dialect. */
const wordsOf = (dialect: Dialect): string => {
  const events: Event[] = [
    { type: "run-start", protocol: 2, run: "same", name: "test" },
    { type: "step-start", step: "s" },
    { type: "tool-start", call: "call_0", name: "look" },
    { type: "tool-input-end", call: "call_0", input: { a: 1 } },
    { type: "tool-start", call: "call_1", name: "show", client: true },
    { type: "tool-input-end", call: "call_1", input: { b: 1 } },
    { type: "step-end", step: "s", finish: "tools" },
    { type: "tool-execute", call: "call_0" },
    { type: "tool-end", call: "call_0", outcome: "ok", content: [{ type: "text", text: "seen" }] },
    { type: "tool-end", call: "call_1", outcome: "deferred" },
    { type: "run-end", outcome: "done", awaiting: ["call_1"] },
  ];
  const encode = dialect.encode({ link });
  return events
    .flatMap((event, index) => [...encode({ seq: index + 1, at: 1_700_000_000_000 + index, event })])
    .map(frameText)
    .join("");
};

describe("in the model's prompt", () => {
  test.each([false, true])("calls and results match, whether or not a client drops meta: %j", async (forget) => {
    const { source, requests } = repeating();
    await conversation(source, forget);
    for (const { prompt } of requests) {
      const parts = prompt.flatMap(({ content }) => (typeof content === "string" ? [] : [...content]));
      const of = (type: string) =>
        parts.flatMap((part) => (part.type === type && "toolCallId" in part ? [part.toolCallId] : []));
      expect(of("tool-result")).toEqual(of("tool-call"));
      expect(new Set(of("tool-call")).size).toBe(of("tool-call").length);
      for (const id of of("tool-call")) expect(id).toMatch(/^[\w-]{1,64}$/);
    }
    // The model gets its own id back if it identifies exactly one call.
    const ids = JSON.stringify(requests.at(-1)!.prompt);
    if (!forget) expect(ids).toContain('"toolCallId":"call_0"');
  });

  test("an id that no provider would accept is replaced, in the call and in its result", async () => {
    const { source, requests } = repeating();
    const call = `${"long ".repeat(40)}~2`;
    await run(source, [
      user("before"),
      { role: "assistant", content: [{ type: "call", call, name: "pay", input: {} }] },
      { role: "tool", content: [{ type: "result", call, content: [{ type: "text", text: "ok" }] }] },
      user("go"),
    ]);
    const [, asked, answered] = requests[0]!.prompt;
    const [id] = (asked!.content as { toolCallId: string }[]).map(({ toolCallId }) => toolCallId);
    expect(id).toMatch(/^[\w-]{1,64}$/);
    expect(answered!.content).toMatchObject([{ toolCallId: id }]);
  });
});
