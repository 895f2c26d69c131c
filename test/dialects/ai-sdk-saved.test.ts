import { describe, expect, test } from "vitest";
import { aiSdk } from "../../src/dialects/ai-sdk.ts";
import { memory } from "../../src/logs/memory.ts";
import type { Source } from "../../src/source.ts";
import { serve, until } from "../serving.ts";
import { openChat, sdks, type UIMessage, type UIPart, VERSIONS } from "./ai-sdk-client.ts";

/** Says something, asks about a call, waits for `go`, and ends. */
const working = () => {
  const going = Promise.withResolvers<void>();
  const source: Source = async function* (_, { run, answerTo }) {
    const [call, ask] = [`${run}-call`, `${run}-ask`];
    yield { type: "step-start", step: "s1" };
    yield { type: "text-start", part: "p1" };
    yield { type: "text-delta", part: "p1", delta: "One moment." };
    yield { type: "text-end", part: "p1" };
    yield { type: "tool-start", call, name: "send" };
    yield { type: "tool-input-end", call, input: { to: "ann" } };
    yield { type: "step-end", step: "s1", finish: "tools" };
    yield { type: "ask-start", ask, kind: "approval", call };
    await answerTo(ask);
    yield { type: "tool-execute", call };
    yield { type: "tool-end", call, outcome: "ok", value: "sent" };
    await going.promise;
    yield { type: "step-start", step: "s2" };
    yield { type: "text-start", part: "p2" };
    yield { type: "text-delta", part: "p2", delta: "Done." };
    yield { type: "text-end", part: "p2" };
    yield { type: "step-end", step: "s2", finish: "stop" };
  };
  return { source, go: going.resolve };
};

const serving = async (source: Source) => {
  const log = memory();
  const { url } = await serve(source, { log, dialects: [aiSdk] });
  const saved = async (chat: string): Promise<UIMessage[] | undefined> => {
    const response = await fetch(`${url}/ai-sdk/test/${encodeURIComponent(chat)}`);
    if (response.status === 204) return undefined;
    expect(response.status).toBe(200);
    return (await response.json()) as UIMessage[];
  };
  return { url, log, saved };
};

/** What a user sees. */
const seen = (parts: readonly UIPart[] = []) =>
  parts.flatMap(({ type, text, state, output, toolCallId }) => {
    if (type === "text") return [text];
    return toolCallId === undefined ? [] : [`${state}: ${String(output)}`];
  });

describe.each(VERSIONS.filter((version) => version > 5))("a page of AI SDK %i that is opened late", (version) => {
  const { lastAssistantMessageIsCompleteWithApprovalResponses: sendAutomaticallyWhen } = sdks[version];

  test("loads the chat, resumes an open run without showing it twice, and continues after the end", async () => {
    const { source, go } = working();
    const { url, saved } = await serving(source);
    const api = `${url}/ai-sdk/test?sdk=${version}`;
    expect(await saved("chat")).toBeUndefined();
    const open = (messages: UIMessage[] = []) =>
      openChat(version, { api, id: "chat", messages, ...(sendAutomaticallyWhen && { sendAutomaticallyWhen }) });
    await open().sendMessage({ text: "go" });

    const asked = await saved("chat");
    expect(asked?.map(({ role, parts }) => [role, seen(parts)])).toEqual([["user", ["go"]]]);
    const page = open(asked);
    await page.resumeStream();
    expect(seen(page.messages[1]?.parts)).toEqual(["One moment.", "approval-requested: undefined"]);
    const { approval } = page.messages[1]!.parts.find(({ state }) => state === "approval-requested")!;
    const answered = page.addToolApprovalResponse({ id: approval!.id, approved: true });
    await until(() => seen(page.messages[1]?.parts).includes("output-available: sent"));
    go();
    await answered;
    await until(() => page.status === "ready" && seen(page.messages[1]?.parts).includes("Done."));

    const whole = await saved("chat");
    expect(whole?.map(({ id }) => id).at(-1)).toBe(page.messages[1]!.id);
    expect(seen(whole?.[1]?.parts)).toEqual(["One moment.", "output-available: sent", "Done."]);
    const late = open(whole);
    await late.resumeStream();
    expect(late.messages).toEqual(whole);
    await late.sendMessage({ text: "once more" });
    expect(late.error).toBeUndefined();
    expect((await saved("chat"))?.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });
});
