import { describe, expect, test } from "vitest";
import type { ThreadRun } from "../../src/protocol.ts";
import { addMessage, createConversation, shownMessages } from "../../web/src/conversations/conversation.ts";
import { mergeThread } from "../../web/src/conversations/merge-thread.ts";

const run = (name: string, previous: string | null | undefined, text: string, startedAt: number): ThreadRun => ({
  run: name,
  agent: "demo",
  startedAt,
  endedAt: startedAt + 5,
  message: { role: "user", content: [{ type: "text", text }] },
  ...(previous !== undefined && { previous }),
});
const shown = (runs: readonly ThreadRun[]) =>
  shownMessages(mergeThread(undefined, "t", runs)).map((message) =>
    message.role === "user" ? (message.content[0] as { text: string }).text : message.run,
  );

describe("a conversation from the runs of a thread", () => {
  test("has their messages in order, the first as its title", () => {
    const merged = mergeThread(undefined, "t", [run("a", null, "one", 10), run("b", "a", "two", 20)]);
    expect(merged).toMatchObject({ id: "t", title: "one", createdAt: 10, updatedAt: 25 });
    expect(shown([run("a", null, "one", 10), run("b", "a", "two", 20)])).toEqual(["one", "a", "two", "b"]);
  });

  test("has retries and edits as branches, the newest chosen", () => {
    const runs = [run("a", null, "one", 10), run("b", "a", "two", 20), run("c", "a", "two", 30)];
    const merged = mergeThread(undefined, "t", [...runs, run("d", null, "another", 40)]);
    expect(shownMessages(merged).map(({ id }) => id)).toEqual(["d-question", "d-answer"]);
    expect(merged.messages.filter(({ role }) => role === "user")).toHaveLength(3);
    expect(shown(runs)).toEqual(["one", "a", "two", "c"]);
  });

  test("of another client is one branch in the order of its runs", () => {
    expect(shown([run("a", undefined, "one", 10), run("b", undefined, "one", 20)])).toEqual(["one", "a", "one", "b"]);
    // The run that it continues was deleted.
    expect(shown([run("a", "gone", "one", 10), run("b", "gone", "two", 20)])).toEqual(["one", "a", "two", "b"]);
  });

  test("a retry of a message with a file is a branch, although each run has its own copy of the file", () => {
    const withFile = (name: string, at: number): ThreadRun => ({
      ...run(name, null, "", at),
      message: {
        role: "user",
        content: [{ type: "file", run: name, file: `f-${name}`, name: "a.png", mediaType: "image/png", bytes: 3 }],
      },
    });
    const merged = mergeThread(undefined, "t", [withFile("a", 10), withFile("b", 20)]);
    expect(merged.messages.map(({ id }) => id)).toEqual(["a-question", "a-answer", "b-answer"]);
  });

  test("adds only what is new, and the same when merged again", () => {
    const own = addMessage(
      addMessage(createConversation("t", 1), {
        id: "q",
        at: 1,
        role: "user",
        content: [{ type: "text", text: "one" }],
      }),
      { id: "w", parent: "q", at: 2, role: "assistant", run: "a", settings: {} },
    );
    const runs = [run("a", null, "one", 1), run("b", "a", "two", 20)];
    const merged = mergeThread(own, "t", runs);
    expect(merged.messages.map(({ id }) => id)).toEqual(["q", "w", "b-question", "b-answer"]);
    expect(merged.messages[2]!.parent).toBe("w");
    expect(mergeThread(merged, "t", runs)).toBe(merged);
  });

  test("with 2,000 runs is merged whole", () => {
    const runs = Array.from({ length: 2000 }, (_, index) =>
      run(`r${index}`, index === 0 ? null : `r${index - 1}`, `message ${index}`, index * 10),
    );
    expect(shownMessages(mergeThread(undefined, "t", runs))).toHaveLength(4000);
  });
});
