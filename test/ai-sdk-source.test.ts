import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type ModelMessage, type UIMessage, createAgentUIStreamResponse, streamText } from "ai";
import { describe, expect, test } from "vitest";
import { aiSdk as dialect } from "../src/dialects/ai-sdk.ts";
import type { Answer, Event, EventOf, EventType } from "../src/events.ts";
import { demo } from "../src/models/demo.ts";
import { Refusal, type Source } from "../src/source.ts";
import { type AiSdkCall, aiSdk } from "../src/sources/ai-sdk.ts";
import { http } from "../src/sources/http.ts";
import { createState, fold } from "../src/state.ts";
import { verify } from "../src/verify.ts";
import { LONG, scriptedAgent } from "./ai-sdk-agent.ts";
import { keptInMessage, keptInMessages, keptInRun } from "./ai-sdk-stored.ts";
import { script } from "./drive.ts";
import { entriesOf, setUp, untilEnd, untilEvent } from "./running.ts";
import { onStop } from "./serving.ts";

const asked = (text: string) => ({ messages: [{ role: "user" as const, content: [{ type: "text" as const, text }] }] });

/** Plays the story that the message names, with these answers to the approvals in order. */
const playing = async (source: Source, message: string, ...answers: readonly Answer[]) => {
  const { runner, log } = setUp({ graceMs: 1000 });
  const { run } = await runner.start(asked(message), { name: "test", source });
  for (const [index, answer] of answers.entries()) {
    const isIt = (event: Event) => event.type === "ask-start";
    await untilEvent(log, run, isIt);
    const asks = async () =>
      (await entriesOf(log, run)).map(({ event }) => event).filter(isIt) as EventOf<"ask-start">[];
    while ((await asks()).length <= index) await new Promise((resolve) => setTimeout(resolve, 2));
    await runner.answer(run, (await asks())[index]!.ask, answer);
  }
  const events = await untilEnd(log, run);
  const entries = await entriesOf(log, run);
  expect(verify(entries)).toBeUndefined();
  const state = createState();
  for (const entry of entries) fold(state, entry);
  const names = new Map(events.flatMap((event) => (event.type === "tool-start" ? [[event.call, event.name]] : [])));
  const ends = events
    .filter((event) => event.type === "tool-end")
    .map(({ call, outcome, value, error }) => ({ name: names.get(call), outcome, value, message: error?.message }));
  return {
    shown: keptInRun(state),
    events,
    ends,
    all: <Type extends EventType>(type: Type) => events.filter((event) => event.type === type) as EventOf<Type>[],
    text: events.map((event) => (event.type === "text-delta" ? event.delta : "")).join(""),
  };
};

