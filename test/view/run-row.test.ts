import { expect, test } from "vitest";
import type { RunRow } from "../../src/protocol.ts";
import { agoText, describeRow, openRunsText, ROW_STATES } from "../../src/view.ts";

const row: RunRow = { run: "r", name: "writer", agent: "w", seq: 9, startedAt: 1000, title: "Do it", user: "Bob" };
const asks = [{ ask: "a", kind: "approval" as const, title: "Send it?" }];

test("a waiting run names the user it waits for", () => {
  expect(describeRow({ ...row, asks })).toMatchObject({
    badge: { state: "waiting", word: "waiting for Bob" },
    isWaiting: true,
    note: "Send it?",
    time: { since: 1000 },
  });
  expect(describeRow({ ...row, asks, mine: true }).badge.word).toBe("waiting for you");
  expect(describeRow({ ...row, user: "", asks }).badge.word).toBe("waiting for you");
  expect(describeRow({ ...row, asks, endedAt: 3000, outcome: "cancelled" })).toMatchObject({
    badge: { state: "cancelled" },
    isWaiting: false,
    isOver: true,
    note: "",
    time: { ms: 2000 },
  });
});

test.each([
  ["length", "cut", "cut off", "The answer is incomplete: the model reached its output token limit."],
  ["filter", "filtered", "filtered", "The answer is incomplete: the provider's content filter stopped it."],
  ["interrupted", "interrupted", "interrupted", "The answer is incomplete: the process that was writing it ended."],
] as const)("a run that ended as `done` with the finish %s is no success", (finish, state, word, note) => {
  const over: RunRow = { ...row, endedAt: 3000, outcome: "done" };
  expect(describeRow(over)).toMatchObject({ badge: { state: "done", tone: "good" }, note: "" });
  const facts = describeRow({ ...over, finish });
  expect(facts).toMatchObject({ badge: { state, word }, isOver: true, note, time: { ms: 2000 } });
  expect(facts.badge.tone).not.toBe("good");
});

test("tokens and costs are shown in total and in detail", () => {
  expect(describeRow({ ...row, usage: { input: 1204, output: 332 } })).toMatchObject({
    spent: "1,536 tokens",
    usage: "1,204 tokens in, 332 out",
  });
  expect(describeRow({ ...row, usage: { input: 1204, output: 332, cost: 0.0042 } })).toMatchObject({
    spent: "1,536 tokens, $0.0042",
    usage: "1,204 tokens in, 332 out, $0.0042",
  });
  expect(describeRow({ ...row, usage: { cost: 0.0042 } }).spent).toBe("$0.0042");
  expect(describeRow(row).spent).toBe("");
});

test("how long ago a run started, and the number of active runs", () => {
  const ago = (ms: number) => agoText({ since: 0 }, ms);
  expect([0, 59_999, 60_000, 3_599_999, 3_600_000, 86_400_000, 200_000_000].map(ago)).toEqual([
    "just now", "just now", "1 min ago", "59 min ago", "1 h ago", "1 day ago", "2 days ago",
  ]); // prettier-ignore
  expect(openRunsText({ working: 0, waiting: 0 })).toBe("No active runs");
  expect(openRunsText({ working: 1200, waiting: 0 })).toBe("1,200 working");
  expect(openRunsText({ working: 2, waiting: 1 })).toBe("2 working, 1 waiting for a user");
  expect(ROW_STATES.map(({ word }) => word)).toEqual([
    "not finished", "working", "waiting for a user", "done", "failed", "cancelled", "interrupted",
  ]); // prettier-ignore
});
