import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { spansOf } from "../../web/src/run/ansi.ts";
import { jsonLine, jsonRows } from "../../web/src/run/json-rows.ts";
import { PAGE_BYTES, pageText, rangeOf } from "../../web/src/run/page-bytes.ts";

describe("a JSON tree", () => {
  test("contains only expanded nodes", () => {
    const value = { a: [1, { b: "x" }], c: null };
    expect(jsonRows(value, (path) => path === "").map(({ path }) => path)).toEqual(["", "/a", "/c"]);
    expect(jsonRows(value, () => true).map(({ path, depth }) => `${depth}${path}`)).toEqual([
      "0", "1/a", "2/a/0", "2/a/1", "3/a/1/b", "1/c",
    ]); // prettier-ignore
    expect(jsonRows({ "a/b~c": [1] }, () => true).map(({ path }) => path)).toEqual(["", "/a~1b~0c", "/a~1b~0c/0"]);
  });

  test("shows a value on one line", () => {
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
  test("keeps colors and weight", () => {
    expect(spansOf("a\u001b[31mred\u001b[1;92mbold\u001b[0mplain")).toEqual([
      { text: "a", color: undefined, bold: false, dim: false },
      { text: "red", color: "red", bold: false, dim: false },
      { text: "bold", color: "green", bold: true, dim: false },
      { text: "plain", color: undefined, bold: false, dim: false },
    ]);
    expect(spansOf("\u001b[38;5;196;1mx")).toEqual([{ text: "x", color: undefined, bold: true, dim: false }]);
  });

  test("ignores every other sequence, complete or cut anywhere", () => {
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

  test("an overwritten line shows its last state", () => {
    expect(
      spansOf("10%\r50%\r100%\ndone\r\n")
        .map((span) => span.text)
        .join(""),
    ).toBe("100%\ndone\n");
  });
});

test("the pages of a file make up the file, wherever its characters are split", () => {
  const text = "ä€🙂x".repeat(20_000);
  const bytes = new TextEncoder().encode(text);
  let joined = "";
  for (let page = 0; page * PAGE_BYTES < bytes.length; page++) {
    const [from, to] = rangeOf(page).slice("bytes=".length).split("-").map(Number) as [number, number];
    joined += pageText(bytes.subarray(from, to + 1), page);
  }
  expect(joined).toBe(text);
});
