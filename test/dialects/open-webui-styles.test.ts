import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compatibility, isAtLeast, tableFor } from "../../src/dialects/open-webui/compatibility.ts";
import { STYLES } from "../../src/dialects/open-webui/styles.ts";
import type { Event } from "../../src/events.ts";
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
import { goldenRuns, numbered } from "./dialect-frames.ts";

const step = (id: string, finish: "tools" | "stop", ...events: Event[]): Event[] => [
  { type: "step-start", step: id },
  ...events,
  { type: "step-end", step: id, finish },
];

/** The golden story: steps, then the answer. */
const story: Event[] = [
  ...step("s1", "tools", ...text("p1", "I'll look first."), ...call("c1", "ls")),
  ended("c1", "a.md\nb.md"),
  ...step("s2", "tools", ...call("c2", "write_file", { path: "x" }), ...call("c3", "task")),
  { type: "tool-end", call: "c2", outcome: "ok" },
  { type: "agent-start", agent: "a", call: "c3", name: "researcher" },
  ...call("c4", "search", {}, "a"),
  { ...ended("c4", "hit"), agent: "a" } as Event,
  { type: "agent-end", agent: "a", outcome: "done" },
  ended("c3", "The sub-agent's **full** response. ".repeat(20)),
  ...step("s3", "stop", ...text("p2", "Here is ", "the answer.")),
];

test.each(STYLES)("%s: text that a tool replaced is gone, and the new text takes its place", (style) => {
  const words = (part: string, delta: string, replaces?: string): Event[] => [
    { type: "text-start", part, call: "c", ...(replaces !== undefined && { replaces }) },
    { type: "text-delta", part, delta },
    { type: "text-end", part },
  ];
  const paragraphs = [
    ...words("p", "Rain"),
    ...words("q", "Wind"),
    ...words("r", "Sun", "p"),
    ...words("s", "Fog", "r"),
  ];
  const events = [...step("s1", "tools", ...call("c", "look")), ...paragraphs, ended("c", "x")];
  const page = shown(framesOf(run(...events), style)).join("\n");
  expect(page).not.toMatch(/Rain|Sun/);
  expect(page).toMatch(/Fog[^]*Wind/);
});

describe("the client shows what is sent", () => {
  type Client = Parameters<typeof tableFor>[0];
  const versions = ["0.8.0", "0.10.2", "0.12.4"];
  const clients: Client[] = [
    { way: "connection" },
    ...versions.flatMap((version): Client[] => [
      { way: "native", version },
      { way: "legacy", version },
    ]),
  ];
  const runs = [
    ...goldenRuns.filter(([name]) => name !== "long").map(([, entries]) => entries),
    ...fc.sample(arbitraryLog(2), { numRuns: 5, seed: 298 }),
  ];
  /** The events around the message, and the dialogs. */
  const typesIn = (line: Record<string, any>): string[] =>
    [line["event"]?.type, line["runcast"]?.call?.type].filter((type) => type !== undefined);

  test.each(clients)("%j: only events that the table allows, and never a message event", (client) => {
    const { way, version } = client;
    const facts = way === "connection" ? "" : `; mode=${way}; open-webui=${version}; execute=1`;
    const table = tableFor(client);
    const seen = new Set<string>();
    for (const style of STYLES)
      for (const entries of runs)
        for (const line of linesOf(framesOf(entries, style + facts))) for (const type of typesIn(line)) seen.add(type);
    expect([...seen].filter((type) => !table.shows(type))).toEqual([]);
    for (const type of ["message", "chat:message:delta", "replace", "chat:message"]) expect(seen).not.toContain(type);
    expect(seen).toContain("status");
  });
});

