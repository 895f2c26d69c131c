import { describe, expect, test } from "vitest";
import { checkText } from "../src/cli/check.ts";
import type { Entry, Event } from "../src/events.ts";
import { createAnswer, createState, fold, type CallNode, type ResumeNode } from "../src/state.ts";
import { createVerifier, verify } from "../src/verify.ts";

const start: Event = { type: "run-start", protocol: 2, run: "r", name: "n" };
const step: Event = { type: "step-start", step: "s" };
const stepEnd: Event = { type: "step-end", step: "s", finish: "tools" };
const call: Event = { type: "tool-start", call: "c", name: "t" };
const execute: Event = { type: "tool-execute", call: "c" };
const cutCall: Event = { type: "tool-end", call: "c", outcome: "interrupted" };
const end: Event = { type: "run-end", outcome: "done" };
const resume = (after: number): Event => ({ type: "run-resume", owner: "b", reason: "expired", after });
const approval = (options: { id: string; label: string; allow: boolean }[]): Event => ({
  type: "ask-start",
  ask: "a",
  kind: "approval",
  call: "c",
  options,
});
const once = { id: "once", label: "Once", allow: true };

const entries = (events: readonly Event[]): Entry[] => events.map((event, index) => ({ seq: index + 1, at: 0, event }));
const messageOf = (...events: Event[]) => verify(entries(events))?.message;
const folded = (...events: Event[]) => {
  const state = createState();
  for (const entry of entries(events)) fold(state, entry);
  return state;
};

describe("run-resume", () => {
  test("is valid wherever nothing is cut", () => {
    expect(messageOf(start, resume(1), resume(2), end)).toBeUndefined();
  });

  test.each<[string, Event[], string]>([
    [
      "an open part",
      [step, { type: "text-start", part: "p" }, resume(3)],
      "run-resume, but part p was cut off and is still open",
    ],
    ["an open step", [step, resume(2)], "run-resume, but step s was cut off and is still open"],
    [
      "an executing call",
      [step, call, stepEnd, execute, resume(5)],
      "run-resume, but call c was cut off and is still open",
    ],
    [
      "an ask of an executing call",
      [step, call, stepEnd, execute, { type: "ask-start", ask: "a", kind: "input", call: "c" }, resume(6)],
      "run-resume, but ask a was cut off and is still open",
    ],
    ["a later entry", [resume(2)], "run-resume continues after entry 2, which is not before it"],
    [
      "work after the cut",
      [step, { type: "step-end", step: "s", finish: "stop" }, resume(2)],
      "run-resume continues after entry 2, but entry 3 does not end what was cut",
    ],
    [
      "a step that is cut before its calls",
      [step, call, { type: "step-end", step: "s", finish: "interrupted" }],
      "step s ends as interrupted, but its call c is open",
    ],
    ["an agent", [{ ...resume(1), agent: "x" } as Event], "run-resume names an agent, but it applies to the run"],
  ])("explains %s", (_, events, message) => {
    expect(messageOf(start, ...events)).toBe(message);
  });

  test("leaves waiting items open: approvals, calls that have not begun, sub-agents with the call that waits for them", () => {
    const answered: Event = { type: "ask-end", ask: "a", outcome: "answered", answer: { allow: true, option: "once" } };
    const log: Event[] = [
      start,
      step,
      call,
      { type: "tool-start", call: "task", name: "task" },
      stepEnd,
      approval([once]),
      { type: "tool-execute", call: "task" },
      { type: "agent-start", agent: "sub", call: "task", name: "sub" },
      { type: "step-start", step: "sub-step", agent: "sub" },
      { type: "step-end", step: "sub-step", agent: "sub", finish: "interrupted" },
      resume(9),
      answered,
      execute,
      { type: "tool-end", call: "c", outcome: "ok" },
      { type: "agent-end", agent: "sub", outcome: "done" },
      { type: "tool-end", call: "task", outcome: "ok" },
      end,
    ];
    expect(messageOf(...log)).toBeUndefined();
  });

  test("records in the state where it happened and what was cut", () => {
    const part: Event[] = [
      { type: "text-start", part: "p" },
      { type: "text-end", part: "p", cut: true },
    ];
    const state = folded(start, step, ...part, call, stepEnd, execute, cutCall, resume(7), end);
    const node = state.root.items.at(-1) as ResumeNode;
    // The part was cut earlier, for another reason.
    expect(node).toMatchObject({ kind: "resume", owner: "b", reason: "expired", after: 7, cut: ["c"] });
    expect(state.cuts).toEqual([]);
  });
});

