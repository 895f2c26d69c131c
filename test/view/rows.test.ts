import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CallNode } from "../../src/state.ts";
import { createRows, describeGroup, isPlain, lanesOf, type Row } from "../../src/view.ts";
import { arbitraryLog } from "../generate.ts";
import { createState, fold } from "../../src/state.ts";
import { callEvents, folding } from "./folding.ts";

const flat = (blocks: readonly { readonly rows: readonly Row[] }[]): readonly Row[] =>
  blocks.flatMap(({ rows }) => rows);

describe("rows", () => {
  test("consecutive calls are one row across steps, and text and thinking separate them", () => {
    const { state, add } = folding();
    add({ type: "step-start", step: "s1" });
    for (const id of ["a", "b"]) for (const [event, ms] of callEvents(id, 5)) add(event, ms);
    add({ type: "step-end", step: "s1", finish: "tools" });
    add({ type: "step-start", step: "s2" });
    for (const [event, ms] of callEvents("c", 5)) add(event, ms);
    const rows = createRows();
    expect(flat(rows.update(state.root.items)).map(({ kind, key, followed }) => ({ kind, key, followed }))).toEqual([
      { kind: "one", key: "s1", followed: true },
      { kind: "calls", key: "a", followed: false },
    ]);
    add({ type: "text-start", part: "t" });
    for (const [event, ms] of callEvents("d", 5)) add(event, ms);
    expect(
      flat(rows.update(state.root.items)).map(({ key, items, followed }) => [key, items.length, followed]),
    ).toEqual([
      ["s1", 1, true],
      ["a", 4, true],
      ["t", 1, true],
      ["d", 1, false],
    ]);
  });

  test("the result is the same incrementally or in one go, contains everything once, and only its end changes", () => {
    fc.assert(
      fc.property(arbitraryLog(), (log) => {
        const state = createState();
        const rows = createRows();
        let before = rows.update(state.root.items);
        for (const entry of log) {
          fold(state, entry);
          const now = rows.update(state.root.items);
          for (const [index, block] of before.slice(0, -1).entries()) expect(now[index]).toBe(block);
          before = now;
        }
        expect(before).toEqual(createRows().update(state.root.items));
        expect(flat(before).flatMap(({ items }): readonly object[] => items)).toEqual(state.root.items);
      }),
      { numRuns: 100 },
    );
  });

  test("many rows are grouped in blocks that keep their identity", () => {
    const { state, add } = folding();
    const rows = createRows();
    for (let index = 0; index < 200; index++) {
      add({ type: "text-start", part: `p${index}` });
      rows.update(state.root.items);
    }
    const blocks = rows.update(state.root.items);
    expect(blocks.length).toBeGreaterThan(4);
    expect(flat(blocks)).toHaveLength(200);
    add({ type: "text-start", part: "one more" });
    const after = rows.update(state.root.items);
    expect(after.filter((block, index) => block !== blocks[index])).toHaveLength(1);
  });

  test("a very long row of calls is split, so that one more call costs no more than the first", () => {
    const { state, add } = folding();
    for (let index = 0; index < 250; index++) for (const [event, ms] of callEvents(`c${index}`, 1)) add(event, ms);
    expect(flat(createRows().update(state.root.items)).map(({ items }) => items.length)).toEqual([100, 100, 50]);
  });
});

describe("a group of calls", () => {
  const calls = (state: ReturnType<typeof folding>["state"]) => state.root.items as CallNode[];

  test("shows their number and total time, and counts overlapping time once", () => {
    const { state, add } = folding();
    for (const call of ["a", "b"]) add({ type: "tool-start", call, name: "t" });
    for (const call of ["a", "b"]) add({ type: "tool-execute", call }, 0);
    add({ type: "tool-end", call: "a", outcome: "ok" }, 1000);
    add({ type: "tool-end", call: "b", outcome: "ok" }, 200);
    for (const [event, ms] of callEvents("c", 2000)) add(event, ms);
    expect(describeGroup(calls(state))).toMatchObject({ title: "3 tools", time: "3.2 s", badge: { tone: "good" } });
  });

  test("looks green only if all of them succeeded", () => {
    const { state, add } = folding();
    for (const [event, ms] of callEvents("a", 1)) add(event, ms);
    for (const [event, ms] of callEvents("b", 1, "t", { outcome: "cancelled" } as never)) add(event, ms);
    expect(describeGroup(calls(state)).badge).toMatchObject({ state: "cancelled", tone: "stopped" });
    for (const [event, ms] of callEvents("c", 1, "t", { outcome: "error" } as never)) add(event, ms);
    expect(describeGroup(calls(state))).toMatchObject({
      badge: { state: "error", tone: "bad" },
      trouble: [{ text: "1 failed" }, { text: "1 cancelled" }],
    });
  });

  test("has no duration if it is unknown", () => {
    const { state, add } = folding();
    for (const call of ["a", "b"]) {
      add({ type: "tool-start", call, name: "t" });
      add({ type: "tool-end", call, outcome: "denied" }, 5000);
    }
    expect(describeGroup(calls(state)).time).toBe("");
  });

  test("sub-agents of one step are side by side, those of other steps below", () => {
    const { state, add } = folding();
    for (const [step, ids] of [
      ["s1", ["a", "b"]],
      ["s2", ["c"]],
      ["s3", ["d", "e", "f", "g"]],
    ] as const) {
      add({ type: "step-start", step });
      for (const call of ids) add({ type: "tool-start", call, name: "task" });
      add({ type: "step-end", step, finish: "tools" });
      for (const call of ids) {
        add({ type: "tool-execute", call });
        add({ type: "agent-start", agent: `agent ${call}`, call, name: "helper" });
      }
    }
    const made = state.root.items.filter((item) => item.kind === "call");
    const lanes = lanesOf(made);
    expect(lanes.count).toBe(3);
    expect(made.map((call) => lanes.of(call))).toEqual(["first", "next", "full", "first", "next", "next", "next"]);
    expect(made.some(isPlain)).toBe(false);
  });
});
