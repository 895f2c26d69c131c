import { describe, expect, test } from "vitest";
import { ClientError, createClient } from "../../src/client.ts";
import type { Message } from "../../src/events.ts";
import { memory } from "../../src/logs/memory.ts";
import type { Source } from "../../src/source.ts";
import { type AssistantMessage, shownMessages } from "../../web/src/conversations/conversation.ts";
import { type Conversations, createConversations } from "../../web/src/conversations/conversations.ts";
import { memoryDatabase } from "../../web/src/conversations/databases/memory.ts";
import { createHistory, createServerThreads } from "../../web/src/conversations/history.ts";
import { onStop, serve, until } from "../serving.ts";
import { storeRun } from "../stored-runs.ts";

const ALICE = "the-key-of-alice";
const BOB = "the-key-of-bob";
const keys = [
  { name: "alice", key: ALICE },
  { name: "bob", key: BOB },
];
const text = (words: string) => [{ type: "text" as const, text: words }];
const user = (words: string): Message => ({ role: "user", content: text(words) });
const assistant = (words: string): Message => ({ role: "assistant", content: text(words) });

/** Counts its answers, and notes what it was asked. */
const counter = (asked: Message[][]): Source =>
  async function* ({ messages }) {
    asked.push([...messages]);
    yield { type: "step-start", step: "s" };
    yield { type: "text-start", part: "p" };
    yield { type: "text-delta", part: "p", delta: `Answer ${asked.length}` };
    yield { type: "text-end", part: "p" };
    yield { type: "step-end", step: "s", finish: "stop" };
    yield { type: "data", name: "title", value: `Title ${asked.length}` };
  };

/** A browser of a signed-in user, with a database of its own. */
const browser = (url: string, key: string, isDown = () => false): Conversations =>
  createConversations({
    client: createClient({ url, key }),
    database: memoryDatabase(),
    history: async (options) => {
      const ask = async (path: string): Promise<Response> => {
        if (isDown()) throw new ClientError({ code: "network", message: "down" });
        const response = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
        if (!response.ok) throw new ClientError({ code: "refused", message: "refused" }, { status: response.status });
        return response;
      };
      return createHistory(createServerThreads(ask), options);
    },
  });

/** Opens a conversation and follows its last run, as the page does. */
const show = async (tab: Conversations, id: string): Promise<void> => {
  onStop(tab.open(id));
  await until(() => tab.get(id) !== undefined);
  await followLast(tab, id);
};
const lastAnswer = (tab: Conversations, id: string) => shownMessages(tab.get(id)!).at(-1) as AssistantMessage;
const followLast = async (tab: Conversations, id: string): Promise<void> => {
  const answer = lastAnswer(tab, id);
  onStop(tab.runs.open(answer.run, tab.follow(id, answer)));
  await until(() => lastAnswer(tab, id).output !== undefined);
};
const talk = async (tab: Conversations, id: string | undefined, words: string): Promise<string> => {
  const sent = await tab.send(id, { content: text(words), settings: {} });
  if (id === undefined) await show(tab, sent.id);
  else {
    await until(() => lastAnswer(tab, sent.id)?.run === sent.run);
    await followLast(tab, sent.id);
  }
  return sent.id;
};
const listed = (tab: Conversations) => tab.overview().list.map(({ id }) => id);
const isReady = (tab: Conversations) => () => tab.overview().history?.state === "ready";

