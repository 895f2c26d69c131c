import { expect, test } from "vitest";
import type { RunRow } from "../../src/protocol.ts";
import { createBoardRows } from "../../web/src/board/board-rows.ts";

const row = (run: string, startedAt: number, rest: Partial<RunRow> = {}): RunRow => ({
  run,
  name: "a",
  agent: "a",
  seq: 1,
  startedAt,
  ...rest,
});
const namesOf = ({ rows }: { rows: readonly RunRow[] }) => rows.map(({ run }) => run).join(" ");

test("changed rows stay in place, new ones go to their place, and ones that left are removed", () => {
  const rows = createBoardRows();
  rows.replace([row("c", 3), row("b", 2), row("a", 1)]);
  rows.apply({ runs: [row("d", 4), row("b", 2, { status: "new" })], left: ["a", "unknown"] }, false);
  expect(namesOf(rows.shown())).toBe("d c b");
  expect(rows.shown().rows.at(-1)!.status).toBe("new");
});

test("older runs are left to paging until all are loaded", () => {
  const rows = createBoardRows();
  rows.replace([row("c", 3), row("b", 2)]);
  rows.apply({ runs: [row("a", 1)], left: [] }, false);
  expect(namesOf(rows.shown())).toBe("c b");
  rows.append([row("b", 2), row("a", 1)]);
  expect(namesOf(rows.shown())).toBe("c b a");
  rows.apply({ runs: [row("0", 0)], left: [] }, true);
  expect(namesOf(rows.shown())).toBe("c b a 0");
});

test("while held, rows update but none is added, removed or moved", () => {
  const rows = createBoardRows();
  rows.replace([row("b", 2), row("a", 1)]);
  expect(rows.hold(true)).toBe(false);
  rows.apply({ runs: [row("c", 3), row("b", 2, { status: "new" })], left: ["a"] }, true);
  expect(namesOf(rows.shown())).toBe("b a");
  expect(rows.shown()).toMatchObject({ fresh: 1, leaving: new Set(["a"]) });
  expect(rows.shown().rows[0]!.status).toBe("new");
  // It matches again, and the new one is gone again.
  rows.apply({ runs: [row("a", 1)], left: ["c"] }, true);
  expect(rows.shown()).toMatchObject({ fresh: 0, leaving: new Set() });
  rows.apply({ runs: [row("d", 4)], left: ["b"] }, true);
  expect(rows.hold(false)).toBe(true);
  expect(namesOf(rows.shown())).toBe("d a");
});

test("the number of rows is bounded", () => {
  const rows = createBoardRows();
  rows.replace([row("first", 1e9)]);
  for (let page = 0; page < 250; page++)
    rows.append(Array.from({ length: 100 }, (_, index) => row(`${page}-${index}`, 1e8 - page * 100 - index)));
  expect(rows.isFull()).toBe(true);
  rows.apply({ runs: [row("new", 2e9)], left: [] }, true);
  expect(rows.shown().rows).toHaveLength(20_000);
  expect(rows.shown().rows[0]!.run).toBe("new");
});
