import { expect, test } from "vitest";
import type { Json } from "../../src/events.ts";
import { describeRun, slotsOf } from "../../src/view.ts";
import { folding } from "./folding.ts";

const stateOf = (data: Readonly<Record<string, Json>>) => {
  const { state, add } = folding();
  for (const [name, value] of Object.entries(data)) add({ type: "data", name, value });
  return state;
};

test("a slot that says nothing, is shown elsewhere or is meant for programs is not shown", () => {
  const empty = { note: "", list: [], object: {}, nothing: null, todos: [] };
  const elsewhere = { title: "T", tags: ["a"], "follow-ups": ["b"], mode: "plan" };
  const internal = { session: "s", commands: [{ name: "/help" }] };
  expect(slotsOf(stateOf({ ...empty, ...elsewhere, ...internal }))).toEqual([]);
});

test("a short value is one line, and other values can be opened", () => {
  const long = "word ".repeat(50).trim();
  expect(slotsOf(stateOf({ branch: "main", tries: 0, budget: { spent: 12, left: 88 }, note: long }))).toEqual([
    { key: "branch", kind: "line", text: "branch: main" },
    { key: "tries", kind: "line", text: "tries: 0" },
    { key: "budget", kind: "line", text: expect.stringMatching(/^budget: .*12.*88/), value: { spent: 12, left: 88 } },
    { key: "note", kind: "line", text: expect.stringMatching(/^note: word word /), value: long },
  ]);
});

test("a short value that does not fit on one line as it is can be opened, too", () => {
  expect(slotsOf(stateOf({ note: "one\ntwo" }))).toEqual([
    { key: "note", kind: "line", text: "note: one two", value: "one\ntwo" },
  ]);
});

test("a plan and the context have their own form, and any JSON is shown as data", () => {
  const todo = { id: "1", text: "Read", status: "done" };
  expect(slotsOf(stateOf({ todos: [todo], context: { used: 500, size: 1000 } }))).toMatchObject([
    { kind: "plan", plan: { progress: "1 of 1 done" } },
    { kind: "line", text: "50% of the context used (500 of 1,000 tokens)" },
  ]);
  expect(slotsOf(stateOf({ todos: "later", context: { used: "much" } }))).toMatchObject([
    { text: "todos: later" },
    { kind: "line", value: { used: "much" } },
  ]);
});

test("the mode is a fact of the run, unless it is the default one", () => {
  expect(describeRun(stateOf({ mode: "plan" })).mode).toBe("mode: plan");
  for (const mode of ["default", "", null, { id: "plan" }]) expect(describeRun(stateOf({ mode })).mode).toBe("");
});

test("what is always allowed is one line while the run is in progress, with the asks that can be revoked", () => {
  const { state, add } = folding();
  const ask = (name: string, id: string) => {
    add({ type: "tool-start", call: `call ${id}`, name });
    add({ type: "ask-start", ask: id, kind: "approval", call: `call ${id}` });
  };
  const say = (id: string, value: Json) => add({ type: "data", name: "allowed", id, value });
  add({ type: "run-start", protocol: 2, run: "r", name: "n" });
  add({ type: "step-start", step: "s" });
  for (const [name, id] of Object.entries({ pay: "1", send: "2", read: "3" })) ask(name, id);
  ask("pay", "4");
  say("nothing", true);
  expect(slotsOf(state)).toEqual([]);
  for (const id of ["1", "2", "4"]) say(id, true);
  say("3", "upstream");
  const lines = () => slotsOf(state).map((slot) => slot.kind === "allowed" && [slot.text, slot.tools]);
  expect(lines()).toEqual([
    [
      "Always allowed in this run: pay, send, read",
      [
        { tool: "pay", asks: ["1", "4"] },
        { tool: "send", asks: ["2"] },
        { tool: "read", asks: [] },
      ],
    ],
  ]);
  for (const id of ["1", "2", "3"]) say(id, false);
  expect(lines()).toEqual([["Always allowed in this run: pay", [{ tool: "pay", asks: ["4"] }]]]);
  add({ type: "run-end", outcome: "done" });
  expect(slotsOf(state)).toEqual([]);
});
