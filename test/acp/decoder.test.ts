import { readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Event, EventOf, EventType } from "../../src/events.ts";
import { Decoder } from "../../src/sources/acp/decoder.ts";
import { unifiedDiff } from "../../src/sources/acp/unified-diff.ts";
import { expectFaithful } from "./facts.ts";
import { linesIn, replay } from "./recording.ts";

const directory = path.join(import.meta.dirname, "recordings");
const replayed = (name: string) => replay(linesIn(path.join(directory, `${name}.jsonl`)))[0]!;
const all = <Type extends EventType>(name: string, type: Type): EventOf<Type>[] =>
  replayed(name).events.filter((event): event is EventOf<Type> => event.type === type);
const typesOf = (name: string): string[] =>
  replayed(name)
    .events.map(({ type }) => type)
    .filter((type) => !type.startsWith("text") && !type.startsWith("step"));

test.each(readdirSync(directory))("%s: the run shows the agent's output", async (file) => {
  await expectFaithful(replay(linesIn(path.join(directory, file)))[0]!);
});

describe("calls", () => {
  test("a permission request precedes the execution, even after in_progress", () => {
    expect(typesOf("edit-asked-late")).toEqual([
      "tool-start",
      "tool-input-end",
      "ask-start",
      "ask-end",
      "tool-execute",
      "status",
      "file",
      "tool-end",
      "run-end",
    ]);
    expect(all("edit-asked-late", "tool-input-end")[0]).toMatchObject({ input: { path: "notes.txt" } });
    expect(all("edit-asked-late", "ask-start")[0]).toMatchObject({
      kind: "approval",
      title: "Allow Edit?",
      message: "Edit the notes",
      value: { path: "/workspace/notes.txt", diff: expect.stringContaining("-two\n+2\n") },
      options: [
        { id: "once", label: "Allow once", allow: true },
        { id: "always", label: "Always allow", allow: true },
        { id: "no", label: "Reject", allow: false },
        { id: "never", label: "Never ask again", allow: false },
      ],
    });
  });

  test("an edit is shown as a diff with its result, and the file as changed", () => {
    const { content, value } = all("edit-asked-late", "tool-end")[0]!;
    expect(content).toEqual([
      { type: "text", text: "Replaced 1 line" },
      {
        type: "text",
        text: expect.stringMatching(/^--- \/workspace\/notes.txt\n\+\+\+ .*\n@@ @@\n one\n-two\n\+2\n three$/),
      },
    ]);
    expect(value).toEqual({ kind: "edit" });
    expect(all("edit-asked-late", "file")).toMatchObject([{ name: "/workspace/notes.txt", change: "changed" }]);
  });

  test("a denied call ends as denied, regardless of what the agent reports", () => {
    for (const name of ["edit-denied-unsaid", "edit-denied-ends", "edit-denied-ran"]) {
      expect(all(name, "tool-end"), name).toMatchObject([{ outcome: "denied" }]);
      expect(all(name, "tool-execute"), name).toEqual([]);
      expect(all(name, "run-end"), name).toMatchObject([{ outcome: "done" }]);
    }
    expect(all("edit-denied-unsaid", "tool-start")[0]).toMatchObject({ name: "replace" });
    expect(all("edit-denied-ran", "notice")).toMatchObject([{ level: "warning" }]);
  });

  test("output arrives in pieces, however the agent reports it", () => {
    const pieces = (name: string) => all(name, "tool-output-delta").map(({ delta }) => delta);
    expect(pieces("shell-snapshots")).toEqual(["1\n", "2\n"]);
    expect(pieces("shell-terminal")).toEqual(["1\n", "2\n"]);
    expect(pieces("shell-fails")).toEqual(["\u001b[31mno\u001b[0m\n"]);
    expect(all("shell-terminal", "tool-end")[0]).toMatchObject({
      outcome: "ok",
      content: [{ text: "1\n2\n" }],
      value: { exitCode: 0 },
    });
  });

  test("a command with a nonzero exit code has failed, even if the agent reports it as completed", () => {
    expect(all("shell-fails", "tool-end")[0]).toMatchObject({
      outcome: "error",
      error: { code: "exit", message: "The command ended with exit code 3." },
      value: { kind: "execute", exitCode: 3 },
    });
  });

  test("a command that the user stopped is cancelled, even if the agent reports it as completed", () => {
    expect(all("cancel-completed", "tool-end")).toMatchObject([{ outcome: "cancelled" }]);
    expect(all("cancel-completed", "run-end")).toMatchObject([{ outcome: "cancelled" }]);
  });

  test("a withdrawn permission request ends before its call", () => {
    for (const name of ["cancel-ask", "ends-while-asked"]) {
      const types = typesOf(name);
      expect(types.indexOf("ask-end"), name).toBeLessThan(types.indexOf("tool-end"));
      expect(
        types.filter((type) => type === "ask-end"),
        name,
      ).toHaveLength(1);
    }
  });

  test("no execution is reported without evidence", () => {
    expect(all("two-tools", "tool-execute")).toEqual([]);
    expect(all("two-tools", "tool-end")).toMatchObject([
      { outcome: "ok", content: [{ type: "text", text: "A" }] },
      { outcome: "error", error: { message: "There is no b." } },
    ]);
    expect(all("two-tools", "step-start")).toHaveLength(2);
  });

  test("a call in progress counts as executing after two ticks without a permission request", () => {
    let count = 0;
    const decoder = new Decoder({ newId: (kind) => `${kind}${++count}` });
    decoder.update({ sessionUpdate: "tool_call", toolCallId: "a", title: "wait", status: "in_progress" });
    expect([decoder.isHolding, decoder.tick()]).toEqual([true, []]);
    expect(decoder.tick().map(({ type }) => type)).toEqual(["tool-input-end", "tool-execute"]);
    // A request that comes even later can only be confirmed or denied.
    const { events } = decoder.permission({ toolCall: { toolCallId: "a" }, options: [] });
    expect(events.at(-1)).toMatchObject({ type: "ask-start", kind: "confirmation" });
  });
});