describe("a signed-in user's conversations in another browser", () => {
  test("are listed, opened and continued in the same thread, with the whole conversation", async () => {
    const asked: Message[][] = [];
    const { url } = await serve(counter(asked), { keys });
    const office = browser(url, ALICE);
    const id = await talk(office, undefined, "one");
    await talk(office, id, "two");

    const phone = browser(url, ALICE);
    await until(isReady(phone));
    expect(phone.overview().list).toMatchObject([{ id, title: "one", isRemote: true }]);
    await show(phone, id);
    expect(shownMessages(phone.get(id)!).map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(phone.get(id)?.title).toBe("Title 2");
    await talk(phone, id, "three");
    expect(asked.at(-1)).toEqual([
      user("one"),
      assistant("Answer 1"),
      user("two"),
      assistant("Answer 2"),
      user("three"),
    ]);
    expect(listed(phone)).toEqual([id]);

    await office.refresh();
    await until(() => shownMessages(office.get(id)!).length === 6);
    await followLast(office, id);
    await talk(office, id, "four");
    expect(asked.at(-1)!.map(({ role }) => role)).toEqual(
      Array.from({ length: 7 }, (_, at) => ["user", "assistant"][at % 2]),
    );
  });

  test("retries, edits and forks are unchanged", async () => {
    const { url } = await serve(counter([]), { keys });
    const office = browser(url, ALICE);
    const id = await talk(office, undefined, "one");
    await talk(office, id, "two");
    await office.rerun(id, lastAnswer(office, id));
    await followLast(office, id);
    const { id: fork } = await office.fork(id, lastAnswer(office, id));
    await show(office, fork);
    await talk(office, fork, "three");

    const phone = browser(url, ALICE);
    await show(phone, id);
    expect(phone.get(id)!.messages).toHaveLength(5);
    await show(phone, fork);
    const runs = (tab: Conversations) =>
      shownMessages(tab.get(fork)!).flatMap((message) => (message.role === "assistant" ? [message.run] : []));
    expect(runs(phone)).toEqual(runs(office));
  });

  test("belong to no one else", async () => {
    const { url } = await serve(counter([]), { keys });
    const id = await talk(browser(url, ALICE), undefined, "secret");
    const other = browser(url, BOB);
    await until(isReady(other));
    expect(listed(other)).toEqual([]);
    onStop(other.open(id));
    await until(() => other.get(id) !== undefined);
    expect(other.get(id)).toBeNull();
  });

  test("stay deleted in the browser that deleted them, and can be restored for a while", async () => {
    const { url } = await serve(counter([]), { keys });
    const id = await talk(browser(url, ALICE), undefined, "one");
    const phone = browser(url, ALICE);
    await until(isReady(phone));
    await phone.remove(id);
    expect([listed(phone), phone.overview().deleted.map(({ title }) => title)]).toEqual([[], ["one"]]);
    await phone.refresh();
    expect(listed(phone)).toEqual([]);
    await phone.restore(id);
    await show(phone, id);
    expect(shownMessages(phone.get(id)!)).toHaveLength(2);
    await phone.erase(id);
    await phone.refresh();
    expect([listed(phone), phone.get(id)]).toEqual([[], null]);
  });

  test("a copy is removed when the original is deleted everywhere; the browser that created the conversation keeps it", async () => {
    const { url } = await serve(counter([]), { keys });
    const office = browser(url, ALICE);
    const id = await talk(office, undefined, "one");
    const phone = browser(url, ALICE);
    await show(phone, id);
    await fetch(`${url}/threads/${id}`, { method: "DELETE", headers: { authorization: `Bearer ${ALICE}` } });
    await phone.refresh();
    await office.refresh();
    expect([listed(phone), phone.get(id)]).toEqual([[], null]);
    expect(listed(office)).toEqual([id]);
  });

  test("a title that the user gave stays, even before the conversation is opened", async () => {
    const { url } = await serve(counter([]), { keys });
    const id = await talk(browser(url, ALICE), undefined, "one");
    const phone = browser(url, ALICE);
    await until(isReady(phone));
    await phone.rename(id, "My sea");
    await show(phone, id);
    await phone.refresh();
    expect(phone.overview().list.map(({ title }) => title)).toEqual(["My sea"]);
    expect(await phone.search("sea")).toMatchObject([{ conversation: { id } }]);
  });

  test("with 300 of them, pages are loaded on request and searched by title", async () => {
    const log = memory();
    const { url } = await serve(counter([]), { keys, log });
    for (let index = 0; index < 300; index++)
      await storeRun(log, {
        run: `r${index}`,
        thread: `t${index}`,
        user: "alice",
        message: `Question ${index}`,
        at: index,
      });
    const phone = browser(url, ALICE);
    await until(isReady(phone));
    expect(phone.overview()).toMatchObject({ history: { hasMore: true } });
    expect(listed(phone)).toHaveLength(50);
    await phone.loadMore();
    await phone.refresh();
    expect(listed(phone)).toHaveLength(250);
    await phone.loadMore();
    expect(new Set(listed(phone)).size).toBe(300);
    expect(phone.overview().history).toEqual({ state: "ready", hasMore: false });
    expect(await phone.search("question 7")).toHaveLength(11);
  });

  test("a failure is reported, leaves the browser's own list, and can be tried again", async () => {
    const { url } = await serve(counter([]), { keys });
    const other = await talk(browser(url, ALICE), undefined, "one");
    let isDown = true;
    const phone = browser(url, ALICE, () => isDown);
    await until(() => phone.overview().history?.state === "failed");
    const own = await talk(phone, undefined, "two");
    expect(listed(phone)).toEqual([own]);
    isDown = false;
    await phone.loadMore();
    expect(listed(phone)).toEqual([own, other]);
  });

  test("nothing is sent if the earlier conversation cannot be loaded", async () => {
    const asked: Message[][] = [];
    const { url } = await serve(counter(asked), { keys });
    const office = browser(url, ALICE);
    const id = await talk(office, undefined, "one");
    let isDown = false;
    const phone = browser(url, ALICE, () => isDown);
    onStop(phone.open(id));
    await until(() => phone.get(id) !== undefined);
    isDown = true;
    await expect(phone.send(id, { content: text("two"), settings: {} })).rejects.toThrow("down");
    expect(shownMessages(phone.get(id)!)).toHaveLength(2);
    expect(asked).toHaveLength(1);
  });
});
