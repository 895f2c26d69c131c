import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { agUi } from "../../src/dialects/ag-ui.ts";
import { native } from "../../src/dialects/native.ts";
import type { EventOf } from "../../src/events.ts";
import { memory } from "../../src/logs/memory.ts";
import { demoAgent } from "../../src/models/demo.ts";
import { Refusal, type Source } from "../../src/source.ts";
import { entriesOf } from "../running.ts";
import { post, serve, silent, until } from "../serving.ts";
import { clients, type TestedClient, withoutWarnings } from "./ag-ui-clients.ts";

// Clients also log each refusal that they throw.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => void vi.restoreAllMocks());

const serving = async (source: Source) => {
  const log = memory();
  const { url } = await serve(source, { log, dialects: [native, agUi] });
  const runs = async () => await log.list({ limit: 10 });
  const events = async () => (await entriesOf(log, (await runs())[0]!.run)).map(({ event }) => event);
  return { url, log, runs, events };
};
const say = (client: TestedClient, content: string) =>
  client.addMessage({ id: crypto.randomUUID(), role: "user", content });

/** Asks about two calls together, and replies with the answers. */
const twoApprovals: Source = async function* (_, { run, answerTo }) {
  yield { type: "step-start", step: "s" };
  for (const name of ["a", "b"]) {
    yield { type: "tool-start", call: `${run}-${name}`, name: `send_${name}` };
    yield { type: "tool-input-end", call: `${run}-${name}`, input: { to: name } };
  }
  yield { type: "step-end", step: "s", finish: "tools" };
  for (const name of ["a", "b"])
    yield {
      type: "ask-start",
      ask: `${run}-ask-${name}`,
      kind: "approval",
      call: `${run}-${name}`,
      message: `Send ${name}?`,
    };
  for (const name of ["a", "b"]) {
    const { answer } = await answerTo(`${run}-ask-${name}`);
    const call = `${run}-${name}`;
    if (answer?.allow) {
      yield { type: "tool-execute", call, ...(answer.input !== undefined && { input: answer.input }) };
      yield { type: "tool-end", call, outcome: "ok", value: answer.input ?? "sent" };
    } else
      yield { type: "tool-end", call, outcome: "denied", error: { code: "denied", message: answer?.reason ?? "no" } };
  }
};