describe("answers", () => {
  const replyTo = (answer: object) => {
    const decoder = new Decoder({ newId: (kind) => `${kind}-1` });
    const kinds = ["allow_always", "allow_once", "reject_always", "reject_once"];
    const options = kinds.map((kind) => ({ optionId: kind, name: kind, kind }));
    const { ask } = decoder.permission({ toolCall: { toolCallId: "a", title: "x" }, options });
    return (decoder.answered(ask, answer).reply as { outcome: { optionId?: string } }).outcome.optionId;
  };

  test("select the option that the user chose, otherwise the narrowest one", () => {
    expect(replyTo({ allow: true, option: "allow_always" })).toBe("allow_always");
    expect(replyTo({ allow: true, option: "allow_once" })).toBe("allow_once");
    expect(replyTo({ allow: true })).toBe("allow_once");
    expect(replyTo({ allow: true, always: true })).toBe("allow_always");
    expect(replyTo({ allow: false })).toBe("reject_once");
    expect(replyTo({ allow: false, option: "reject_always" })).toBe("reject_always");
  });

  test("never select an option with the opposite meaning", () => {
    expect(replyTo({ allow: false, option: "allow_always" })).toBe("reject_once");
  });

  test("fill in a form, choose from it, decline it or dismiss it", () => {
    const form = (properties: object) => {
      const decoder = new Decoder({ newId: (kind) => `${kind}-1` });
      const { ask, events } = decoder.form({ message: "Which?", requestedSchema: { type: "object", properties } });
      return { event: events[0] as Event, reply: (answer?: object) => decoder.answered(ask, answer).reply };
    };
    const one = { drink: { enum: ["tea", "coffee"] } };
    const two = { name: { type: "string" }, age: { type: "integer" } };
    expect(form(one).event).toMatchObject({ kind: "choice", options: [{ value: "tea" }, { value: "coffee" }] });
    expect(form(one).reply({ value: "tea" })).toEqual({ action: "accept", content: { drink: "tea" } });
    expect(form(two).event).toMatchObject({ kind: "input", schema: { properties: two } });
    expect(form(two).reply({ value: { name: "Ada", age: 36 } })).toEqual({
      action: "accept",
      content: { name: "Ada", age: 36 },
    });
    expect(form(two).reply({ value: null })).toEqual({ action: "decline" });
    expect(form(two).reply()).toEqual({ action: "cancel" });
  });
});

