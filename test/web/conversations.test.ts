import { describe, expect, test, vi } from "vitest";
import { createClient } from "../../src/client.ts";
import type { Event, Message } from "../../src/events.ts";
import { memory } from "../../src/logs/memory.ts";
import type { Source } from "../../src/source.ts";
import { snapshot } from "../../src/state.ts";
import { type AssistantMessage, shownMessages } from "../../web/src/conversations/conversation.ts";
import { type Conversations, createConversations } from "../../web/src/conversations/conversations.ts";
import { type Database, DatabaseError } from "../../web/src/conversations/database.ts";
import { memoryDatabase } from "../../web/src/conversations/databases/memory.ts";
import type { Tabs } from "../../web/src/conversations/tabs.ts";
import { onStop, serve, until } from "../serving.ts";

const text = (words: string) => [{ type: "text" as const, text: words }];

/** A call, then text that waits for `go`. */
const worker = (asked: Message[][], go: Promise<void> = Promise.resolve()): Source =>
  async function* ({ messages }) {
    asked.push([...messages]);
    const first: Event[] = [
      { type: "step-start", step: "s" },
      { type: "tool-start", call: "c", name: "add" },
      { type: "tool-input-end", call: "c", input: { a: 1, b: 1 } },
      { type: "step-end", step: "s", finish: "tools" },
      { type: "tool-execute", call: "c" },
      { type: "tool-end", call: "c", outcome: "ok", content: text("2") },
      { type: "step-start", step: "t" },
      { type: "text-start", part: "p" },
      { type: "text-delta", part: "p", delta: "It is " },
    ];
    yield* first;
    await go;
    yield { type: "text-delta", part: "p", delta: "two." };
    yield { type: "text-end", part: "p" };
    yield { type: "step-end", step: "t", finish: "stop" };
    yield { type: "data", name: "title", value: "A sum" };
  };

/** Several tabs of one browser, with a shared database and channel. */
const createBrowser = (url: string) => {
  const database = memoryDatabase();
  const listeners: ((conversation: string) => void)[] = [];
  const openTab = (kept: Database = database): Conversations => {
    const own: ((conversation: string) => void)[] = [];
    const tabs: Tabs = {
      notify: (conversation) => {
        for (const listener of listeners) if (!own.includes(listener)) queueMicrotask(() => listener(conversation));
      },
      onNotify: (listener) => {
        own.push(listener);
        listeners.push(listener);
      },
    };
    return createConversations({ client: createClient({ url }), database: kept, tabs });
  };
  return { openTab };
};

/** Shows a conversation as the page does: opens it and follows the run of its last answer. */
const show = async (tab: Conversations, id: string) => {
  const close = tab.open(id);
  await until(() => tab.get(id) !== undefined);
  const answer = shownMessages(tab.get(id)!).at(-1) as AssistantMessage;
  const leave = tab.runs.open(answer.run, tab.follow(id, answer));
  const stop = () => {
    leave();
    close();
  };
  onStop(stop);
  return { answer, stop, state: () => tab.runs.get(answer.run)!.state, shown: () => tab.runs.get(answer.run)! };
};
const hasEnded = (tab: Conversations, id: string) => () =>
  (shownMessages(tab.get(id)!).at(-1) as AssistantMessage).output !== undefined;

