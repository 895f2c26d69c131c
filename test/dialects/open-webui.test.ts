import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openWebui } from "../../src/dialects/open-webui.ts";
import type { Entry, Event } from "../../src/events.ts";
import { arbitraryLog } from "../generate.ts";
import {
  call,
  ended,
  eventsIn,
  framesOf,
  itemsOf,
  linesOf,
  run,
  shown,
  start,
  statuses,
  text,
} from "./open-webui-page.ts";
import { decoded, goldenRuns, link, numbered } from "./dialect-frames.ts";

const profile = run(
  { type: "step-start", step: "s1" },
  ...text("p1", "Let me check your ", "student profile."),
  ...call("call_abc", "list_memory_blocks"),
  { type: "step-end", step: "s1", finish: "tools" },
  ended("call_abc", '[{"label":"student"}]'),
  { type: "step-start", step: "s2" },
  ...call("call_def", "read_memory_block", { label: "student" }),
  { type: "step-end", step: "s2", finish: "tools" },
  ended("call_def", "## About Me\n\nI'm studying CS..."),
  { type: "step-start", step: "s3" },
  ...text("p2", "Your student profile ", "shows that you're studying CS..."),
  { type: "step-end", step: "s3", finish: "stop" },
);

describe("cards", () => {
  test("text and calls appear in the order they started, each call with its arguments and result", () => {
    expect(shown(framesOf(profile))).toEqual([
      "Let me check your student profile.",
      '[list_memory_blocks {} completed: [{"label":"student"}]]',
      '[read_memory_block {"label":"student"} completed: ## About Me\n\nI\'m studying CS...]',
      "Your student profile shows that you're studying CS...",
    ]);
  });

  test("a character that was split is sent whole, and a lone half is marked as lost", () => {
    const halves = run({ type: "step-start", step: "s1" }, ...text("p1", "an owl \ud83e", "\udd89, half \ud83e"), {
      type: "step-end",
      step: "s1",
      finish: "stop",
    });
    expect(shown(framesOf(halves))).toEqual(["an owl 🦉, half \ufffd"]);
    for (const { data } of framesOf(halves)) expect(data).not.toMatch(/\\ud[89a-f]/);
  });

  test("a call spins with its name, then runs with its arguments, then has its result", () => {
    const frames = framesOf(profile);
    const at = (type: string, from = 0) => frames.findIndex(({ data }, index) => index >= from && data.includes(type));
    const states = [
      at('"function_call"'),
      at("function_call_arguments.done"),
      at("output_item.done"),
      at('"function_call_output"'),
    ].map((index) => itemsOf(frames.slice(0, index + 1)).find(({ type }) => type === "function_call"));
    expect(states).toMatchObject([
      { name: "list_memory_blocks", arguments: "", status: "in_progress" },
      { arguments: "{}", status: "in_progress" },
      { arguments: "{}", status: "completed" },
      { arguments: "{}", status: "completed" },
    ]);
  });

  test("a call has its call_id only once its result is there, because some versions confuse the two", () => {
    const frames = framesOf(profile);
    const result = frames.findIndex(({ data }) => data.includes('"function_call_output"'));
    const calls = (count: number) => itemsOf(frames.slice(0, count)).filter(({ type }) => type === "function_call");
    expect(calls(result + 1)[0]).not.toHaveProperty("call_id");
    expect(calls(frames.length)).toMatchObject([{ call_id: "call_abc" }, { call_id: "call_def" }]);
  });

  test("a failed call is marked as failed and its result starts with Error", () => {
    const error = { code: "no-file", message: "There is no such file" };
    const frames = framesOf(run(...call("c", "read_file"), { type: "tool-end", call: "c", outcome: "error", error }));
    expect(shown(frames)).toEqual(["[read_file {} failed: Error: There is no such file]"]);
    expect(itemsOf(frames)[1]).toMatchObject({ type: "function_call_output", status: "failed" });
  });

  test.each([
    ["denied", "rejected", "It was not allowed."],
    ["cancelled", "failed", "It was cancelled."],
    ["timeout", "failed", "It timed out."],
    ["interrupted", "failed", "It was interrupted."],
  ] as const)("a call that was %s is %s", (outcome, status, words) => {
    const frames = framesOf(run(...call("c", "bash"), { type: "tool-end", call: "c", outcome }));
    expect(shown(frames)).toEqual([`[bash {} ${status}: Error: ${words}]`]);
  });

  test("parallel calls end independently", () => {
    const events = [...call("a", "one"), ...call("b", "two"), ended("b", "2"), ended("a", "1")];
    expect(shown(framesOf(run(...events)))).toEqual(["[one {} completed: 1]", "[two {} completed: 2]"]);
    expect(shown(framesOf(numbered([start, ...events.slice(0, -1)])))).toEqual([
      "[one {} completed: …]",
      "[two {} completed: 2]",
    ]);
  });

  test("at the end, each result follows its call, because otherwise Open WebUI would omit it from the history", () => {
    const events = [
      ...call("a", "x"),
      ...call("b", "y"),
      ended("a", "1"),
      ...call("c", "z"),
      ended("b", "2"),
      ended("c", "3"),
    ];
    const items = itemsOf(framesOf(run(...events)));
    expect(items.map(({ id }) => id)).toEqual(["a", "fco_a", "b", "fco_b", "c", "fco_c"]);
  });

  test("a sub-agent's calls are cards with its name, its text is not shown, and its statuses are attributed", () => {
    const frames = framesOf(
      run(
        ...call("t", "task"),
        { type: "agent-start", agent: "a", call: "t", name: "researcher" },
        { type: "step-start", agent: "a", step: "s" },
        { type: "text-start", agent: "a", part: "p" },
        { type: "text-delta", agent: "a", part: "p", delta: "secret" },
        { type: "text-end", agent: "a", part: "p" },
        ...call("c", "search", {}, "a"),
        { type: "status", agent: "a", call: "c", text: "Searching" },
        { ...ended("c", "found"), agent: "a" } as Event,
        { type: "step-end", agent: "a", step: "s", finish: "stop" },
        { type: "agent-end", agent: "a", outcome: "done" },
        ended("t", "report"),
      ),
    );
    expect(shown(frames)).toEqual(["[task {} completed: report]", "[researcher › search {} completed: found]"]);
    expect(JSON.stringify(frames)).not.toContain("secret");
    expect(statuses(frames)).toEqual([
      "Thinking...",
      "🔧 task...",
      "🤖 Sub-agent: researcher...",
      "🤖 Sub-agent: researcher › 🔧 search...",
      "🤖 Sub-agent: researcher › Searching",
      "🤖 Sub-agent: researcher...",
      "🔧 task...",
      "Thinking...",
      "Complete ✓",
    ]);
  });

  test("thinking is an item with its start, end and duration", () => {
    const entries: Entry[] = [
      { seq: 1, at: 10_000, event: start },
      { seq: 2, at: 11_000, event: { type: "thinking-start", part: "t" } },
      { seq: 3, at: 12_000, event: { type: "thinking-delta", part: "t", delta: "Hm." } },
      { seq: 4, at: 14_000, event: { type: "thinking-end", part: "t" } },
    ];
    expect(itemsOf(framesOf(entries))).toMatchObject([
      { type: "reasoning", status: "completed", started_at: 11, ended_at: 14, duration: 3, content: [{ text: "Hm." }] },
    ]);
  });

  test("a replacement takes the place of its part", () => {
    const events: Event[] = [
      ...text("p", "first"),
      ...call("c", "look"),
      ended("c", "x"),
      { type: "text-start", part: "q", replaces: "p" },
    ];
    const frames = framesOf(run(...events, { type: "text-delta", part: "q", delta: "second" }));
    expect(shown(frames)).toEqual(["second", "[look {} completed: x]"]);
  });

  test("a tool's own text is shown unchanged", () => {
    const words: Event[] = [
      { type: "text-start", part: "p", call: "c" },
      { type: "text-delta", part: "p", delta: "**not bold** ```" },
      { type: "text-end", part: "p" },
    ];
    const [, shownText] = shown(framesOf(run(...call("c", "look"), ...words, ended("c", "x"))));
    expect(shownText).toBe("```text\n**not bold** `\u200b`\u200b`\u200b\n```");
  });

  test("names that Open WebUI renders specially are changed", () => {
    const names = framesOf(
      run(...call("a", "ask_user"), ended("a", "x"), ...call("b", "<b>**x**`$[1]"), ended("b", "x")),
    );
    expect(itemsOf(names).flatMap(({ name }) => (name ? [name] : []))).toEqual(["ask-user", "bx1"]);
  });
});

