import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CallNode, createState, fold, subscribe } from "../../src/state.ts";
import {
  createMatcher,
  createOutline,
  createRunIndex,
  describeCall,
  NO_FILTER,
  openAsks,
  slowFrom,
  slownessOf,
  ticksOf,
  waterfallOf,
} from "../../src/view.ts";
import { arbitraryLog } from "../generate.ts";
import { callEvents, folding } from "./folding.ts";

describe("the index of a run", () => {
  test("always equals the result of a walk through the state, and reports each change", () => {
    fc.assert(
      fc.property(arbitraryLog(), fc.nat(), (log, choice) => {
        const state = createState();
        const begin = choice % log.length;
        for (const entry of log.slice(0, begin)) fold(state, entry);
        const index = createRunIndex(state, subscribe);
        let notified = 0;
        const stop = index.subscribe(() => notified++);
        for (const entry of log.slice(begin)) {
          const before = { version: index.version, notified };
          fold(state, entry);
          expect(notified > before.notified).toBe(index.version > before.version);
          const nodes = [...state.nodes.values()];
          expect(index.calls).toEqual(nodes.filter((node) => node.kind === "call"));
          const open = nodes.filter((node) => node.endedAt === undefined);
          expect([...openAsks(state)]).toEqual(open.filter((node) => node.kind === "ask"));
          expect([...index.openCalls]).toEqual(open.filter((node) => node.kind === "call"));
        }
        stop();
        expect(state.listeners.size).toBe(0);
      }),
      { numRuns: 150 },
    );
  });

  test("a token notifies no listener", () => {
    const { state, add } = folding();
    const index = createRunIndex(state, subscribe);
    let notified = 0;
    index.subscribe(() => notified++);
    add({ type: "step-start", step: "s" });
    add({ type: "text-start", part: "p" });
    add({ type: "tool-start", call: "c", name: "t" });
    const before = notified;
    add({ type: "text-delta", part: "p", delta: "x" });
    add({ type: "tool-input-delta", call: "c", delta: "{" });
    expect(notified).toBe(before);
  });

  test("reports the end of the run", () => {
    const { state, add } = folding();
    const index = createRunIndex(state, subscribe);
    let notified = 0;
    index.subscribe(() => notified++);
    add({ type: "run-end", outcome: "done" });
    expect(notified).toBe(1);
  });

  test("includes changes from before it was observed", () => {
    const { state, add } = folding();
    const index = createRunIndex(state, subscribe);
    index.subscribe(() => {})();
    for (const [event, ms] of callEvents("a", 5)) add(event, ms);
    add({ type: "tool-start", call: "b", name: "t" });
    index.subscribe(() => {});
    expect(index.calls.map(({ id }) => id)).toEqual(["a", "b"]);
    expect([...index.openCalls].map(({ id }) => id)).toEqual(["b"]);
  });
});

