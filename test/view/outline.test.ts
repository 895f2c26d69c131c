import { describe, expect, test } from "vitest";
import type { Event } from "../../src/events.ts";
import { createOutline, RUN_END } from "../../src/view.ts";
import { finishedCards } from "../web/cards-then-text.ts";
import { callEvents, folding } from "./folding.ts";

const outlined = (events: readonly Event[]) => {
  const { state, add } = folding();
  for (const event of events) add(event);
  const outline = createOutline(state);
  return { state, add, outline };
};
const step = (id: string, inner: readonly Event[] = [], agent?: string): Event[] => {
  const by = agent === undefined ? {} : { agent };
  return [
    { type: "step-start", step: id, ...by },
    ...inner,
    { type: "step-end", step: id, finish: "stop", usage: { input: 1204, output: 32 }, ...by },
  ];
};
const says = (part: string, delta: string): Event[] => [
  { type: "text-start", part },
  { type: "text-delta", part, delta },
  { type: "text-end", part },
];
const calls = (call: string, more: Partial<Event> = {}): Event[] =>
  callEvents(call, 5, `tool ${call}`, more).map(([event]) => event);

describe("the outline of a run", () => {
  test("has steps by their text or their calls, with their tokens, and leads to the first thing in them", () => {
    const { outline } = outlined([
      ...step("s1", says("p1", "Let me look.\nAnd then more.")),
      ...step("s2"),
      ...calls("a"),
      ...calls("b"),
    ]);
    expect(outline.update()).toMatchObject([
      {
        kind: "step",
        depth: 0,
        target: "p1",
        label: "1. Let me look. And then more.",
        note: "1,204 tokens in, 32 out",
      },
      { kind: "step", depth: 0, target: "a", label: "2. tool a, tool b" },
    ]);
  });

  test("has sub-agents with their own steps, questions, files, and failures below what they belong to, and leads to each", () => {
    const { outline } = outlined([
      ...step("s1"),
      { type: "tool-start", call: "task", name: "task" },
      { type: "tool-input-end", call: "task", input: {} },
      { type: "tool-execute", call: "task" },
      { type: "agent-start", agent: "h", name: "helper", call: "task", task: "Find it" },
      ...step("hs", [], "h"),
      { type: "file", agent: "h", file: "f", name: "plan.md", mediaType: "text/markdown", bytes: 2048 } as Event,
      { type: "agent-end", agent: "h", outcome: "error", error: { code: "x", message: "it broke" } },
      { type: "tool-end", call: "task", outcome: "error", error: { code: "x", message: "no result" } },
      { type: "ask-start", ask: "q", kind: "confirmation", title: "Go on?" },
      { type: "ask-end", ask: "q", outcome: "answered", answer: { allow: true } },
      { type: "notice", level: "error", text: "The disk is full." },
      { type: "notice", level: "info", text: "Just so you know." },
      { type: "run-end", outcome: "error", error: { code: "x", message: "gave up" } },
    ]);
    const rows = outline
      .update()
      .map(({ kind, depth, label, note, isFailure, target }) => [kind, depth, label, note, isFailure, target]);
    // A file or a notice has no place of its own: its row leads to what is above it.
    expect(rows).toEqual([
      ["step", 0, "1. task", "1,204 tokens in, 32 out", false, "task"],
      ["failure", 1, "task", "no result", true, "task"],
      ["agent", 1, "helper", "It broke.", true, "h"],
      ["step", 2, "1. Thinking", "1,204 tokens in, 32 out", false, "h"],
      ["file", 3, "plan.md", "text/markdown · 2.0 KB", false, "h"],
      ["ask", 1, "Go on?", expect.any(String), false, "q"],
      ["failure", 1, "The disk is full.", "", true, "q"],
      ["failure", 0, "The run failed", "Gave up.", true, RUN_END],
    ]);
  });

  test("a step that failed before it said anything leads to its retries, or to what ended with it, never to another's call", () => {
    const lost = { code: "network", message: "gone" };
    const failed = (id: string, by: object = {}): Event[] => [
      { type: "step-start", step: id, ...by },
      { type: "step-end", step: id, finish: "error", ...by },
    ];
    const retried: Event[] = [
      { type: "step-start", step: "s3" },
      { type: "step-retry", step: "s3", attempt: 2, wait: 100, error: lost },
      { type: "step-end", step: "s3", finish: "error" },
    ];
    const { add, outline } = outlined([
      ...step("s1"),
      ...calls("a"),
      { type: "agent-start", agent: "h", name: "helper", task: "Find it" },
      ...step("hs", [], "h"),
      { type: "tool-start", call: "b", name: "b", agent: "h" },
      { type: "tool-input-end", call: "b", input: {} },
      { type: "tool-execute", call: "b" },
      { type: "tool-end", call: "b", outcome: "ok" },
      ...failed("hf", { agent: "h" }),
      { type: "agent-end", agent: "h", outcome: "error", error: lost },
      ...failed("s2"),
      ...retried,
    ]);
    const steps = () =>
      outline
        .update()
        .filter(({ isFailure, kind }) => isFailure && kind === "step")
        .map(({ label, target }) => [label, target]);
    // The source may still continue: the failed step leads to what is above it.
    expect(steps()).toEqual([
      ["2. No answer", "h"],
      ["2. No answer", "h"],
      ["3. No answer", "s3"],
    ]);
    add({ type: "run-end", outcome: "error", error: lost });
    expect(steps()).toEqual([
      ["2. No answer", "h"],
      ["2. No answer", RUN_END],
      ["3. No answer", "s3"],
    ]);
  });

  test("every row leads to a node of the run", () => {
    const { state, outline } = outlined([...finishedCards(30), ...step("last", says("p", "Done"))]);
    const rows = outline.update();
    expect(rows).toHaveLength(31);
    for (const { target } of rows) expect(state.nodes.has(target)).toBe(true);
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
  });

  test("is the same array while nothing in it changes, and describes only what is new", () => {
    const { state, add, outline } = outlined([...finishedCards(2000)]);
    const before = outline.update();
    expect(outline.update()).toBe(before);
    add({ type: "step-start", step: "last" });
    add({ type: "text-start", part: "p" });
    const begun = outline.update();
    expect(begun).toHaveLength(2001);
    expect(begun.at(-1)!.label).toBe("2001. Thinking");
    // What has ended is not read again: text that could only come from reading it does not appear.
    const text = state.nodes.get("t0");
    if (text?.kind === "text") text.text = "Changed behind its back";
    add({ type: "text-delta", part: "p", delta: "The end" });
    const rows = outline.update();
    expect([rows[0]!.label, rows.at(-1)!.label]).toEqual(["1. Number 0", "2001. The end"]);
  });

  test("hides nothing that could mislead: hidden characters are visible, long texts are cut", () => {
    const { outline } = outlined(step("s", says("p", `safe\u202Eexe.${"x".repeat(500)}`)));
    const [row] = outline.update();
    expect(row!.label).not.toContain("\u202E");
    expect(row!.label.length).toBeLessThan(120);
  });
});