describe.each(clients)("a server and @ag-ui/client %s", (_, style, create) => {
  const connect = (url: string, options: object = {}) =>
    create({ url: `${url}/ag-ui/test`, threadId: "t", ...options });
  const run = (client: TestedClient, parameters: object = {}) => withoutWarnings(() => client.runAgent(parameters));

  test("answers a conversation, and the client's ids stay unchanged", async () => {
    const { url, runs, log } = await serving(demoAgent({ speed: Infinity }));
    const client = connect(url);
    say(client, "Tools in parallel");
    const seen: { type: string; runId?: string; threadId?: string }[] = [];
    await withoutWarnings(() =>
      client.runAgent(
        { runId: "mine" },
        { onEvent: ({ event }: { event: (typeof seen)[number] }) => void seen.push(event) },
      ),
    );
    expect(seen[0]).toMatchObject({ type: "RUN_STARTED", runId: "mine", threadId: "t" });
    expect(seen.at(-1)).toMatchObject({ type: "RUN_FINISHED", runId: "mine", threadId: "t" });
    const [first] = await runs();
    expect(first!.run).not.toBe("mine");
    say(client, "hello");
    // The same id starts another run.
    await run(client, { runId: "mine" });
    const [second] = await runs();
    expect(second!.run).not.toBe(first!.run);
    expect(second!.thread).toBe("t");
    const start = (await entriesOf(log, second!.run))[0]!.event as EventOf<"run-start">;
    const stored = await log.get(second!.run, start.request!.file);
    const bytes = Buffer.concat(await Array.fromAsync(stored!.bytes)).toString();
    const { messages } = JSON.parse(bytes) as {
      messages: { role: string; content: { type: string; error?: boolean }[] }[];
    };
    // The whole conversation came back, with calls and results in place.
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "assistant", "user"]);
    expect(messages[1]!.content.map(({ type }) => type)).toEqual(["text", "call", "call"]);
  });

  test("approvals: allowed with edited arguments and denied with a reason, both in one request", async () => {
    const { url, events } = await serving(twoApprovals);
    const client = connect(url);
    say(client, "go");
    await run(client);
    const [first, second] = client.pendingInterrupts;
    expect(client.pendingInterrupts).toMatchObject([
      { reason: "tool_call", message: "Send a?" },
      { reason: "tool_call", message: "Send b?" },
    ]);
    expect(Object.keys(first!.responseSchema!.properties!)).toEqual(["approved", "editedArgs", "reason"]);
    await run(client, {
      resume: [
        { interruptId: first!.id, status: "resolved", payload: { approved: true, editedArgs: { to: "c" } } },
        { interruptId: second!.id, status: "resolved", payload: { approved: false, reason: "not today" } },
      ],
    });
    expect(client.pendingInterrupts).toEqual([]);
    const results = client.messages.filter(({ role }) => role === "tool");
    expect(results.map(({ content, metadata }) => [content, metadata?.runcast?.outcome])).toEqual([
      ['{"to":"c"}', "ok"],
      ["not today", "denied"],
    ]);
    const ends = (await events()).filter(({ type }) => type === "ask-end");
    expect(ends).toMatchObject([{ answer: { allow: true, input: { to: "c" } } }, { answer: { allow: false } }]);
  });

  test("a question is answered with its value, and cancelling it declines", async () => {
    const { url, events } = await serving(demoAgent({ speed: Infinity }));
    for (const resume of [{ status: "resolved", payload: { value: "tests" } }, { status: "cancelled" }]) {
      const client = connect(url, { threadId: crypto.randomUUID() });
      say(client, "Question");
      await run(client);
      const [{ id, reason }] = client.pendingInterrupts as [{ id: string; reason: string }];
      expect(reason).toBe("input_required");
      await run(client, { resume: [{ interruptId: id, ...resume }] });
      expect((await events()).find(({ type }) => type === "ask-end")).toMatchObject({
        answer: { value: resume.payload?.value ?? null },
      });
      expect(client.messages.at(-1)).toMatchObject({ role: "assistant" });
    }
  });

  test("an invalid request gets an error with a message and leaves the run unchanged", async () => {
    const { url, runs } = await serving(twoApprovals);
    const client = connect(url);
    say(client, "go");
    await run(client);
    const [first, second] = client.pendingInterrupts;
    const answers = (payload: object) =>
      [first, second].map((one) => ({ interruptId: one!.id, status: "resolved", payload }));
    await expect(client.runAgent({ resume: answers({ yes: 1 }) })).rejects.toThrow(/allow: true or false/);
    const other = connect(url);
    say(other, "and now?");
    await expect(other.runAgent()).rejects.toThrow(/409.*asks-open/);
    expect((await runs()).length).toBe(1);
    await run(client, { resume: answers({ approved: true }) });
    expect(client.messages.filter(({ role }) => role === "tool").length).toBe(2);
  });

  test("a failed run reports the reason", async () => {
    const failing: Source = async function* () {
      yield { type: "step-start", step: "s" };
      throw new Refusal("model-broken", "the model is out of order", { hint: "try another" });
    };
    const { url } = await serving(failing);
    const client = connect(url);
    say(client, "go");
    const errors: object[] = [];
    await client
      .runAgent({}, { onRunErrorEvent: ({ event }: { event: object }) => void errors.push(event) })
      .catch(() => {});
    expect(errors).toMatchObject([{ code: "model-broken", message: "the model is out of order (try another)" }]);
  });

  test("closing the connection stops the run, unless the request specifies otherwise", async () => {
    const { url, log } = await serving(silent);
    for (const [query, outcome] of [
      ["", "cancelled"],
      ["?disconnect=continue", undefined],
    ] as const) {
      const thread = crypto.randomUUID();
      const client = create({ url: `${url}/ag-ui/test${query}`, threadId: thread });
      say(client, "go");
      const ended = client.runAgent({}, { onStepStartedEvent: () => client.abortRun() }).catch(() => {});
      await ended;
      const id = (await log.list({ limit: 1, thread }))[0]!.run;
      if (outcome !== undefined) await until(async () => (await log.info(id))?.endedAt !== undefined);
      const end = (await entriesOf(log, id)).at(-1)!.event as EventOf<"run-end">;
      expect(end.outcome).toBe(outcome);
      await post(`${url}/runs/${id}/cancel`, {});
    }
  });

  test("a stop from elsewhere ends the client's run without an error", async () => {
    const { url, runs } = await serving(silent);
    const client = connect(url);
    say(client, "go");
    const finished: { outcome?: string }[] = [];
    await withoutWarnings(() =>
      client.runAgent(
        {},
        {
          onStepStartedEvent: async () => void post(`${url}/runs/${(await runs())[0]!.run}/cancel`, {}),
          onRunFinishedEvent: (params: { outcome?: string }) => void finished.push(params),
        },
      ),
    );
    expect(finished).toMatchObject([{ outcome: style === "1" ? "cancelled" : "success" }]);
  });

  test("the client runs its own tools, and their results arrive with the next request", async () => {
    const { url, events } = await serving(demoAgent({ speed: Infinity }));
    const client = connect(url);
    say(client, "Client-run tool");
    const tools = [
      {
        name: "show_map",
        description: "Shows a map.",
        parameters: { type: "object", properties: { place: { type: "string" } } },
      },
    ];
    await run(client, { tools });
    const [call] = client.messages.flatMap(({ toolCalls = [] }) => toolCalls);
    expect(call!.function.name).toBe("show_map");
    expect(client.messages.some(({ role }) => role === "tool")).toBe(false);
    expect((await events()).at(-1)).toMatchObject({ outcome: "done", awaiting: [call!.id] });
    client.addMessage({ id: "result", role: "tool", toolCallId: call!.id, content: "shown" });
    await run(client, { tools });
    expect(client.messages.at(-1)).toMatchObject({ role: "assistant" });
    expect((await events()).at(-1)).toMatchObject({ outcome: "done" });
  });
});
