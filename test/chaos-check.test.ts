import { describe, expect, test } from "vitest";
import type { Entry, Event } from "../src/events.ts";
import { type RunState, createState, fold } from "../src/state.ts";
import { problemsOf } from "./chaos/check.ts";
import { executingAtKills } from "./chaos/takeovers.ts";
import type { TallyEntry } from "./chaos/tally.ts";

const numbered = (...events: Event[]): Entry[] => events.map((event, index) => ({ seq: index + 1, at: 0, event }));

const stateOf = (entries: readonly Entry[]): RunState => {
  const state = createState();
  for (const entry of entries) fold(state, entry);
  return state;
};

const repeated = (repeats: boolean): Entry[] =>
  numbered(
    ...([
      { type: "run-start", run: "r", protocol: 2, agentKey: "test" },
      { type: "step-start", step: "s" },
      { type: "tool-start", call: "a", name: "lookup" },
      { type: "tool-input-end", call: "a", input: {} },
      { type: "tool-execute", call: "a" },
      { type: "tool-end", call: "a", outcome: "interrupted" },
      { type: "tool-start", call: "b", name: "lookup", ...(repeats && { repeats: "a" }) },
      { type: "tool-input-end", call: "b", input: {} },
      { type: "tool-execute", call: "b" },
    ] as Event[]),
  );

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

  test("finds a repeat of a call that had ended, and of a tool that must not be repeated", () => {
    const ended = repeated(true).map((entry) =>
      entry.event.type === "tool-end" ? { ...entry, event: { ...entry.event, outcome: "ok" as const } } : entry,
    );
    expect(aboutCalls(ended, "a", "b")).toEqual(["r: lookup a had ended and ran again as b"]);
    const worked = ["a", "b"].map((call) => ({ ...begin(call), tool: "work" }) as TallyEntry);
    expect(problemsOf("r", repeated(true), worked, [], [])).toContain(
      "r: work k must not be repeated, and ran as a, b",
    );
  });

  const whole = numbered(
    { type: "run-start", run: "r", protocol: 2, name: "test" },
    { type: "ask-start", ask: "q", kind: "confirmation" },
    { type: "ask-end", ask: "q", outcome: "answered", answer: { allow: true } },
    { type: "run-end", outcome: "done" },
  );
  const problems = (stored: readonly Entry[], seen: readonly Entry[] = stored, folded = seen, allow = true) =>
    problemsOf(
      "r",
      stored,
      [],
      [{ run: "r", entries: seen, state: stateOf(folded) }],
      [{ run: "r", ask: "q", answer: { allow } }],
    );

  test("accepts a run that its viewers saw whole", () => {
    expect(problems(whole)).toEqual([]);
  });

  test("finds a run that did not end, and one that a crash ended", () => {
    expect(problems(whole.slice(0, -1))).toEqual([
      expect.stringContaining("r: breaks the grammar"),
      "r: ends 0 times",
      expect.stringContaining("r: ends with"),
    ]);
    const [start, ask, end] = whole.map(({ event }) => event);
    const crashed = numbered(start!, ask!, end!, { type: "run-end", outcome: "interrupted" });
    expect(problems(crashed)).toEqual([expect.stringMatching(/^r: ends with .*interrupted/)]);
  });

  test("finds an entry that a viewer missed or saw twice, and a state that differs", () => {
    expect(problems(whole, whole.toSpliced(1, 1), whole)).toEqual(["r: a viewer saw 3 entries of 4, and differs at 1"]);
    expect(problems(whole, whole.toSpliced(1, 0, whole[0]!), whole)).toEqual([
      "r: a viewer saw 5 entries of 4, and differs at 1",
    ]);
    expect(problems(whole, whole, whole.slice(0, 3))).toEqual(["r: a viewer's state differs from the log's"]);
  });

  test("finds an acknowledged answer that is lost", () => {
    expect(problems(whole, whole, whole, false)).toEqual(["r: the answer to q was acknowledged and is lost"]);
  });

  test("accepts a cancelled run only if a user cancelled it, and finds an acknowledged cancel that is lost", () => {
    const end = (outcome: "done" | "cancelled", ...acknowledged: boolean[]) =>
      problemsOf(
        "r",
        [...whole.slice(0, -1), { seq: 4, at: 0, event: { type: "run-end", outcome } }],
        [],
        [],
        [],
        acknowledged.map((isAcknowledged) => ({ run: "r", isAcknowledged })),
      );
    expect(end("cancelled", true)).toEqual([]);
    expect(end("cancelled", false)).toEqual([]);
    expect(end("done", false)).toEqual([]);
    expect(end("cancelled")).toEqual([expect.stringMatching(/^r: ends with .*cancelled/)]);
    expect(end("done", true)).toEqual(["r: a cancel was acknowledged and is lost"]);
  });

  test("counts the calls that were executing at each kill", () => {
    const entry = (act: "begin" | "end", call: string, pid: number, at: number): TallyEntry =>
      ({ ...begin(call), do: act, pid, at }) as TallyEntry;
    const tally = [
      ...[entry("begin", "a", 1, 1), entry("begin", "b", 1, 2), entry("end", "a", 1, 3), entry("begin", "c", 1, 4)],
      ...[entry("begin", "d", 2, 5), entry("begin", "e", 3, 5)],
    ];
    const kills = [
      { pid: 1, at: 6 },
      { pid: 2, at: 7 },
      { pid: 4, at: 8 },
    ];
    expect(executingAtKills(tally, kills)).toEqual([2, 1]);
  });
});