describe("conversations with a server", () => {
  test("the next request contains calls and results, a rerun and an edit are branches, and a fork is independent", async () => {
    const asked: Message[][] = [];
    const { url } = await serve(worker(asked));
    const tab = createBrowser(url).openTab();
    const { id } = await tab.send(undefined, { content: text("What is 1 + 1?"), settings: { mode: "plan" } });
    const first = await show(tab, id);
    await until(hasEnded(tab, id));
    expect(tab.get(id)?.title).toBe("A sum");
    await tab.send(id, { content: text("Sure?"), settings: {} });
    const second = await show(tab, id);
    await until(hasEnded(tab, id));
    const question = { role: "user", content: text("What is 1 + 1?") };
    const output = [
      { role: "assistant", content: [{ type: "call", call: "c", name: "add", input: { a: 1, b: 1 } }] },
      { role: "tool", content: [{ type: "result", call: "c", name: "add", content: text("2") }] },
      { role: "assistant", content: text("It is two.") },
    ];
    expect(asked).toEqual([[question], [question, ...output, { role: "user", content: text("Sure?") }]]);
    await tab.rerun(id, second.answer);
    const again = await show(tab, id);
    await until(hasEnded(tab, id));
    expect(asked[2]).toEqual(asked[1]);
    await tab.choose(id, second.answer.id);
    expect(shownMessages(tab.get(id)!).at(-1)?.id).toBe(second.answer.id);
    const user = shownMessages(tab.get(id)!)[2]!;
    const fork = await tab.fork(id, user);
    expect(fork.draft).toEqual(text("Sure?"));
    const close = tab.open(fork.id);
    await until(() => tab.get(fork.id) !== undefined);
    expect(shownMessages(tab.get(fork.id)!).map((message) => message.id)).toEqual(
      shownMessages(tab.get(id)!)
        .slice(0, 2)
        .map((message) => message.id),
    );
    close();
    expect(first.answer.settings).toEqual({ mode: "plan" });
    expect(again.answer.run).not.toBe(second.answer.run);
  });

  test("a reload and another tab during a run continue exactly, and store every entry once", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const log = memory();
    const { url } = await serve(worker([], promise), { log });
    const { openTab } = createBrowser(url);
    const one = openTab();
    const { id, run } = await one.send(undefined, { content: text("What is 1 + 1?"), settings: {} });
    const first = await show(one, id);
    await until(() => first.state().nodes.has("p"));
    await one.flush();
    first.stop();
    // The same tab after a reload, and another one.
    const [two, three] = [openTab(), openTab()];
    const second = await show(two, id);
    const third = await show(three, id);
    await until(() => second.shown().connection?.status === "live" && third.shown().connection?.status === "live");
    resolve();
    await until(() => hasEnded(two, id)() && hasEnded(three, id)());
    await Promise.all([two.flush(), three.flush()]);
    const entries = await log.read(run, 0, 1000);
    expect(JSON.parse(await two.export()).runs[run]).toEqual(entries);
    expect(snapshot(second.state())).toEqual(snapshot(third.state()));
    expect(second.state().seq).toBe(entries.length);
  });

  test("nothing is followed while the page is hidden, and following continues when it is shown", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { url } = await serve(worker([], promise));
    const tab = createBrowser(url).openTab();
    const { id } = await tab.send(undefined, { content: text("Hi"), settings: {} });
    const { shown, state } = await show(tab, id);
    await until(() => state().nodes.has("p"));
    tab.runs.setHidden(true);
    expect(shown().connection).toBeUndefined();
    resolve();
    tab.runs.setHidden(false);
    await until(hasEnded(tab, id));
    expect(shown().connection).toEqual({ status: "finished" });
  });

  test("a hidden page connects now and then, but only while it follows a run that has not ended", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { url } = await serve(worker([], promise));
    const tab = createBrowser(url).openTab();
    const { id } = await tab.send(undefined, { content: text("Hi"), settings: {} });
    const { state, stop } = await show(tab, id);
    await until(() => state().nodes.has("p"));
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onStop(() => void vi.useRealTimers());
    tab.runs.setHidden(true);
    expect(vi.getTimerCount()).toBe(1);
    stop();
    expect(vi.getTimerCount()).toBe(0);
    const again = await show(tab, id);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersToNextTimer();
    expect(again.shown().connection).toBeDefined();
    await until(() => again.shown().connection === undefined);
    // The server in this process uses a timer, too, until it notices that the viewer has left.
    await until(() => vi.getTimerCount() === 1);
    resolve();
    vi.advanceTimersToNextTimer();
    await until(hasEnded(tab, id));
    expect(again.state().outcome).toBe("done");
    await until(() => vi.getTimerCount() === 0);
    tab.runs.setHidden(false);
    tab.runs.setHidden(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("runs that the server dropped are still there, and a run that it never received is requested again, but not forever", async () => {
    const asked: Message[][] = [];
    const log = memory();
    const { url } = await serve(worker(asked), { log });
    const { openTab } = createBrowser(url);
    const one = openTab();
    const { id, run } = await one.send(undefined, { content: text("Hi"), settings: {} });
    expect(asked).toEqual([]);
    // The tab was closed before its request was sent, so another tab sends it.
    const two = openTab();
    const made = await show(two, id);
    await until(hasEnded(two, id));
    expect(asked).toHaveLength(1);
    await two.flush();
    const whole = snapshot(made.state());
    await log.drop(run);
    const three = openTab();
    const kept = await show(three, id);
    await until(() => kept.shown().isLoaded);
    expect(snapshot(kept.state())).toEqual(whole);
    expect(kept.shown().connection).toBeUndefined();
    expect(three.follow(id, { ...made.answer, at: Date.now() - 3_600_000 }).request?.()).toBeUndefined();
  });

  test("a conversation that is removed in one tab disappears in the others, and can be restored", async () => {
    const { url } = await serve(worker([]));
    const { openTab } = createBrowser(url);
    const [one, two] = [openTab(), openTab()];
    const { id } = await one.send(undefined, { content: text("Hi"), settings: {} });
    await until(() => two.overview().list.length === 1);
    await one.rename(id, "Mine");
    await until(() => two.overview().list[0]?.title === "Mine");
    await two.remove(id);
    await until(() => one.overview().list.length === 0 && one.overview().deleted.length === 1);
    await one.restore(id);
    await until(() => two.overview().list.length === 1);
    expect(two.overview().trouble).toBeUndefined();
  });

  test("entries that a full browser cannot store are still replayed and exported", async () => {
    const { url } = await serve(worker([]));
    const room = memoryDatabase();
    let isFull = false;
    const { openTab } = createBrowser(url);
    const tab = openTab({
      read: room.read,
      change: (work) => (isFull ? Promise.reject(new DatabaseError("full", "no more room")) : room.change(work)),
    });
    const { id, run } = await tab.send(undefined, { content: text("Hi"), settings: {} });
    isFull = true;
    const { state } = await show(tab, id);
    await until(hasEnded(tab, id));
    expect(tab.overview().trouble?.code).toBe("full");
    const { seq } = state();
    expect((await tab.entries(run)).map((entry) => entry.seq)).toEqual(
      Array.from({ length: seq }, (_, index) => index + 1),
    );
    const exported = JSON.parse(await tab.export());
    expect(exported.runs[run]).toHaveLength(seq);
    expect(exported.conversations[0].messages[1].output).toHaveLength(3);
    isFull = false;
    await tab.rename(id, "Room again");
    await tab.flush();
    expect(tab.overview().trouble).toBeUndefined();
    expect(JSON.parse(await openTab(room).export()).runs[run]).toHaveLength(seq);
  });
});
