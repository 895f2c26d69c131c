import { describe, expect, test } from "vitest";
import { aiSdk } from "../../src/dialects/ai-sdk.ts";
import { native } from "../../src/dialects/native.ts";
import type { Answer, EventOf } from "../../src/events.ts";
import { memory } from "../../src/logs/memory.ts";
import { demoAgent } from "../../src/models/demo.ts";
import type { Source } from "../../src/source.ts";
import { startCuttingProxy } from "../cutting-proxy.ts";
import { entriesOf } from "../running.ts";
import { onStop, post, serve, until } from "../serving.ts";
import { openChat, sdks, type UIPart, type Version, VERSIONS } from "./ai-sdk-client.ts";

/** Asks about these calls together, reports the answers, and ends. */
const asking = (...names: readonly string[]): Source =>
  async function* (_, { run, answerTo }) {
    yield { type: "step-start", step: "s1" };
    for (const name of names) {
      yield { type: "tool-start", call: `${run}-${name}`, name };
      yield { type: "tool-input-end", call: `${run}-${name}`, input: { to: "ann" } };
    }
    yield { type: "step-end", step: "s1", finish: "tools" };
    for (const name of names)
      yield { type: "ask-start", ask: `${run}-ask-${name}`, kind: "approval", call: `${run}-${name}` };
    for (const name of names) {
      const call = `${run}-${name}`;
      const { answer } = await answerTo(`${run}-ask-${name}`);
      if (answer?.allow)
        yield { type: "tool-execute", call, ...(answer.input !== undefined && { input: answer.input }) };
      yield {
        type: "tool-end",
        call,
        outcome: answer?.allow ? "ok" : "denied",
        ...(answer?.allow && { value: "sent" }),
      };
    }
    yield { type: "step-start", step: "s2" };
    yield { type: "text-start", part: "p" };
    yield { type: "text-delta", part: "p", delta: "Done." };
    yield { type: "text-end", part: "p" };
    yield { type: "step-end", step: "s2", finish: "stop" };
  };

/** Writes some text, then waits for a signal to write the rest. */
const speaking = (first = "One ") => {
  const going = Promise.withResolvers<void>();
  const source: Source = async function* (_, { signal }) {
    signal.addEventListener("abort", () => going.resolve(), { once: true });
    yield { type: "step-start", step: "s" };
    yield { type: "text-start", part: "p" };
    yield { type: "text-delta", part: "p", delta: first };
    await going.promise;
    if (signal.aborted) return;
    yield { type: "text-delta", part: "p", delta: "two" };
    yield { type: "text-end", part: "p" };
    yield { type: "step-end", step: "s", finish: "stop" };
  };
  return { source, go: going.resolve };
};

const serving = async (source: Source) => {
  const log = memory();
  const server = await serve(source, { log, dialects: [native, aiSdk] });
  const runs = async () => (await log.list({ limit: 10 })).toReversed();
  const answersOf = async (): Promise<(Answer | undefined)[]> => {
    const [run] = await runs();
    const events = (await entriesOf(log, run!.run)).map(({ event }) => event);
    return events.filter((event): event is EventOf<"ask-end"> => event.type === "ask-end").map(({ answer }) => answer);
  };
  const outcome = async () => {
    const end = (await entriesOf(log, (await runs())[0]!.run)).at(-1)?.event;
    return end?.type === "run-end" ? end.outcome : undefined;
  };
  return {
    ...server,
    log,
    runs,
    answersOf,
    outcome,
    api: (version: Version) => `${server.url}/ai-sdk/test?sdk=${version}`,
  };
};

const textOf = (parts: readonly UIPart[] = []) =>
  parts
    .filter(({ type }) => type === "text")
    .map(({ text }) => text)
    .join("");
const toolsOf = (parts: readonly UIPart[] = []) => parts.filter(({ toolCallId }) => toolCallId !== undefined);