describe("the waterfall", () => {
  test("places steps, calls and sub-agents on the time axis of the run, nested by owner", () => {
    const { state, add } = folding();
    add({ type: "step-start", step: "s1" }, 100);
    add({ type: "tool-start", call: "a", name: "task" }, 50);
    add({ type: "tool-start", call: "b", name: "search", title: "Search" }, 10);
    add({ type: "step-end", step: "s1", finish: "tools" }, 40);
    add({ type: "tool-execute", call: "a" }, 0);
    add({ type: "agent-start", agent: "g", call: "a", name: "helper" }, 5);
    add({ type: "step-start", agent: "g", step: "s2" }, 5);
    add({ type: "tool-execute", call: "b" }, 90);
    add({ type: "tool-end", call: "b", outcome: "ok" }, 100);
    const rows = waterfallOf(state).map(({ label, depth, from, runs, to }) => [label, depth, from, runs, to]);
    expect(rows).toEqual([
      ["model, step 1", 0, 100, 100, 200],
      ["task", 0, 150, 200, undefined],
      ["helper", 1, 205, 205, undefined],
      ["model, step 1", 2, 210, 210, undefined],
      ["Search", 0, 160, 300, 400],
    ]);
    expect(waterfallOf(state).map(({ took, badge }) => [took, badge.word])).toEqual([
      ["100 ms", "done"],
      ["", "executing"],
      ["", "working"],
      ["", "working"],
      ["100 ms", "done"],
    ]);
  });

  test("shows how each step ended, without a duration if its process ended before it did", () => {
    const { state, add } = folding();
    for (const finish of ["stop", "length", "filter", "error", "cancelled", "interrupted"] as const) {
      add({ type: "step-start", step: finish }, 0);
      add({ type: "step-end", step: finish, finish }, 9000);
    }
    expect(waterfallOf(state).map(({ took, badge }) => [took, badge.word])).toEqual([
      ["9.0 s", "done"],
      ["9.0 s", "cut off"],
      ["9.0 s", "filtered"],
      ["9.0 s", "failed"],
      ["9.0 s", "cancelled"],
      ["", "interrupted"],
    ]);
    const badges = waterfallOf(state).map(({ badge }) => (badge.tone === "good" ? undefined : badge));
    const rows = createOutline(state).update();
    expect(rows.map(({ badge }) => badge)).toEqual(badges);
    expect(rows.map(({ isFailure }) => isFailure)).toEqual([false, false, true, true, false, true]);
  });

  test("contains every step, call and agent once, and nothing before the run or with a negative duration", () => {
    fc.assert(
      fc.property(arbitraryLog(), (log) => {
        const state = createState();
        for (const entry of log) fold(state, entry);
        const rows = waterfallOf(state);
        const nodes = [...state.nodes.values()].filter(({ kind }) => ["step", "call", "agent"].includes(kind));
        expect(new Set(rows.map(({ node }) => node))).toEqual(new Set(nodes));
        for (const { from, runs, to } of rows)
          expect(0 <= from && from <= runs && (to === undefined || from <= to)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  test("the axis has few, round times", () => {
    expect(ticksOf(1000, 4)).toEqual([0, 500, 1000]);
    expect(ticksOf(1700, 4)).toEqual([0, 500, 1000, 1500]);
    expect(ticksOf(90_000, 4)).toEqual([0, 50_000]);
    expect(ticksOf(0, 4)).toEqual([0]);
  });
});

describe("slow calls", () => {
  test("are judged by the other calls of the tool, and by any clock", () => {
    const { state, add } = folding();
    for (const [index, ms] of [900, 1000, 1100].entries())
      for (const [event, wait] of callEvents(`a${index}`, ms, "search")) add(event, wait);
    for (const [event, wait] of callEvents("quick", 1, "add")) add(event, wait);
    const limit = slowFrom(state.root.items as CallNode[]);
    expect(limit("search")).toBe(3000);
    expect(limit("add")).toBe(10_000);
    expect(limit("never seen")).toBe(10_000);
    const [search] = state.root.items as CallNode[];
    expect(slownessOf(search!, 900, 0)).toEqual({ isSlow: true, slowAt: undefined });
    expect(slownessOf(search!, 901, 0).isSlow).toBe(false);
    add({ type: "tool-start", call: "now", name: "search" });
    add({ type: "tool-execute", call: "now" });
    const open = state.nodes.get("now") as CallNode;
    const since = open.executedAt!;
    expect(slownessOf(open, 3000, since + 2999)).toEqual({ isSlow: false, slowAt: since + 3000 });
    expect(slownessOf(open, 3000, since + 3000).isSlow).toBe(true);
  });

  test("a duration is the tool's own, otherwise the observed one, and an unknown one stays unknown", () => {
    const { state, add } = folding();
    for (const [event, wait] of callEvents("said", 500, "t", { ms: 42 } as never)) add(event, wait);
    for (const [event, wait] of callEvents("seen", 500)) add(event, wait);
    for (const [event, wait] of callEvents("cut", 500, "t", { outcome: "interrupted" } as never)) add(event, wait);
    add({ type: "tool-start", call: "open", name: "t" });
    expect((state.root.items as CallNode[]).map((call) => describeCall(call).time)).toEqual([
      { ms: 42 },
      { ms: 500 },
      undefined,
      undefined,
    ]);
  });
});

test("calls are found by tool, state and text in arguments and results", () => {
  const { state, add } = folding();
  const content = [{ type: "text", text: "Found the Lantern" }];
  for (const [event, ms] of callEvents("alpha", 1, "search", { content } as never)) add(event, ms);
  for (const [event, ms] of callEvents("beta", 1, "read", {
    outcome: "error",
    error: { code: "x", message: "No such file" },
  } as never))
    add(event, ms);
  add({ type: "tool-start", call: "gamma", name: "read" });
  const matches = createMatcher();
  const found = (filter: object): string[] =>
    (state.root.items as CallNode[]).filter((call) => matches(call, { ...NO_FILTER, ...filter })).map(({ id }) => id);
  expect(found({})).toEqual(["alpha", "beta", "gamma"]);
  expect(found({ tool: "read" })).toEqual(["beta", "gamma"]);
  expect(found({ state: "open" })).toEqual(["gamma"]);
  expect(found({ state: "error" })).toEqual(["beta"]);
  expect(found({ text: "LANTERN found" })).toEqual(["alpha"]);
  expect(found({ text: "such beta" })).toEqual(["beta"]);
  expect(found({ text: "delta" })).toEqual([]);
  add({ type: "tool-input-delta", call: "gamma", delta: '{"path":"delta"}' });
  expect(found({ text: "delta" })).toEqual(["gamma"]);
});
