import { describe, expect, test } from "vitest";
import { copilotkit } from "../../src/dialects/copilotkit.ts";
import { native } from "../../src/dialects/native.ts";
import type { EventOf } from "../../src/events.ts";
import { memory } from "../../src/logs/memory.ts";
import { demoAgent } from "../../src/models/demo.ts";
import type { Source } from "../../src/source.ts";
import { entriesOf } from "../running.ts";
import { framesOf, post, textSource, serve, silent, until } from "../serving.ts";
import { clients, type KeptMessage, type TestedClient, withoutWarnings } from "./ag-ui-clients.ts";

/** The version that CopilotKit uses is 0.0.59. */
const [, , create] = clients.find(([version]) => version === "0.0.59")!;

const serving = async (source: Source) => {
  const log = memory();
  const { url } = await serve(source, { log, dialects: [native, copilotkit] });
  const at = (path: string, threadId = "t") => create({ url: `${url}/copilotkit/agent/test/${path}`, threadId });
  return { url, log, at, latest: async () => (await log.list({ limit: 1 }))[0]!.run };
};
const say = (client: TestedClient, content: string) =>
  client.addMessage({ id: `user ${content}`, role: "user", content });
/** The messages that users see, without activities. */
const seen = (messages: readonly KeptMessage[]) =>
  messages
    .filter(({ role }) => role !== "activity")
    .map(({ role, content, toolCalls }) => [role, content ?? "", toolCalls?.map(({ id }) => id) ?? []]);

describe("the runtime of CopilotKit", () => {
  test("lists the agents and has a default one", async () => {
    const { url } = await serving(demoAgent({ speed: Infinity }));
    const info = (await (await fetch(`${url}/copilotkit/info`)).json()) as { agents: object; mode: string };
    expect(Object.keys(info.agents)).toEqual(["default", "test"]);
    expect(info.mode).toBe("sse");
    const run = await post(`${url}/copilotkit/agent/default/run`, {
      threadId: "t",
      runId: "r",
      messages: [{ id: "1", role: "user", content: "hello" }],
    });
    expect((await framesOf(run)).at(-1)!.data).toContain("RUN_FINISHED");
    const unknown = await post(`${url}/copilotkit/agent/nobody/run`, {
      threadId: "t",
      runId: "r",
      messages: [{ id: "1", role: "user", content: "hello" }],
    });
    expect(unknown.status).toBe(404);
  });

  test("a reloaded page has the whole conversation with the same ids", async () => {
    const { at } = await serving(demoAgent({ speed: Infinity }));
    const client = at("run");
    for (const message of ["Tools in parallel", "hello"]) {
      say(client, message);
      await withoutWarnings(() => client.runAgent());
    }
    const again = at("connect");
    await withoutWarnings(() => again.runAgent());
    expect(seen(again.messages)).toEqual(seen(client.messages));
    expect(again.messages.filter(({ role }) => role === "user").map(({ id }) => id)).toEqual([
      "user Tools in parallel",
      "user hello",
    ]);
  });

  test("a page that is reloaded during a run continues it, and nothing appears twice", async () => {
    const gate = Promise.withResolvers<void>();
    const { at, latest, log } = await serving(
      textSource(["one ", "two ", "three"], (index) => index === 2 && gate.promise),
    );
    const client = at("run");
    say(client, "count");
    const cut = client.runAgent({}, { onTextMessageContentEvent: () => client.abortRun() }).catch(() => {});
    await cut;
    const again = at("connect");
    const joined = again.runAgent({}, { onTextMessageContentEvent: () => gate.resolve() });
    await withoutWarnings(() => joined);
    expect(seen(again.messages)).toEqual([
      ["user", "count", []],
      ["assistant", "one two three", []],
    ]);
    // The closed page did not stop the run.
    const end = (await entriesOf(log, await latest())).at(-1)!.event;
    expect(end).toMatchObject({ type: "run-end", outcome: "done" });
  });

  test("a page that is reloaded during an ask shows it again, and its answer counts", async () => {
    const { at, log, latest } = await serving(demoAgent({ speed: Infinity }));
    const client = at("run");
    say(client, "Approval");
    await withoutWarnings(() => client.runAgent());
    const again = at("connect");
    await withoutWarnings(() => again.runAgent());
    expect(again.pendingInterrupts).toEqual(client.pendingInterrupts);
    const { id } = again.pendingInterrupts[0]!;
    const run = at("run");
    run.setMessages(again.messages);
    await withoutWarnings(() =>
      run.runAgent({ resume: [{ interruptId: id, status: "resolved", payload: { approved: true } }] }),
    );
    const ends = (await entriesOf(log, await latest())).map(({ event }) => event);
    expect(ends.find(({ type }) => type === "ask-end")).toMatchObject({ answer: { allow: true } });
    expect(ends.at(-1)).toMatchObject({ outcome: "done" });
    // Afterwards, the whole run is there, from both of its streams.
    const later = at("connect");
    await withoutWarnings(() => later.runAgent());
    expect(seen(later.messages)).toEqual(seen(run.messages));
    expect(later.pendingInterrupts).toEqual([]);
  });

  test("stops the run of a thread, and no other", async () => {
    const { url, at, log } = await serving(silent);
    const runs = ["t", "u"].map(async (thread) => {
      const client = at("run", thread);
      say(client, "go");
      await client.runAgent();
      return client;
    });
    await until(async () => (await log.list({ limit: 2 })).length === 2);
    const stop = (thread: string) => fetch(`${url}/copilotkit/agent/test/stop/${thread}`, { method: "POST" });
    expect((await stop("t")).status).toBe(200);
    await runs[0];
    const outcomes = async (thread: string) => {
      const { run } = (await log.list({ limit: 1, thread }))[0]!;
      return ((await entriesOf(log, run)).at(-1)!.event as Partial<EventOf<"run-end">>).outcome;
    };
    expect([await outcomes("t"), await outcomes("u")]).toEqual(["cancelled", undefined]);
    expect((await stop("nothing")).status).toBe(404);
    await stop("u");
    await runs[1];
  });

  test("an unknown thread is empty", async () => {
    const { url, at } = await serving(silent);
    const body = { threadId: "nothing", runId: "r", messages: [] };
    const answer = await post(`${url}/copilotkit/agent/test/connect`, body);
    expect([answer.status, await answer.text()]).toEqual([200, ""]);
    const client = at("connect", "nothing");
    await withoutWarnings(() => client.runAgent());
    expect(client.messages).toEqual([]);
  });
});