describe("collapse", () => {
  test("steps are one block with their count, and the answer is outside", () => {
    const [steps, answer, ...rest] = shown(framesOf(run(...story), "collapse"));
    expect(rest).toEqual([]);
    expect(answer).toBe("Here is the answer.");
    expect(steps).toBe(
      [
        "<details>\n<summary>🔍 Execution Steps (4 tools)</summary>",
        "**🤖 AI:** I&#39;ll look first.",
        "**🔧 ls:** `a.md b.md`",
        "**🔧 write_file:** ✓ completed",
        "**🔧 researcher › search:** `hit`",
        `**🔧 task:** ${"The sub-agent&#39;s **full** response. ".repeat(20).trim()}`,
        "</details>\n\n",
      ].join("\n\n"),
    );
  });

  test("while they run, steps can be read line by line, and a potential answer streams outside", () => {
    const after = (count: number) => shown(framesOf(numbered([start, ...story.slice(0, count)]), "collapse"));
    expect(after(4)).toEqual(["I'll look first."]);
    expect(after(5)).toEqual(["**🤖 AI:** I'll look first."]);
    expect(after(9)).toEqual(["**🤖 AI:** I'll look first.\n\n**🔧 ls:** `a.md b.md`"]);
    expect(after(story.length - 3).at(-1)).toBe("Here is ");
  });

  test("the block is collapsed when a step of the agent ends without a call, and not before", () => {
    const folds = story.map((_, index) =>
      shown(framesOf(numbered([start, ...story.slice(0, index + 1)]), "collapse"))[0]?.startsWith("<details>"),
    );
    expect(folds.indexOf(true)).toBe(story.length - 1);
  });

  test("without a step there is no block", () => {
    expect(shown(framesOf(run(...step("s", "stop", ...text("p", "Hi."))), "collapse"))).toEqual(["Hi."]);
  });

  test("a run that breaks off is collapsed, too", () => {
    const frames = framesOf(run(...story.slice(0, 9)), "collapse");
    expect(shown(frames)[0]).toMatch(/^<details>\n<summary>🔍 Execution Steps \(1 tool\)/);
  });

  test("results are previews of 200 characters, failures are marked, and nothing in them is markup", () => {
    const hostile = "<img src=x onerror=alert(1)> **bold** ```js\n</details>";
    const error = { code: "x", message: hostile };
    const events = [...call("c1", "a"), ended("c1", "x".repeat(300)), ...call("c2", "b"), ended("c2", hostile)];
    const frames = framesOf(
      run(...events, ...call("c3", "c"), { type: "tool-end", call: "c3", outcome: "error", error }),
      "collapse",
    );
    const [, long, odd, failed] = shown(frames)[0]!.split("\n\n");
    expect(long).toBe(`**🔧 a:** \`${"x".repeat(200)}...\``);
    expect(odd).toBe("**🔧 b:** ````&lt;img src=x onerror=alert(1)&gt; **bold** ```js &lt;/details&gt;````");
    expect(failed).toMatch(/^\*\*🔧 c:\*\* ✗ ````Error: &lt;img/);
  });

  test("text that continues after a call, and interleaved parts, stay complete", () => {
    const delta = (part: string, words: string): Event => ({ type: "text-delta", part, delta: words });
    const events: Event[] = [
      { type: "step-start", step: "s" },
      { type: "text-start", part: "p" },
      delta("p", "wor"),
      { type: "tool-start", call: "c", name: "look" },
      delta("p", "ld"),
      { type: "step-end", step: "s", finish: "tools" },
      ended("c", "x"),
      { type: "step-start", step: "t" },
      { type: "text-start", part: "q" },
      { type: "text-start", part: "r" },
      delta("q", "a"),
      delta("r", "c"),
      delta("q", "b"),
      delta("r", "d"),
      { type: "step-end", step: "t", finish: "stop" },
    ];
    const [steps, answer] = shown(framesOf(run(...events), "collapse"));
    expect(steps).toContain("**🤖 AI:** world\n");
    expect(answer).toBe("ab\n\ncd");
  });
});

