import { describe, expect, test } from "vitest";
import type { Entry, Event } from "../src/events.ts";
import { problemsOf } from "./chaos/check.ts";
import type { TallyEntry } from "./chaos/tally.ts";

const repeated = (repeats: boolean): Entry[] =>
  (
    [
      { type: "run-start", run: "r", protocol: 2, agentKey: "test" },
      { type: "step-start", step: "s" },
      { type: "tool-start", call: "a", name: "lookup" },
      { type: "tool-input-end", call: "a", input: {} },
      { type: "tool-execute", call: "a" },
      { type: "tool-end", call: "a", outcome: "interrupted" },
      { type: "tool-start", call: "b", name: "lookup", ...(repeats && { repeats: "a" }) },
      { type: "tool-input-end", call: "b", input: {} },
      { type: "tool-execute", call: "b" },
    ] as Event[]
  ).map((event, index) => ({ seq: index + 1, at: 0, event }));

const begin = (call: string): TallyEntry => ({ do: "begin", run: "r", call, tool: "lookup", key: "k", pid: 1, at: 0 });
const aboutCalls = (entries: Entry[], ...calls: string[]) =>
  problemsOf("r", entries, calls.map(begin), [], []).filter((problem) => problem.includes("lookup"));

describe("the check of a chaos run", () => {
  test("accepts a repeated call, in either order of the two executions", () => {
    expect(aboutCalls(repeated(true), "a", "b")).toEqual([]);
    expect(aboutCalls(repeated(true), "b", "a")).toEqual([]);
  });

  test("finds a repeat that does not say so, in either order", () => {
    const problem = "r: lookup b ran again and does not say so";
    expect(aboutCalls(repeated(false), "a", "b")).toEqual([problem]);
    expect(aboutCalls(repeated(false), "b", "a")).toEqual([problem]);
  });

  test("finds a call that ran twice, and one that was not announced", () => {
    expect(aboutCalls(repeated(true), "b", "b")).toContain("r: lookup b ran twice");
    expect(aboutCalls(repeated(true), "c")).toEqual(["r: lookup c ran before its tool-execute was stored"]);
  });
});