describe.each(VERSIONS)("a chat of AI SDK %i", (version) => {
  const sendAutomaticallyWhen = sdks[version].lastAssistantMessageIsCompleteWithApprovalResponses;
  const asked = sendAutomaticallyWhen ? { sendAutomaticallyWhen } : {};

  test("sends a message, shows tools and their results, and keeps the conversation", async () => {
    const { api, runs } = await serving(demoAgent({ speed: Infinity }));
    const chat = openChat(version, { api: api(version), id: "chat" });
    await chat.sendMessage({ text: "Two tools in parallel" });
    expect(chat.error).toBeUndefined();
    const [, answer] = chat.messages;
    expect(toolsOf(answer!.parts).every(({ state }) => state === "output-available" || state === "output-error")).toBe(
      true,
    );
    expect(toolsOf(answer!.parts).length).toBeGreaterThan(0);
    expect(textOf(answer!.parts).length).toBeGreaterThan(10);
    await chat.sendMessage({ text: "Just an answer" });
    expect(chat.messages).toHaveLength(4);
    expect((await runs()).map(({ thread }) => thread)).toEqual(["chat", "chat"]);
  });

  test("shows a refusal and an error", async () => {
    const { api, url } = await serving(async function* () {
      yield { type: "step-start", step: "s" };
      throw new Error("out of paper");
    });
    const chat = openChat(version, { api: api(version), id: "chat" });
    await chat.sendMessage({ text: "go" });
    expect(chat.status).toBe("error");
    expect(chat.error?.message).toBe("out of paper");
    const lost = openChat(version, { api: `${url}/ai-sdk/nobody`, id: "chat" });
    await lost.sendMessage({ text: "go" });
    expect(lost.error?.message).toContain("nobody");
  });

  test("has nothing to resume in a new chat or after the end", async () => {
    const { api } = await serving(demoAgent({ speed: Infinity }));
    const chat = openChat(version, { api: api(version), id: "chat" });
    await chat.resumeStream();
    expect([chat.status, chat.messages]).toEqual(["ready", []]);
    await chat.sendMessage({ text: "Just an answer" });
    const [, answer] = chat.messages;
    await chat.resumeStream();
    expect(chat.status).toBe("ready");
    expect(chat.messages.at(-1)).toEqual(answer);
  });

  test("stopping on the client does not stop the run; the stop request does", async () => {
    const { api, url, outcome, runs } = await serving(speaking().source);
    const chat = openChat(version, { api: api(version), id: "chat/1" });
    const sent = chat.sendMessage({ text: "go" });
    await until(() => textOf(chat.messages.at(-1)?.parts) === "One ");
    await chat.stop();
    await sent;
    expect(chat.status).toBe("ready");
    expect((await runs())[0]?.endedAt).toBeUndefined();
    const stopped = await post(`${url}/ai-sdk/test/${encodeURIComponent("chat/1")}/stop`, undefined as never);
    expect(stopped.status).toBe(200);
    expect(await outcome()).toBe("cancelled");
  });

  test("closing the connection stops the run if the app wants that", async () => {
    const { api, outcome } = await serving(speaking().source);
    const chat = openChat(version, { api: `${api(version)}&disconnect=cancel`, id: "chat" });
    const sent = chat.sendMessage({ text: "go" });
    await until(() => textOf(chat.messages.at(-1)?.parts) === "One ");
    await chat.stop();
    await sent;
    await until(async () => (await outcome()) === "cancelled");
  });

  test("a page that is reloaded during a run shows all of it", async () => {
    const { source, go } = speaking();
    const { api } = await serving(source);
    const first = openChat(version, { api: api(version), id: "chat" });
    void first.sendMessage({ text: "go" });
    await until(() => textOf(first.messages.at(-1)?.parts) === "One ");
    const [question] = first.messages;
    const second = openChat(version, { api: api(version), id: "chat", messages: [question!] });
    const resumed = second.resumeStream();
    await until(() => textOf(second.messages.at(-1)?.parts) === "One ");
    go();
    await resumed;
    expect(second.messages.map(({ parts }) => textOf(parts))).toEqual(["go", "One two"]);
    await until(() => first.status === "ready");
    expect(second.messages.at(-1)).toEqual(first.messages.at(-1));
  });

  if (version > 5)
    test("a page whose connection was cut shows nothing twice", async () => {
      const first = "One ".repeat(500);
      const { source, go } = speaking(first);
      const { port, runs } = await serving(source);
      const proxy = await startCuttingProxy(port, (connection) => (connection === 0 ? 1500 : Infinity));
      onStop(proxy.close);
      const chat = openChat(version, { api: `${proxy.url}/ai-sdk/test?sdk=${version}`, id: "chat" });
      await chat.sendMessage({ text: "go" });
      expect((await runs())[0]?.endedAt).toBeUndefined();
      const resumed = chat.resumeStream();
      await until(() => textOf(chat.messages.at(-1)?.parts) === first);
      go();
      await resumed;
      expect(chat.messages.map(({ parts }) => textOf(parts))).toEqual(["go", `${first}two`]);
    });

  if (version > 5)
    test.each([true, false])("answers an approval with %s, and the run continues", async (approved) => {
      const { api, answersOf, runs } = await serving(asking("send"));
      const chat = openChat(version, { api: api(version), id: "chat", ...asked });
      await chat.sendMessage({ text: "go" });
      const [part] = toolsOf(chat.messages.at(-1)!.parts);
      expect(part).toMatchObject({ state: "approval-requested", input: { to: "ann" } });
      const reason = approved ? {} : { reason: "not now" };
      await chat.addToolApprovalResponse({ id: part!.approval!.id, approved, ...reason });
      await until(() => textOf(chat.messages.at(-1)!.parts) === "Done." && chat.status === "ready");
      expect(chat.messages).toHaveLength(2);
      expect(toolsOf(chat.messages.at(-1)!.parts)).toMatchObject([
        approved ? { state: "output-available", output: "sent" } : { state: "output-denied" },
      ]);
      expect(await answersOf()).toEqual([{ allow: approved, ...reason }]);
      expect(await runs()).toHaveLength(1);
    });

  if (version > 5)
    test("sends two approvals together once both are answered", async () => {
      const { api, answersOf } = await serving(asking("one", "two"));
      const chat = openChat(version, { api: api(version), id: "chat", ...asked });
      await chat.sendMessage({ text: "go" });
      const [one, two] = toolsOf(chat.messages.at(-1)!.parts);
      await chat.addToolApprovalResponse({ id: one!.approval!.id, approved: true });
      expect(chat.status).toBe("ready");
      await chat.addToolApprovalResponse({ id: two!.approval!.id, approved: false });
      await until(() => textOf(chat.messages.at(-1)!.parts) === "Done.");
      expect(await answersOf()).toEqual([{ allow: true }, { allow: false }]);
      expect(toolsOf(chat.messages.at(-1)!.parts).map(({ state }) => state)).toEqual([
        "output-available",
        "output-denied",
      ]);
    });

  test("answers with something the SDK cannot express: edited arguments", async () => {
    const { api, answersOf } = await serving(asking("send"));
    const chat = openChat(version, { api: api(version), id: "chat" });
    await chat.sendMessage({ text: "go" });
    const { parts } = chat.messages.at(-1)!;
    const ask = version > 5 ? toolsOf(parts)[0]!.approval!.id : parts.find(({ type }) => type === "data-ask")!.id!;
    const answer = { allow: true, input: { to: "bob" } };
    await chat.sendMessage(undefined, { body: { runcast: { answers: [{ ask, answer }] } } });
    expect(chat.error).toBeUndefined();
    expect(await answersOf()).toEqual([answer]);
    expect(chat.messages).toHaveLength(2);
    expect(toolsOf(chat.messages.at(-1)!.parts)).toMatchObject([
      { state: "output-available", input: { to: "bob" }, output: "sent" },
    ]);
  });

  test("a page that is reloaded while the run asks shows the ask", async () => {
    const { api } = await serving(asking("send"));
    const first = openChat(version, { api: api(version), id: "chat" });
    await first.sendMessage({ text: "go" });
    const second = openChat(version, { api: api(version), id: "chat", messages: [first.messages[0]!] });
    await second.resumeStream();
    expect(second.messages).toEqual(first.messages);
  });

  test("a new message while the run asks is refused with a hint", async () => {
    const { api } = await serving(asking("send"));
    const chat = openChat(version, { api: api(version), id: "chat" });
    await chat.sendMessage({ text: "go" });
    await chat.sendMessage({ text: "and now?" });
    expect(chat.error?.message).toMatch(/answer them, or cancel the run/);
  });

  test("the app runs its own tool, and the run continues with the result in the same message", async () => {
    const { api, runs } = await serving(demoAgent({ speed: Infinity }));
    const tools = [{ name: "show_map", schema: { type: "object", properties: { place: { type: "string" } } } }];
    const called: string[] = [];
    const chat = openChat(version, {
      api: api(version),
      id: "chat",
      sendAutomaticallyWhen: sdks[version].lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall: ({ toolCall: { toolName: tool, toolCallId, dynamic } }) => {
        if (dynamic) return;
        called.push(tool);
        void chat.addToolOutput({ tool, toolCallId, output: "shown" });
      },
    });
    await chat.sendMessage({ text: "Client-run tool" }, { body: { runcast: { tools } } });
    await until(
      async () => (await runs()).length === 2 && (await runs()).every(({ endedAt }) => endedAt !== undefined),
    );
    await until(() => chat.status === "ready");
    expect(called).toEqual(["show_map"]);
    expect(chat.messages).toHaveLength(2);
    expect(toolsOf(chat.messages[1]!.parts)).toMatchObject([{ type: "tool-show_map", state: "output-available" }]);
  });
});
