import { expect, test } from "vitest";
import type { Event, Json } from "../../src/events.ts";
import type { CallNode } from "../../src/state.ts";
import { delegationOf } from "../../src/view.ts";
import { folding } from "./folding.ts";

const START: readonly Event[] = [
  { type: "step-start", step: "s" },
  { type: "tool-start", call: "c", name: "task" },
  { type: "tool-input-end", call: "c", input: { agent: "reader", task: "Read" } },
  { type: "step-end", step: "s", finish: "tools" },
  { type: "tool-execute", call: "c" },
  { type: "agent-start", agent: "a", call: "c", name: "reader", task: "Read" },
];
const AGENT: readonly Event[] = [
  { type: "step-start", step: "t", agent: "a" },
  { type: "text-start", part: "p", agent: "a" },
  { type: "text-delta", part: "p", agent: "a", delta: "All fine." },
  { type: "text-end", part: "p", agent: "a" },
  { type: "step-end", step: "t", agent: "a", finish: "stop" },
  { type: "agent-end", agent: "a", outcome: "done" },
];
const text = (words: string) => [{ type: "text" as const, text: words }];
const nodeOf = (events: readonly Event[]): CallNode => {
  const { state, add } = folding();
  for (const event of events) add(event);
  return state.nodes.get("c") as CallNode;
};
const callOf = (...events: readonly Event[]) => nodeOf([...START, ...events]);

test("a call that only starts a sub-agent is one card with it, running and done", () => {
  expect(delegationOf(callOf())).toMatchObject({
    agent: { name: "reader" },
    call: { name: "task" },
    hasOwnInput: false,
    hasOwnResult: false,
  });
  const done = callOf(...AGENT, { type: "tool-end", call: "c", outcome: "ok", content: text("All fine.\n") });
  expect(delegationOf(done)).toMatchObject({ hasOwnResult: false, time: undefined });
});

test.each<readonly [string, Json]>([
  ["more than the task", { agent: "reader", task: "Read", depth: 3 }],
  ["another task", { task: "Read all of it" }],
  ["text only", "Read everything"],
])("arguments that say %s are kept", (_, input) => {
  const events = START.map((event) => (event.type === "tool-input-end" ? { ...event, input } : event));
  expect(delegationOf(nodeOf(events))).toMatchObject({ hasOwnInput: true });
});

test("what the call adds is kept: a different result and duration", () => {
  const call = callOf(...AGENT, { type: "tool-end", call: "c", outcome: "ok", content: text("Filed."), ms: 9000 });
  expect(delegationOf(call)).toMatchObject({ hasOwnResult: true, time: { ms: 9000 } });
});

test("a duration that is about the sub-agent's is not repeated", () => {
  const timeOf = (sub: number, call: number) => {
    const { state, add } = folding();
    for (const event of [...START, ...AGENT.slice(0, -1)]) add(event);
    add(AGENT.at(-1)!, sub);
    add({ type: "tool-end", call: "c", outcome: "ok", content: text("All fine."), ms: call });
    return delegationOf(state.nodes.get("c") as CallNode)?.time;
  };
  expect(timeOf(10, 140)).toBeUndefined();
  expect(timeOf(10, 900)).toMatchObject({ ms: 900 });
  expect(timeOf(9000, 9600)).toBeUndefined();
  expect(timeOf(9000, 11_000)).toMatchObject({ ms: 11_000 });
});

test.each<readonly [string, readonly Event[]]>([
  ["failed", [{ type: "tool-end", call: "c", outcome: "error", error: { code: "e", message: "No room left." } }]],
  ["was cancelled", [{ type: "tool-end", call: "c", outcome: "cancelled" }]],
  ["started two sub-agents", [{ type: "agent-start", agent: "b", call: "c", name: "writer" }]],
  ["asks", [{ type: "ask-start", ask: "q", call: "c", kind: "confirmation", title: "Go on?" }]],
  ["prints", [{ type: "tool-output-delta", call: "c", stream: "stdout", delta: "hello" }]],
  ["reports progress", [{ type: "tool-progress", call: "c", fraction: 0.5 }]],
])("a call that %s has its own card", (_, events) => {
  expect(delegationOf(callOf(...events))).toBeUndefined();
});

test("a call without a sub-agent has its own card", () => {
  expect(delegationOf(nodeOf(START.slice(0, -1)))).toBeUndefined();
});