describe("around the message", () => {
  const of = (event: Event) => framesOf(run(event));

  test("each citation is one source", () => {
    const [source] = eventsIn(
      of({
        type: "citation",
        citation: "c1",
        title: "A",
        url: "https://a.example/",
        text: "words",
        author: "Ann",
        published: "2025-12-31",
        accessed: "2026-01-02T03:04:05Z",
      }),
      "source",
    );
    expect(source).toEqual({
      source: { id: "c1", name: "A", url: "https://a.example/" },
      document: ["```text\nwords\n```"],
      metadata: [
        {
          source: "c1",
          name: "A",
          url: "https://a.example/",
          author: "Ann",
          publication_date: "2025-12-31",
          date_accessed: "2026-01-02T03:04:05Z",
        },
      ],
    });
  });

  test("images of a result are Markdown below its card, because newer versions show no other image of ours", () => {
    const image = { type: "file", file: "f1", mediaType: "image/png", name: "owl.png", bytes: 9 } as const;
    const frames = framesOf(
      run(...call("c", "draw"), ended("c", "drawn", { content: [{ type: "text", text: "drawn" }, image] })),
    );
    const [result, below] = itemsOf(frames).slice(-2);
    expect(result!["files"]).toEqual([{ type: "file", url: link(image), name: "owl.png", size: 9 }]);
    expect(below).toMatchObject({
      type: "message",
      content: [{ text: `![owl.png](${link(image)} "Result of draw")` }],
    });
  });

  test("a status that another server sends as hidden clears the line", () => {
    const read = (data: object) => decoded(openWebui, [{ data: JSON.stringify({ event: { type: "status", data } }) }]);
    expect(read({ description: "Working", done: false })).toEqual([{ type: "status", text: "Working" }]);
    expect(read({ description: "Working", done: false, hidden: true })).toEqual([{ type: "status", text: "" }]);
  });

  test("files and images are shown by name in their latest state, and stored once", () => {
    const frames = framesOf(
      run(
        { type: "file", name: "lectures/a.txt", file: "f1", mediaType: "text/plain" },
        { type: "file", name: "b.png", file: "f2", mediaType: "image/png" },
        { type: "file", name: "lectures/a.txt", file: "f3", mediaType: "text/plain", change: "changed" },
        { type: "file", name: "x", url: "javascript:alert(1)" },
      ),
    );
    expect(JSON.stringify(frames)).not.toContain("image/png");
    const emitted = (type: string) =>
      eventsIn(frames, type).map(({ files }) =>
        files.map((file: any) => `${file.type} ${file.name} ${file.url.at(-1)}`),
      );
    expect(emitted("chat:message:files")).toEqual([
      ["file a.txt 1"],
      ["file b.png 2", "file a.txt 1"],
      ["file a.txt 3", "file b.png 2"],
    ]);
    expect(emitted("files")).toEqual([["file a.txt 3", "file b.png 2"]]);
  });

  test("embeds by id, todos as tasks, suggestions, a title, toasts", () => {
    const frames = framesOf(
      run(
        { type: "embed", embed: "chart", html: "<p>1</p>" },
        { type: "embed", embed: "chart", html: "<p>2</p>" },
        { type: "data", name: "todos", value: [{ id: "1", text: "look", status: "active" }] },
        { type: "data", name: "todos", patch: [{ op: "replace", path: "/0/status", value: "done" }] },
        { type: "data", name: "follow-ups", value: ["And now?"] },
        { type: "data", name: "title", value: "A title" },
        { type: "notice", level: "warning", text: "careful" },
      ),
    );
    expect(eventsIn(frames, "embeds").at(-1)).toEqual({ embeds: [expect.stringMatching(/<p>2<\/p>$/)], replace: true });
    expect(eventsIn(frames, "chat:message:tasks").map(({ tasks }) => tasks[0].status)).toEqual([
      "in_progress",
      "completed",
    ]);
    expect(eventsIn(frames, "chat:message:follow_ups")).toEqual([{ follow_ups: ["And now?"] }]);
    expect(eventsIn(frames, "chat:title")).toEqual(["A title"]);
    expect(eventsIn(frames, "notification")).toEqual([{ type: "warning", content: "careful" }]);
  });

  test("embedded HTML posts its height, once, and after its doctype", () => {
    const own = `<p>1</p><script>parent.postMessage({ type: "iframe:height", height: 40 }, "*")</script>`;
    const frames = framesOf(
      run(
        { type: "embed", embed: "plain", html: "<p>1</p>" },
        { type: "embed", embed: "whole", html: "\n<!DOCTYPE html><html lang=en><p>1</p></html>" },
        { type: "embed", embed: "own", html: own },
        { type: "embed", embed: "url", url: "https://charts.example/1" },
      ),
    );
    const [plain, whole, ...unchanged] = eventsIn(frames, "embeds").at(-1)!["embeds"] as string[];
    for (const html of [plain, whole]) {
      expect(html).toMatch(/^\s*<!doctype html><script>[^<]+<\/script>/i);
      expect(html!.match(/iframe:height/g)).toHaveLength(1);
      expect(html!.match(/<!doctype/gi)).toHaveLength(1);
    }
    expect(whole).toMatch(/<html lang=en><p>1<\/p><\/html>$/);
    expect(unchanged).toEqual([own, "https://charts.example/1"]);
  });

  test("progress is shown at most once a second, because each status is stored", () => {
    const progress = Array.from({ length: 50 }, (_, index): Event => ({
      type: "tool-progress",
      call: "c",
      fraction: index / 50,
    }));
    const entries = run(...call("c", "compile"), ...progress, ended("c", "x")).map((entry) => ({
      ...entry,
      at: entry.seq * 100,
    }));
    expect(statuses(framesOf(entries)).filter((line) => line.includes("%")).length).toBeLessThanOrEqual(6);
  });

  test("an ask shows that it waits and where to answer, until it is answered", () => {
    const ask: Event = { type: "ask-start", ask: "a", kind: "approval", call: "c", title: "Allow send?", value: {} };
    const before = framesOf(numbered([start, ...call("c", "send"), ask]));
    expect(shown(before).at(-1)).toBe("✋ `Allow send?` [Answer here](http://runcast/?run=r&answer)");
    expect(statuses(before).at(-1)).toBe("✋ Allow send? (waiting for your answer)");
    const after = framesOf(
      numbered([start, ...call("c", "send"), ask, { type: "ask-end", ask: "a", outcome: "answered" }]),
    );
    expect(shown(after)).toEqual(["[send {} completed: …]"]);
  });
});

