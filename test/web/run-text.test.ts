import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { byteText, duration, elapsed } from "../../src/amounts.ts";
import { spansOf } from "../../web/src/run/ansi.ts";
import { jsonLine, jsonRows } from "../../web/src/run/json-rows.ts";
import { PAGE_BYTES, pageText, rangeOf } from "../../web/src/run/page-bytes.ts";
import { fileShape, shapeOfText, tableOf } from "../../web/src/run/result-shape.ts";
import { summaryOf } from "../../web/src/run/summary.ts";
import { todosOf } from "../../web/src/run/todos.ts";

describe("the arguments of a call in one line", () => {
  test("the most telling field comes first", () => {
    expect(summaryOf({ limit: 5, query: "build\n  times" })).toBe("build times · limit: 5");
    expect(summaryOf({ cwd: "/tmp", command: "ls -la" })).toBe("ls -la · cwd: /tmp");
    expect(summaryOf({ colour: "red" })).toBe("red");
    expect(summaryOf({ a: 1, b: [1, 2], c: { d: 1 }, e: null })).toBe("a: 1 · b: [2] · c: {…} · e: null");
    expect(summaryOf({})).toBe("");
    expect(summaryOf(undefined)).toBe("");
    expect(summaryOf("plain")).toBe("plain");
    expect(summaryOf([1, 2, 3])).toBe("[3]");
    expect(summaryOf({ query: "", path: "a.ts" })).toBe("a.ts · query: ");
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

describe("what a result looks like", () => {
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

  test("files are shown by their type", () => {
    expect(fileShape("image/png")).toBe("image");
    expect(fileShape("text/html; charset=utf-8")).toBe("html");
    expect(fileShape("application/ld+json")).toBe("json");
    expect(fileShape("text/plain", "notes.md")).toBe("markdown");
    expect(fileShape("text/csv")).toBe("text");
    expect(fileShape("application/pdf")).toBe("other");
    expect(fileShape(undefined)).toBe("other");
  });

  test("a plan is a plan only if it is one", () => {
    expect(todosOf([{ id: "1", text: "a", status: "done" }])).toHaveLength(1);
    expect(todosOf([{ id: "1", text: "a", status: "whatever" }])).toBeUndefined();
    expect(todosOf("x")).toBeUndefined();
  });
});

describe("a JSON tree", () => {
  test("holds only what is open", () => {
    const value = { a: [1, { b: "x" }], c: null };
    expect(jsonRows(value, (path) => path === "").map(({ path }) => path)).toEqual(["", "/a", "/c"]);
    expect(jsonRows(value, () => true).map(({ path, depth }) => `${depth}${path}`)).toEqual([
      "0", "1/a", "2/a/0", "2/a/1", "3/a/1/b", "1/c",
    ]); // prettier-ignore
    expect(jsonRows({ "a/b~c": [1] }, () => true).map(({ path }) => path)).toEqual(["", "/a~1b~0c", "/a~1b~0c/0"]);
  });

  test("a value in a line", () => {
    expect(jsonLine("a\nb", 0)).toBe('"a\\nb"');
    expect(jsonLine([1, 2], 2)).toBe("[2] 1, 2");
    expect(jsonLine([1, 2], 2, true)).toBe("[2]");
    expect(jsonLine({ a: [1], b: { c: 1 }, d: "x\ny" }, 3)).toBe('{3} a: […], b: {…}, d: "x\\ny"');
    expect(
      jsonLine(
        Array.from({ length: 100_000 }, (_, index) => index),
        100_000,
      ).length,
    ).toBeLessThan(100);
    expect(jsonLine({}, 0)).toBe("{}");
    expect(jsonLine("x".repeat(1_000_000), 0).length).toBeLessThan(310);
  });
});

describe("terminal output", () => {
  test("keeps colours and weight", () => {
    expect(spansOf("a\u001b[31mred\u001b[1;92mbold\u001b[0mplain")).toEqual([
      { text: "a", color: undefined, bold: false, dim: false },
      { text: "red", color: "red", bold: false, dim: false },
      { text: "bold", color: "green", bold: true, dim: false },
      { text: "plain", color: undefined, bold: false, dim: false },
    ]);
    expect(spansOf("\u001b[38;5;196;1mx")).toEqual([{ text: "x", color: undefined, bold: true, dim: false }]);
  });

  test("obeys nothing else, whole or cut anywhere", () => {
    const text = "a\u001b[2J\u001b]8;;http://evil.example\u0007link\u001b]8;;\u001b\\b\u001b(B\u0000\u009b31mc\u0007";
    expect(
      spansOf(text)
        .map((span) => span.text)
        .join(""),
    ).toBe("alinkbc");
    fc.assert(
      fc.property(fc.nat(text.length), fc.string(), (cut, noise) => {
        for (const { text: shown } of spansOf(text.slice(0, cut) + noise))
          for (const control of ["\u0000", "\u0008", "\u001b", "\u009b"]) expect(shown).not.toContain(control);
      }),
    );
  });

  test("a line written over shows its last state", () => {
    expect(
      spansOf("10%\r50%\r100%\ndone\r\n")
        .map((span) => span.text)
        .join(""),
    ).toBe("100%\ndone\n");
  });
});

test("the pages of a file make the file, however its characters lie", () => {
  const text = "ä€🙂x".repeat(20_000);
  const bytes = new TextEncoder().encode(text);
  let joined = "";
  for (let page = 0; page * PAGE_BYTES < bytes.length; page++) {
    const [from, to] = rangeOf(page).slice("bytes=".length).split("-").map(Number) as [number, number];
    joined += pageText(bytes.subarray(from, to + 1), page);
  }
  expect(joined).toBe(text);
});

test("amounts are said as people say them", () => {
  expect([0, 999, 1234, 61_000, 3_700_000].map(duration)).toEqual([
    "0 ms",
    "999 ms",
    "1.2 s",
    "1 min 1 s",
    "1 h 1 min",
  ]);
  expect([-5, 449, 59_999, 61_900].map(elapsed)).toEqual(["0.0 s", "0.4 s", "59.9 s", "1 min 1 s"]);
  expect([1, 812, 4096, 65_536, 10_700_000].map(byteText)).toEqual([
    "1 byte",
    "812 bytes",
    "4.0 KB",
    "64 KB",
    "10.2 MB",
  ]);
});