describe("citations", () => {
  test("a call is a status while it runs, and then a source with the whole result", () => {
    const whole = "line\n".repeat(5000);
    const frames = framesOf(run(...call("c1", "ls", { at: 1 }), ended("c1", whole)), "citations");
    expect(statuses(frames)).toEqual(["Thinking...", "🔧 ls...", "Thinking...", "Complete ✓"]);
    expect(itemsOf(frames)).toEqual([]);
    expect(eventsIn(frames, "source")).toEqual([
      {
        source: { id: "c1", name: "🔧 ls" },
        document: [`\`\`\`text\n${whole}\n\`\`\``],
        metadata: [{ source: "c1", name: "🔧 ls", parameters: { at: 1 } }],
      },
    ]);
  });

  test("over 48 KB, a link shows where the rest is", () => {
    const [source] = eventsIn(
      framesOf(run(...call("c", "cat"), ended("c", "x".repeat(100_000))), "citations"),
      "source",
    );
    expect(source.document[0].length).toBeGreaterThan(46_000);
    expect(source.document[0]).toContain("full text: http://runcast/?run=r&read");
  });

  test("sub-agents appear in the status line, even when they end", () => {
    const all = statuses(framesOf(run(...story), "citations"));
    expect(all).toContain("🤖 Sub-agent: researcher...");
    expect(all).toContain("Sub-agent completed ✓");
    expect(all.at(-1)).toBe("Complete ✓");
  });

  test("the pipe's valves can disable sources and sub-agents", () => {
    const frames = framesOf(
      run(...story, { type: "citation", citation: "c", title: "A" }),
      "citations; mode=native; citations=0; subagent-status=0",
    );
    expect(eventsIn(frames, "source")).toEqual([]);
    expect(statuses(frames).join()).not.toMatch(/Sub-agent/);
  });
});

