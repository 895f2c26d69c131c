import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { csvTable, fileShape, LONGEST_CSV } from "../../src/view.ts";

const PEOPLE = "name,age\nAnn,31\nBob,4\n";

describe("comma-separated values", () => {
  test("a text with a header and the same cells in every row is a table", () => {
    for (const text of [PEOPLE, PEOPLE.trim(), PEOPLE.replaceAll("\n", "\r\n"), `\uFEFF${PEOPLE}\n\n`])
      expect(csvTable(text), text).toEqual({
        columns: ["name", "age"],
        rows: [
          { name: "Ann", age: "31" },
          { name: "Bob", age: "4" },
        ],
        numbers: new Set(["age"]),
      });
  });

  test("cells in quotes may contain commas, quotes and lines, and cells may be empty", () => {
    const text = 'City,"Build time (ms)",note\r\n"Bern, BE",1.50,"she said ""hi"""\r\nOslo,,"two\nlines"\r\n';
    const { columns, rows, numbers } = csvTable(text)!;
    expect(columns).toEqual(["City", "Build time (ms)", "note"]);
    expect(rows.map((row) => Object.values(row))).toEqual([
      ["Bern, BE", "1.50", 'she said "hi"'],
      ["Oslo", "", "two\nlines"],
    ]);
    expect(numbers).toEqual(new Set(["Build time (ms)"]));
  });

  test.each([
    "",
    "ok",
    "Hello, world\nBye, world\nYes, you",
    "First we look,then we leap\nThat is all.",
    "a,b\n1,2",
    "a,b\n1,2\n3",
    "a,b\n1,2\n\n3,4",
    "a,b\n1,2\n3,4 ",
    "a,a\n1,2\n3,4",
    ",b\n1,2\n3,4",
    "2026-01-01,INFO\n2026-01-02,WARN\n2026-01-03,INFO",
    'a,b\n1,"2\n3,4',
    'a,b\n1,x"2"\n3,4',
    'a,b\n1,"2"x\n3,4',
    "a,b\r1,2\r3,4",
    "one\ntwo\nthree",
    "call(a,b)\ncall(c,d)\ncall(e,f)",
    "[1,2]\n[3,4]\n[5,6]",
    "- [ ] a,b\n- [ ] c,d\n- [ ] e,f",
    "--- a,b\n+++ a,b\n@@ -1,2 +1,2 @@",
    `a,b\n1,2\n3,${"x".repeat(401)}`,
  ])("%j is not a table", (text) => {
    expect(csvTable(text)).toBeUndefined();
  });

  test("a file that is CSV may have any header, and other delimiters", () => {
    expect(csvTable("id,id,\n007,a b c,1 \n", true)).toEqual({
      columns: ["id", "id (2)", "Column 3"],
      rows: [{ id: "007", "id (2)": "a b c", "Column 3": "1 " }],
      numbers: new Set(),
    });
    expect(csvTable("a;b\n1,5;2\n", true)?.rows).toEqual([{ a: "1,5", b: "2" }]);
    expect(csvTable("a\tb\n1\t2\n", true)?.rows).toEqual([{ a: "1", b: "2" }]);
    expect(csvTable("town, state\tb\nBern, BE\t2\n", true)?.columns).toEqual(["town, state", "b"]);
    for (const text of ["a,b", "a\n1\n2", "a,b\n1,2\n3", 'a,b\n1,"2', "ok"])
      expect(csvTable(text, true), text).toBeUndefined();
  });

  test("what is too large stays text, and reading costs little whatever the text is", () => {
    const row = "1,2\n";
    expect(csvTable(`a,b\n${row.repeat(10_000)}`)?.rows).toHaveLength(10_000);
    expect(csvTable(`a,b\n${row.repeat(30_000)}`, true)).toBeUndefined();
    expect(csvTable(`a,b\n${row.repeat(LONGEST_CSV / 4)}`, true)).toBeUndefined();
    expect(csvTable(`${"a,".repeat(100)}a\n`.repeat(3), true)).toBeUndefined();
    for (const text of ["\n", '"', '""', "a ", ","]) csvTable(text.repeat(LONGEST_CSV / text.length), true);
  });

  test("a hostile header is only a name", () => {
    const { columns, rows } = csvTable("__proto__,constructor\n1,2\n3,4\n")!;
    expect(columns).toEqual(["__proto__", "constructor"]);
    expect(rows.map((row) => columns.map((column) => row[column]))).toEqual([
      ["1", "2"],
      ["3", "4"],
    ]);
    expect(Object.getPrototypeOf(rows[0])).toBe(Object.prototype);
  });

  test("every table survives writing and reading, and a text that is cut off at any point is read or refused", () => {
    const cell = fc.string({ unit: fc.constantFrom("a", "7", ",", '"', "\n", "\r", " ", "é", "\t", ";", "\u202E") });
    const tables = fc
      .tuple(fc.integer({ min: 2, max: 4 }), fc.integer({ min: 1, max: 5 }))
      .chain(([width, height]) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: height, maxLength: height }),
      );
    fc.assert(
      fc.property(tables, fc.nat(), (cells, at) => {
        const header = cells[0]!.map((_, index) => `c${index}`);
        const text = [header, ...cells]
          .map((row) => row.map((value) => `"${value.replaceAll('"', '""')}"`).join(","))
          .join("\n");
        expect(csvTable(text, true)?.rows.map((row) => Object.values(row))).toEqual(cells);
        csvTable(text.slice(0, at % text.length), true);
      }),
    );
    fc.assert(
      fc.property(fc.string(), fc.boolean(), (text, isCsv) => {
        const table = csvTable(text, isCsv);
        if (table) expect(table.columns.length).toBeGreaterThan(1);
      }),
    );
  });

  test("a file is CSV by its type or its name, but never if it is something else", () => {
    expect(fileShape("text/csv; charset=utf-8")).toBe("csv");
    expect(fileShape("text/tab-separated-values")).toBe("csv");
    expect(fileShape("application/octet-stream", "Sales.CSV")).toBe("csv");
    expect(fileShape("application/json", "x.csv")).toBe("json");
    expect(fileShape("image/png", "x.csv")).toBe("image");
    expect(fileShape("text/plain", "csv.txt")).toBe("text");
  });
});