describe("the end", () => {
  test("reports the usage, that everything is complete, and that it is done", () => {
    const frames = framesOf(numbered([start, { type: "run-end", outcome: "done", usage: { input: 3, output: 4 } }]));
    expect(linesOf(frames).at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } });
    expect(statuses(frames)).toEqual(["Thinking...", "Complete ✓"]);
    expect(frames.at(-1)?.data).toBe("[DONE]");
  });

  test.each([
    ["error", "Failed ✓"],
    ["interrupted", "Failed ✓"],
    ["cancelled", "Stopped ✓"],
  ] as const)(
    "the end of a run that was %s closes every call and the status, and is an error unless it was stopped",
    (outcome, last) => {
      const error = { code: "boom", message: "It broke." };
      const frames = framesOf(numbered([start, ...call("c", "bash"), { type: "run-end", outcome, error }]));
      expect(shown(frames)).toEqual(["[bash {} failed: Error: It was interrupted.]"]);
      expect(statuses(frames).at(-1)).toBe(last);
      const problem = linesOf(frames).find((line) => line["error"]);
      if (outcome === "cancelled") expect(problem).toBeUndefined();
      else expect(problem).toMatchObject({ error: { message: "It broke." } });
      expect(frames.at(-1)?.data).toBe("[DONE]");
    },
  );

  test("leaves no call open and no status unfinished, for any log", () => {
    const check = (entries: readonly Entry[]) => {
      const frames = framesOf(entries);
      const items = itemsOf(frames);
      const results = new Set(items.flatMap(({ type, call_id: id }) => (type === "function_call_output" ? [id] : [])));
      for (const item of items) if (item["type"] === "function_call") expect(results).toContain(item["call_id"]);
      expect(eventsIn(frames, "status").at(-1)?.done).toBe(true);
    };
    for (const [, entries] of goldenRuns) check(entries);
    fc.assert(fc.property(arbitraryLog(), check), { numRuns: 50 });
  });
});
