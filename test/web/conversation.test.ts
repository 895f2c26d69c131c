import { describe, expect, test } from "vitest";
import type { Usage } from "../../src/events.ts";
import {
  addMessage,
  branchesOf,
  type ChatMessage,
  chooseMessage,
  type Conversation,
  conversationUsage,
  createConversation,
  endRun,
  forkConversation,
  renameConversation,
  requestMessages,
  shownMessages,
} from "../../web/src/conversations/conversation.ts";

const user = (id: string, parent: string | undefined, text = id): ChatMessage => ({
  id,
  ...(parent !== undefined && { parent }),
  at: Number(id.slice(1)),
  role: "user",
  content: [{ type: "text", text }],
});
const answer = (id: string, parent: string): ChatMessage => ({
  id,
  parent,
  at: Number(id.slice(1)),
  role: "assistant",
  run: `run-${id}`,
  settings: {},
});
const of = (...messages: ChatMessage[]): Conversation => messages.reduce(addMessage, createConversation("c", 0));
const ids = (conversation: Conversation): string[] => shownMessages(conversation).map(({ id }) => id);

describe("a conversation", () => {
  const linear = of(user("u1", undefined, "What is\n this?"), answer("a2", "u1"), user("u3", "a2"), answer("a4", "u3"));

  test("is titled by its first message, until the user names it", () => {
    expect(linear.title).toBe("What is this?");
    expect(endRun(linear, "run-a2", { outcome: "done", output: [], at: 9, title: "A title" }).title).toBe("A title");
    const named = renameConversation(linear, "  Mine ");
    expect(named.title).toBe("Mine");
    const hiding = endRun(linear, "run-a2", { outcome: "done", output: [], at: 9, title: "A\u202E title\n" });
    expect(hiding.title).toBe("A⟦U+202E⟧ title");
    expect(endRun(named, "run-a2", { outcome: "done", output: [], at: 9, title: "A title" }).title).toBe("Mine");
    expect(renameConversation(named, " ").title).toBe("Mine");
  });

  test("an edit and a rerun are branches: the newest is shown, the others can be selected, nothing is lost", () => {
    const edited = [user("u5", "a2"), answer("a6", "u5"), answer("a7", "u5")].reduce(addMessage, linear);
    expect(ids(edited)).toEqual(["u1", "a2", "u5", "a7"]);
    const beside = branchesOf(edited);
    expect(shownMessages(edited).map(beside)).toEqual([["u1"], ["a2"], ["u3", "u5"], ["a6", "a7"]]);
    expect(ids(chooseMessage(edited, "u3"))).toEqual(["u1", "a2", "u3", "a4"]);
    expect(ids(chooseMessage(chooseMessage(edited, "u3"), "a6"))).toEqual(["u1", "a2", "u5", "a6"]);
    expect(edited.messages).toHaveLength(7);
  });

  test("the first message can be edited as well", () => {
    const edited = addMessage(linear, user("u8", undefined));
    expect(ids(edited)).toEqual(["u8"]);
    expect(ids(chooseMessage(edited, "a4"))).toEqual(["u1", "a2", "u3", "a4"]);
  });

  test("accepts a message once, and none whose parent is unknown", () => {
    expect(addMessage(linear, user("u3", "a2", "again"))).toBe(linear);
    expect(() => addMessage(linear, user("u9", "nobody"))).toThrow("there is no message nobody in conversation c");
  });

  test("a fork is a separate conversation with the same beginning", () => {
    const branched = addMessage(linear, user("u5", "a2"));
    const fork = forkConversation(branched, "a2", { id: "d", at: 50 });
    expect(fork).toMatchObject({ id: "d", title: linear.title, origin: { conversation: "c", message: "a2" } });
    expect(ids(fork)).toEqual(["u1", "a2"]);
    expect(ids(addMessage(fork, user("u51", "a2")))).toEqual(["u1", "a2", "u51"]);
    expect(ids(forkConversation(branched, undefined, { id: "d", at: 50 }))).toEqual([]);
  });

  test("the next request contains the conversation with calls and results, on the selected branch", () => {
    const output = [
      { role: "assistant" as const, content: [{ type: "call" as const, call: "k", name: "add", input: { a: 1 } }] },
      {
        role: "tool" as const,
        content: [{ type: "result" as const, call: "k", name: "add", content: [{ type: "text" as const, text: "2" }] }],
      },
      { role: "assistant" as const, content: [{ type: "text" as const, text: "Two." }] },
    ];
    const ended = endRun(linear, "run-a2", { outcome: "done", output, at: 99 });
    expect(ended.updatedAt).toBe(99);
    const [first] = requestMessages(ended, "u1");
    expect(requestMessages(ended, "u3")).toEqual([
      first,
      ...output,
      { role: "user", content: [{ type: "text", text: "u3" }] },
    ]);
    // An end is recorded once, by the first tab that sees it.
    expect(endRun(ended, "run-a2", { outcome: "error", output: [], at: 100 })).toBe(ended);
  });

  test("after a failed answer that was continued, only the messages of its finished steps are sent", () => {
    const say = (words: string) => ({ role: "assistant" as const, content: [{ type: "text" as const, text: words }] });
    const failed = of(user("u1", undefined), answer("a2", "u1"));
    const ended = endRun(failed, "run-a2", { outcome: "error", output: [say("one"), say("half")], at: 9 });
    const continued = addMessage(ended, { ...user("u3", "a2"), keeps: 1 } as ChatMessage);
    const textsOf = (conversation: Conversation, message: string) =>
      requestMessages(conversation, message).map(({ content }) => (content[0] as { text: string }).text);
    expect(textsOf(continued, "u3")).toEqual(["u1", "one", "u3"]);
    expect(textsOf([answer("a4", "u3"), user("u5", "a4")].reduce(addMessage, continued), "u5")).toEqual([
      "u1",
      "one",
      "u3",
      "u5",
    ]);
    expect(textsOf(addMessage(ended, user("u6", "a2")), "u6")).toEqual(["u1", "one", "half", "u6"]);
  });

  test("what all runs used together is shown, of every branch, if there are several", () => {
    const rerun = addMessage(linear, answer("a5", "u3"));
    const end = (at: Conversation, run: string, usage: Usage) =>
      endRun(at, run, { outcome: "done", output: [], at: 9, usage });
    const one = end(rerun, "run-a2", { input: 1000, output: 10, cost: 0.0004 });
    const two = end(one, "run-a4", { input: 204, output: 5, cost: 0.0003 });
    const all = end(two, "run-a5", { input: 1 });
    expect([rerun, one, two, all].map(conversationUsage)).toEqual([
      "",
      "",
      "1,204 tokens in, 15 out, $0.0007",
      "1,205 tokens in, 15 out, $0.0007",
    ]);
  });
});