describe("what has no text", () => {
  const decoder = () => {
    let count = 0;
    return new Decoder({ newId: (kind) => `${kind}${++count}` });
  };
  const picture = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" };
  const link = { type: "resource_link", uri: "https://a.example/plan.md", name: "The plan" };

  test("images and links in a message are named", () => {
    const one = decoder();
    const events = [picture, link].flatMap((content) => one.update({ sessionUpdate: "agent_message_chunk", content }));
    expect(events.flatMap((event) => (event.type === "text-delta" ? [event.delta] : []))).toEqual([
      "[image/png, 12 characters in base64]",
      "[The plan](https://a.example/plan.md)",
    ]);
  });

  test("an image in a result is named, without its bytes", () => {
    const content = [{ type: "content", content: picture }];
    const call = { sessionUpdate: "tool_call", toolCallId: "c", title: "Read owl.png", status: "completed" };
    const events = decoder().update({ ...call, content, rawOutput: { data: picture.data } });
    expect(events.at(-1)).toMatchObject({
      type: "tool-end",
      content: [{ type: "text", text: "[image/png, 12 characters in base64]" }],
    });
  });

  test("a conversation that could not be compacted is a notice", () => {
    const of = (fields: object) => decoder().update({ sessionUpdate: "compaction_update", ...fields });
    expect(of({ status: "in_progress" })).toEqual([{ type: "status", text: "Compacting the conversation…" }]);
    expect(of({ status: "failed", error: "Out of tokens." })).toEqual([
      { type: "status", text: "" },
      { type: "notice", level: "warning", text: "The agent could not compact the conversation: Out of tokens." },
    ]);
  });
});

describe("a prompt", () => {
  test("a prompt without text or calls has no answer", () => {
    expect(all("empty", "run-end")).toMatchObject([{ outcome: "error", error: { code: "empty-answer" } }]);
  });

  test("reports its tokens, including cached ones", () => {
    expect(all("hello", "run-end")[0]?.usage).toEqual({ input: 110, output: 10, cached: 20 });
    expect(all("hello", "data")).toMatchObject([
      { name: "title", value: "A greeting" },
      { name: "context", value: { used: 120, size: 1000 } },
    ]);
  });

  test("reports why it stopped", () => {
    expect(all("plan", "step-end").at(-1)).toMatchObject({ finish: "length" });
  });

  test("shows the work of a sub-agent inside the call that started it", () => {
    const [start] = all("sub-agent", "agent-start");
    expect(start).toMatchObject({
      name: "explorer",
      task: "Look around",
      call: all("sub-agent", "tool-start")[0]?.call,
    });
    expect(all("sub-agent", "tool-start")[1]).toMatchObject({ agent: start?.agent, name: "Read" });
    expect(all("sub-agent", "agent-end")).toMatchObject([{ outcome: "done" }]);
  });

  test("a sub-agent ends as cancelled if the run is stopped while it works", () => {
    const lines = linesIn(path.join(directory, "sub-agent.jsonl")).filter(({ at }) => at < 40);
    const stop = { jsonrpc: "2.0", method: "session/cancel", params: { sessionId: "s1" } };
    const answer = { jsonrpc: "2.0", id: 2, result: { stopReason: "cancelled" } };
    const { events } = replay([
      ...lines,
      { at: 50, from: "client", message: stop },
      { at: 60, from: "agent", message: answer },
    ])[0]!;
    expect(events.filter(({ type }) => type === "agent-end")).toMatchObject([{ outcome: "cancelled" }]);
    expect(events.filter(({ type }) => type === "tool-end")).toMatchObject([
      { outcome: "cancelled" },
      { outcome: "cancelled" },
    ]);
  });
});

describe("diffs", () => {
  const text = (...lines: string[]) => `${lines.join("\n")}\n`;

  test("have line numbers if they are known", () => {
    const change = {
      path: "a",
      oldText: text("1", "2", "3", "4", "5", "6"),
      newText: text("1", "2", "3", "4", "five", "6"),
    };
    expect(unifiedDiff({ ...change, line: 10 })).toBe("--- a\n+++ a\n@@ -11,5 +11,5 @@\n 2\n 3\n 4\n-5\n+five\n 6");
    expect(unifiedDiff(change)).toBe("--- a\n+++ a\n@@ @@\n 2\n 3\n 4\n-5\n+five\n 6");
  });

  test("a diff of a new file begins at its first line", () => {
    expect(unifiedDiff({ path: "a", oldText: null, newText: text("x") })).toBe(
      "--- /dev/null\n+++ a\n@@ -0,0 +1,1 @@\n+x",
    );
  });

  test("put distant changes into separate hunks", () => {
    const lines = Array.from({ length: 30 }, (_, index) => `${index}`);
    const after = lines.with(2, "two").with(25, "twenty-five");
    const hunks = unifiedDiff({ path: "a", oldText: text(...lines), newText: text(...after), line: 1 }).match(
      /^@@.*$/gm,
    );
    expect(hunks).toEqual(["@@ -1,6 +1,6 @@", "@@ -23,7 +23,7 @@"]);
  });

  test("diffs of files with nothing in common take bounded time", () => {
    const many = (word: string) => text(...Array.from({ length: 20_000 }, (_, index) => `${word}${index}`));
    expect(unifiedDiff({ path: "a", oldText: many("x"), newText: many("y") }).split("\n")).toHaveLength(40_003);
  });
});