/** Parses a block by the known rules of Open WebUI's tokenizer and card. */
const blockOf = (source: string) => {
  const open = /^<details(\s+[^>]*)?>\n/.exec(source.trimStart())!;
  const rest = source.trimStart().slice(open[0].length);
  const end = rest.indexOf("</details>");
  expect(rest.slice(0, end)).not.toContain("<details");
  const attributes = Object.fromEntries(
    [...open[0].matchAll(/(\w+)="(.*?)"/g)].map(([, name, value]) => [name, value]),
  );
  const decode = (text: string) =>
    text.replace(
      /&(lt|gt|quot|#39|amp);/g,
      (_, name: string) => ({ lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" })[name]!,
    );
  const [, summary, body] = /^<summary>(.*?)<\/summary>\n?([^]*)$/.exec(rest.slice(0, end).trim())!;
  const parse = (text: string) => JSON.parse(decode(text)) as unknown;
  return {
    attributes,
    summary,
    decode,
    parse,
    body: decode(body ?? "")
      .replace(/<summary>.*?<\/summary>/gi, "")
      .trim(),
    after: rest.slice(end + 10),
  };
};

describe("details", () => {
  const blocks = (events: Event[]) => shown(framesOf(numbered([start, ...events]), "details"));

  test("each call is one block, from pending to done", () => {
    const events = [...call("c", "read_file", { path: "a b" }), ended("c", "text")];
    const pending = blockOf(blocks(events.slice(0, 1))[0]!);
    expect(pending.attributes).toMatchObject({ type: "tool_calls", id: "c", name: "read_file", done: "false" });
    expect(pending.summary).toBe("Executing...");
    expect(blockOf(blocks(events.slice(0, 3))[0]!).attributes).toMatchObject({ done: "false", status: "completed" });
    const all = blocks(events);
    expect(all.length).toBe(1);
    const { attributes, parse, summary, after } = blockOf(all[0]!);
    expect(attributes).toMatchObject({ done: "true", status: "completed" });
    expect([summary, parse(attributes["arguments"]), parse(attributes["result"])]).toEqual([
      "Tool Executed",
      { path: "a b" },
      "text",
    ]);
    expect(after).toBe("\n\n");
  });

  test("a failed call is marked as failed, and its result starts with Error", () => {
    const error = { code: "x", message: "no" };
    const [failed] = blocks([...call("c", "read"), { type: "tool-end", call: "c", outcome: "error", error }]);
    expect(blockOf(failed!).attributes).toMatchObject({ status: "failed", result: "&quot;Error: no&quot;" });
  });

  test("the type is not the first attribute: Open WebUI would replace the block with the result", () => {
    expect(blocks([...call("c", "read"), ended("c", "x")])[0]!.trimStart()).toMatch(
      /^<details id="c" type="tool_calls"/,
    );
  });

  test("all files of a result are in the block, and images are below it as well", () => {
    const image = { type: "file", file: "f", mediaType: "image/png", bytes: 1, name: "a.png" } as const;
    const report = { type: "file", file: "g", mediaType: "application/pdf", bytes: 2, name: "b.pdf" } as const;
    const [drawn] = blocks([
      ...call("c", "draw"),
      { type: "tool-end", call: "c", outcome: "ok", content: [image, report] },
    ]);
    const { attributes, parse, after } = blockOf(drawn!);
    expect(after).toBe(`\n\n![a.png](http://runcast/files/f "Result of draw")\n\n`);
    expect(parse(attributes["files"])).toEqual([
      { type: "file", url: "http://runcast/files/f", name: "a.png", size: 1 },
      { type: "file", url: "http://runcast/files/g", name: "b.pdf", content_type: "application/pdf", size: 2 },
    ]);
  });

  test("every string survives, in the arguments and in the result", () => {
    const odd = fc.stringMatching(/^[a-z"'<>&\\/\n\u2028\u2029 🙂é=]*$/u);
    const tricky = fc.constantFrom(
      "</details>",
      "<details>",
      "<summary>x</summary>",
      '"',
      "\n\n---\n",
      "a > b",
      "&lt;",
      "🙂".repeat(400),
    );
    fc.assert(
      fc.property(fc.oneof(odd, tricky, fc.string()), (value) => {
        const [block] = blocks([...call("c", "look", { value }), ended("c", value)]);
        const { attributes, parse, body } = blockOf(block!);
        const clean = value
          .replaceAll(/\r\n?/g, "\n")
          .replaceAll(/\p{Cc}/gu, (one) => ("\n\t".includes(one) ? one : ""));
        expect(parse(attributes["arguments"])).toEqual({ value: clean });
        expect(parse(attributes["result"])).toBe(clean);
        expect(JSON.parse(body)).toBe(clean);
      }),
    );
  });

  test("a result of 1 MB is truncated at 1000 characters, with a link to the whole", () => {
    const { attributes, parse } = blockOf(blocks([...call("c", "cat"), ended("c", "🙂".repeat(250_000))])[0]!);
    expect(parse(attributes["result"])).toBe(`${"🙂".repeat(1000)}\n... (truncated)\nhttp://runcast/?run=r&read`);
  });
});

describe("the compatibility table", () => {
  test("has every type once", () => {
    const types = compatibility.map(({ type }) => type);
    expect(new Set(types).size).toBe(types.length);
  });

  test("applies: what a version or mode does not show is not sent", () => {
    expect(tableFor({ way: "connection" }).shows("confirmation")).toBe(false);
    expect(tableFor({ way: "legacy" }).shows("confirmation")).toBe(true);
    expect(tableFor({ way: "native", version: "0.9.6" }).shows("input select")).toBe(false);
    expect(tableFor({ way: "native" }).shows("replace")).toBe(false);
    const todos: Event = { type: "data", name: "todos", value: [] };
    expect(eventsIn(framesOf(run(todos), "cards; mode=native; open-webui=0.8.12"), "chat:message:tasks")).toEqual([]);
    expect(eventsIn(framesOf(run(todos), "cards; mode=native; open-webui=0.12.4"), "chat:message:tasks")).toHaveLength(
      1,
    );
  });

  test("compares versions numerically", () => {
    expect(isAtLeast("0.10.2", "0.9.6")).toBe(true);
    expect(isAtLeast("0.9.6", "0.10.0")).toBe(false);
    expect(isAtLeast("1.0", "0.12.4")).toBe(true);
  });
});
