import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  diffOf,
  diffsIn,
  byteText,
  describePlan,
  duration,
  elapsed,
  fileShape,
  remainingText,
  shapeOfText,
  summaryOf,
  tableOf,
} from "../../src/view.ts";

describe("the arguments of a call in one line", () => {
  test("the most useful field comes first", () => {
    expect(summaryOf({ limit: 5, query: "build\n  times" })).toBe("build times · limit: 5");
    expect(summaryOf({ cwd: "/tmp", command: "ls -la" })).toBe("ls -la · cwd: /tmp");
    expect(summaryOf({ colour: "red" })).toBe("red");
    expect(summaryOf({ a: 1, b: [1, 2], c: { d: 1 }, e: null })).toBe("a: 1 · b: [2] · c: {…} · e: null");
    expect(summaryOf({})).toBe("");
    expect(summaryOf(undefined)).toBe("");
    expect(summaryOf("plain")).toBe("plain");
    expect(summaryOf([1, 2, 3])).toBe("[3]");
    expect(summaryOf({ query: "", path: "a.ts" })).toBe('a.ts · query: ""');
  });

  test("is short whatever the arguments are", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(summaryOf(value as never).length).toBeLessThanOrEqual(160);
      }),
    );
    expect(summaryOf({ content: "x".repeat(10_000_000) }).length).toBe(160);
  });
});

describe("the shape of a result", () => {
  test("a list of flat objects is a table", () => {
    expect(
      tableOf([
        { a: 1, b: "x" },
        { a: 2, b: null },
      ]),
    ).toMatchObject({ columns: ["a", "b"] });
    expect(tableOf([{ a: 1 }, { a: 2, b: 3 }])).toMatchObject({ columns: ["a", "b"] });
    for (const other of [[], {}, "x", null, [1, 2], [{}], [{ a: { b: 1 } }], [{ a: [1] }], [{ a: 1 }, [2]]])
      expect(tableOf(other)).toBeUndefined();
    expect(tableOf([{ a: 1 }, { b: 1 }, { c: 1 }])).toBeUndefined();
    expect(
      tableOf([Object.fromEntries(Array.from({ length: 13 }, (_, index) => [`c${index}`, index]))]),
    ).toBeUndefined();
  });

  test("text is data, Markdown or plain", () => {
    expect(shapeOfText('{"a": 1}')).toBe("json");
    expect(shapeOfText("[1, 2")).toBe("plain");
    expect(shapeOfText("3")).toBe("plain");
    for (const text of [
      "# Title\n\nText",
      "```js\nx\n```",
      "| a | b |\n|---|---|\n",
      "see [this](https://a.example)",
      "**yes**",
    ])
      expect(shapeOfText(text)).toBe("markdown");
    for (const text of ["ok", "a - b\nc * d", "2 ** 3 ** 2", "drwxr-xr-x 2 root", "#!/bin/sh\n#comment"])
      expect(shapeOfText(text), text).toBe("plain");
  });

  test("a unified diff is parsed line by line, with its line numbers", () => {
    const [file] = diffOf("--- a/x.ts\n+++ b/x.ts\n@@ -3,2 +3,2 @@ f()\n same\n-old\n+new\n")!;
    expect(file).toMatchObject({ path: "x.ts", change: "changed", added: 1, removed: 1 });
    expect(file!.lines.map(({ kind, text, before, after }) => [kind, text, before, after])).toEqual([
      ["same", "same", 3, 3],
      ["removed", "old", 4, undefined],
      ["added", "new", undefined, 4],
    ]);
    const unnumbered = diffOf("--- x\n+++ x\n@@ @@\n-a\n+b\n@@ @@\n-c")!;
    expect(unnumbered[0]!.lines.map(({ kind, before }) => [kind, before])).toEqual([
      ["removed", undefined],
      ["added", undefined],
      ["gap", undefined],
      ["removed", undefined],
    ]);
    expect(diffOf("--- /dev/null\n+++ x\n@@ -0,0 +1,1 @@\n+a")).toMatchObject([{ change: "created" }]);
    expect(diffsIn({ path: "x", diff: "--- x\n+++ x\n@@ @@\n-a" })).toHaveLength(1);
    expect(diffsIn({ diff: "not one" })).toEqual([]);
  });

  test("a diff does not hide what else is approved", () => {
    const diff = "--- a/src/x\n+++ b/src/x\n@@ @@\n-a";
    expect(diffsIn({ path: "/home/me/src/x", diff })).toEqual([diff]);
    expect(diffsIn({ files: [{ path: "src/x", diff }, { diff }] })).toEqual([diff, diff]);
    expect(diffsIn({ path: "/etc/passwd", diff })).toEqual([]);
    expect(diffsIn({ path: ["src/x"], diff })).toEqual([]);
    expect(diffsIn({ path: "src/x", diff, next: "rm -r" })).toEqual([]);
    expect(diffsIn({ files: [{ path: "src/x", diff }], next: "rm -r" })).toEqual([]);
    expect(
      diffsIn({
        files: [
          { path: "src/x", diff },
          { path: "src/y", diff },
        ],
      }),
    ).toEqual([]);
  });

  test("text that only begins like a diff is not one", () => {
    for (const text of ["--- a", "--- a\n+++ b", "--- a\n+++ b\ntext", "--- a\n+++ b\n@@ @@\n-x\nThat is all.", "ok"])
      expect(diffOf(text), text).toBeUndefined();
  });

  test("files are shown by their type", () => {
    expect(fileShape("image/png")).toBe("image");
    expect(fileShape("text/html; charset=utf-8")).toBe("html");
    expect(fileShape("application/ld+json")).toBe("json");
    expect(fileShape("text/plain", "notes.md")).toBe("markdown");
    expect(fileShape("text/csv")).toBe("csv");
    expect(fileShape("application/pdf")).toBe("other");
    expect(fileShape(undefined)).toBe("other");
  });

  test("a plan is shown only if it is valid", () => {
    const plan = [
      { id: "1", text: "a", status: "done" },
      { id: "2", text: "b", status: "active" },
    ];
    expect(describePlan(plan, false)).toMatchObject({ progress: "1 of 2 done", todos: [{}, { word: "in progress" }] });
    expect(describePlan(plan, true)).toMatchObject({ todos: [{ status: "done" }, { word: "started, not finished" }] });
    expect(describePlan([{ id: "1", text: "a", status: "whatever" }], false)).toBeUndefined();
    expect(describePlan("x", false)).toBeUndefined();
  });
});

test("amounts are formatted for people", () => {
  expect([0, 999, 1234, 61_000, 3_700_000].map(duration)).toEqual([
    "0 ms",
    "999 ms",
    "1.2 s",
    "1 min 1 s",
    "1 h 1 min",
  ]);
  expect([-5, 449, 59_999, 61_900].map(elapsed)).toEqual(["0 s", "0 s", "59 s", "1 min 1 s"]);
  expect([60_400, 1, 0].map((left) => remainingText(left, 0))).toEqual([
    "Expires in 1 min 1 s",
    "Expires in 1 s",
    "Expiring…",
  ]);
  expect([1, 812, 4096, 65_536, 10_700_000].map(byteText)).toEqual([
    "1 byte",
    "812 bytes",
    "4.0 KB",
    "64 KB",
    "10.2 MB",
  ]);
});