/** The same agent in this process, and behind the SDK's own HTTP response. */
const ways = {
  "in process": () => {
    const { agent, ...seen } = scriptedAgent();
    const kept: ModelMessage[] = [];
    const stream = async (call: AiSdkCall) => {
      const result = await agent.stream(call as never);
      void result.responseMessages.then(
        (messages) => kept.push(...messages),
        () => {},
      );
      return result;
    };
    return { source: aiSdk({ tools: agent.tools, stream }), kept: () => keptInMessages(kept), ...seen };
  },
  "over HTTP": async () => {
    const { agent, ...seen } = scriptedAgent();
    let kept: UIMessage = { id: "", role: "assistant", parts: [] };
    const server = createServer(async (request, response) => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece as Buffer);
      const { messages } = JSON.parse(Buffer.concat(pieces).toString()) as { messages: unknown[] };
      const aborting = new AbortController();
      response.on("close", () => aborting.abort());
      const answer = await createAgentUIStreamResponse({
        agent,
        uiMessages: messages,
        abortSignal: aborting.signal,
        onEnd: ({ responseMessage }) => void (kept = responseMessage),
        onError: (error) => (error instanceof Error ? error.message : String(error)),
      });
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      for await (const bytes of answer.body!) response.write(bytes);
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onStop(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { source: http({ dialect, url, path: () => "/api/chat" }), kept: () => keptInMessage(kept), ...seen };
  },
};

describe.each(Object.entries(ways))("a real agent of AI SDK 7, %s", (way, open) => {
  test("text and thinking", async () => {
    const { source } = await open();
    expect((await playing(source, "hello")).text).toBe("Hello there.");
    const { all, text } = await playing(source, "think");
    expect(text).toBe("I thought.");
    expect(
      all("thinking-delta")
        .map(({ delta }) => delta)
        .join(""),
    ).toBe("Let me see.");
    expect(all("step-end")).toMatchObject([{ finish: "stop" }]);
  });

  test("two tools in parallel, with progress", async () => {
    const { source } = await open();
    const { ends, all, text } = await playing(source, "tools");
    expect(text).toBe("Looking.Sunny at noon.");
    expect(ends.toSorted((one, other) => one.name!.localeCompare(other.name!))).toMatchObject([
      { name: "clock", outcome: "ok", value: "noon in Paris" },
      { name: "weather", outcome: "ok", value: { state: "done", text: "sunny in Paris" } },
    ]);
    expect(all("tool-progress")[0]).toMatchObject({ value: { state: "asking" } });
    expect(all("step-end").map(({ finish }) => finish)).toEqual(["tools", "stop"]);
    expect(all("run-end")).toMatchObject([{ outcome: "done" }]);
  });

  test("two sub-agents in parallel are calls, and what is stored grows with their text only", async () => {
    const { source } = await open();
    const { ends, all, text } = await playing(source, "helpers");
    expect(text).toBe("Both are back.");
    const answers = ends.map(({ value }) => (value as unknown as UIMessage).parts.at(-1));
    expect(answers).toMatchObject([{ text: LONG }, { text: LONG }]);
    const progress = all("tool-progress");
    for (const { call } of all("tool-start")) {
      const notes = progress.flatMap((event) => (event.call === call ? [event.note ?? ""] : []));
      expect(notes.length).toBeGreaterThan(10);
      expect(LONG.endsWith(notes.at(-1)!) && notes.at(-1) !== "").toBe(true);
    }
    for (const event of progress) expect(JSON.stringify(event).length).toBeLessThan(500);
  });

  test("calls of different steps with the same id", async () => {
    const { source } = await open();
    const { ends, text } = await playing(source, "again");
    expect(ends).toMatchObject([{ value: "noon in Paris" }, { value: "noon in Rome" }]);
    expect(text).toBe("Noon in both.");
  });

  test("a tool that fails, and invalid arguments", async () => {
    const { source } = await open();
    const failed = await playing(source, "fail");
    expect(failed.ends).toMatchObject([{ name: "broken", outcome: "error", message: "the service is down" }]);
    expect(failed.text).toBe("It is broken.");
    const { ends, text } = await playing(source, "bad");
    expect(ends).toMatchObject([{ name: "weather", outcome: "error" }]);
    expect(text).toBe("That was wrong.");
  });

  test.each([true, false])("an approval that is answered with %s", async (allow) => {
    const { source, sent } = await open();
    const { ends, all } = await playing(source, "mail", { allow });
    expect(all("ask-start")).toMatchObject([{ kind: "approval" }]);
    expect(ends).toMatchObject([
      allow ? { name: "mail", outcome: "ok", value: "sent to Paris" } : { name: "mail", outcome: "denied" },
    ]);
    expect(sent).toEqual(allow ? ["Paris"] : []);
    expect(all("run-end")).toMatchObject([{ outcome: "done" }]);
  });

  test("two approvals at the same time, next to a tool that needs none", async () => {
    const { source, sent } = await open();
    const { ends, text } = await playing(source, "mails", { allow: false }, { allow: true });
    const outcomes = ends.map(({ name, outcome }) => `${name} ${outcome}`).toSorted();
    expect(outcomes).toEqual(["clock ok", "mail denied", "mail ok"]);
    expect(sent).toEqual(["Rome"]);
    expect(text).toBe("Done.");
  });

  test("a tool that the client runs", async () => {
    const { source } = await open();
    const { ends, all } = await playing(source, "map");
    expect(ends).toMatchObject([{ name: "map", outcome: "deferred" }]);
    expect(all("run-end")).toMatchObject([{ outcome: "done", awaiting: [all("tool-start")[0]!.call] }]);
  });

  test("a model that fails refuses the request, or ends the run with an error", async () => {
    const { source } = await open();
    if (way === "in process") await expect(playing(source, "error")).rejects.toBeInstanceOf(Refusal);
    else {
      const { all } = await playing(source, "error");
      expect(all("run-end")).toMatchObject([{ outcome: "error", error: { message: /out of order/ } }]);
    }
  });

  test.each([
    ["hello", []],
    ["think", []],
    ["tools", []],
    ["fail", []],
    ["bad", []],
    ["mail", [{ allow: true }]],
    ["mail", [{ allow: false }]],
    ["mails", [{ allow: false }, { allow: true }]],
    ["map", []],
  ] as const)("%s %j: the run shows what the SDK keeps", async (message, answers) => {
    const { source, kept } = await open();
    const { shown } = await playing(source, message, ...answers);
    await expect.poll(kept).toEqual(shown);
  });

  test("stops with the run, and so does its tool", async () => {
    const { source, begun, stopped } = await open();
    const { runner, log } = setUp({ graceMs: 10_000 });
    const { run } = await runner.start(asked("slow"), { name: "test", source });
    await begun;
    expect(await runner.cancel(run)).toBe("cancelled");
    await stopped;
    expect((await untilEnd(log, run)).at(-1)).toMatchObject({ type: "run-end", outcome: "cancelled" });
  });
});

describe("in process", () => {
  test("reports when a call executes, how long it took, and the model's usage", async () => {
    const { all } = await playing(aiSdk(scriptedAgent().agent), "tools");
    expect(all("tool-execute")).toHaveLength(2);
    for (const { ms } of all("tool-end")) expect(ms).toBeGreaterThanOrEqual(0);
    for (const { usage } of all("step-end")) expect(usage?.output).toBeGreaterThan(0);
    expect(aiSdk(scriptedAgent().agent).about?.tools).toContainEqual({ name: "weather", description: "the weather" });
  });

  test("any streamText call is an agent, and gets the conversation and the request", async () => {
    const seen: unknown[] = [];
    const model = demo({ speed: Infinity, stories: [script("again", [{ say: "Yes." }])] });
    const source = aiSdk((call, request) => {
      seen.push(request.model, call.messages);
      return streamText({ model, ...call });
    });
    const { runner, log } = setUp();
    const messages = [
      ...asked("first").messages,
      {
        role: "assistant" as const,
        content: [{ type: "call" as const, call: "c1", name: "clock", input: { city: "Rome" } }],
      },
      {
        role: "tool" as const,
        content: [{ type: "result" as const, call: "c1", content: [{ type: "text" as const, text: "noon" }] }],
      },
      ...asked("again").messages,
    ];
    const { run } = await runner.start({ messages, model: "some" }, { name: "test", source });
    await untilEnd(log, run);
    expect(seen).toEqual([
      "some",
      [
        { role: "user", content: [{ type: "text", text: "first" }] },
        {
          role: "assistant",
          content: [{ type: "tool-call", toolCallId: "c1", toolName: "clock", input: { city: "Rome" } }],
        },
        {
          role: "tool",
          content: [
            { type: "tool-result", toolCallId: "c1", toolName: "clock", output: { type: "text", value: "noon" } },
          ],
        },
        { role: "user", content: [{ type: "text", text: "again" }] },
      ],
    ]);
  });
});