describe("repeats", () => {
  const cut = [start, step, call, stepEnd, execute, cutCall, resume(5)];
  const again: Event = { type: "tool-start", call: "d", name: "t", repeats: "c" };

  test("an interrupted call runs again, outside a step, as part of the step", () => {
    const log: Event[] = [
      ...cut,
      again,
      { type: "tool-input-end", call: "d", input: { a: 1 } },
      { type: "tool-execute", call: "d" },
      { type: "tool-end", call: "d", outcome: "ok", content: [{ type: "text", text: "fine" }] },
      end,
    ];
    expect(messageOf(...log)).toBeUndefined();
    const { nodes } = folded(...log);
    expect(nodes.get("d")).toMatchObject({ step: "s", repeats: "c" });
    expect((nodes.get("c") as CallNode).repeatedBy).toBe("d");
    const answer = createAnswer();
    for (const entry of entries(log)) answer.take(entry);
    expect(answer.messages()).toEqual([
      { role: "assistant", content: [{ type: "call", call: "d", name: "t", input: { a: 1 } }] },
      { role: "tool", content: [{ type: "result", call: "d", name: "t", content: [{ type: "text", text: "fine" }] }] },
    ]);
  });

  test.each<[string, Event[], string]>([
    ["an unknown call", [start, step, again], "call d repeats call c, which never started"],
    ["a call that was not cut", [start, step, call, again], "call d repeats call c, which was not interrupted"],
    [
      "another tool",
      [...cut, { ...again, name: "u" } as Event],
      "call d repeats call c, which belongs to another agent or tool",
    ],
    [
      "a second time",
      [...cut, again, { ...again, call: "e" } as Event],
      "call e repeats call c, which was already repeated",
    ],
  ])("explains %s", (_, events, message) => {
    expect(messageOf(...events)).toBe(message);
  });
});

describe("approval options", () => {
  const asking = [start, step, call, stepEnd];
  const answered = (answer: object): Event => ({ type: "ask-end", ask: "a", outcome: "answered", answer });

  test.each<[string, Event[], string]>([
    [
      "one that is not offered",
      [...asking, approval([once]), answered({ allow: true, option: "ever" })],
      "ask a is answered with option ever, which it does not offer",
    ],
    [
      "one with the opposite meaning",
      [...asking, approval([once]), answered({ allow: false, option: "once" })],
      "ask a is answered with option once, but allow is not true",
    ],
    ["two with the same id", [...asking, approval([once, once])], "ask a offers two options with the same id"],
    [
      "those of a choice on an approval",
      [...asking, { type: "ask-start", ask: "a", kind: "approval", call: "c", options: [{ value: 1 }] }],
      "ask a is of the kind approval, but its options are a choice's",
    ],
    [
      "those of an approval on a choice",
      [start, { type: "ask-start", ask: "a", kind: "choice", options: [once] }],
      "ask a is of the kind choice, but its options are an approval's",
    ],
  ])("explains %s", (_, events, message) => {
    expect(messageOf(...events)).toBe(message);
  });
});

describe("versions", () => {
  const text = (...events: object[]) =>
    events.map((event, index) => JSON.stringify({ seq: index + 1, at: 0, event })).join("\n");

  test("a log of version 1 can be read", () => {
    expect(checkText(text({ ...start, protocol: 1 }, end), "log")).toMatchObject({ ok: true });
  });

  test("a log of a later version is rejected with a clear error, whatever it contains", () => {
    const message = "this log uses protocol 3; this version of Runcast reads up to 2; update Runcast";
    expect(createVerifier().check({ ...start, protocol: 3 } as Event)).toBe(message);
    expect(checkText(text({ type: "run-start", protocol: 3 }, { type: "hologram" }), "log").message).toBe(
      `log:1: ${message}`,
    );
  });
});
