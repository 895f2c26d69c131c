import { describe, expect, test } from "vitest";
import type { EventOf } from "../src/events.ts";
import { type Effect, INITIAL, type Input, type State, hasFailed, isOver, next } from "../src/runner/lifecycle.ts";
import { randomFrom } from "./random.ts";

const cancelled = { outcome: "cancelled" } as const;
const interrupted = { outcome: "interrupted" } as const;
const end: EventOf<"run-end"> = { type: "run-end", outcome: "done" };
const error = new Error("no");

const states: Record<string, State> = {
  starting: INITIAL,
  "starting, to stop": { name: "starting", ending: cancelled },
  "starting, grace over": { name: "starting", ending: cancelled, isGraceOver: true },
  running: { name: "running" },
  stopping: { name: "stopping", ending: cancelled },
  ending: { name: "ending" },
  "ending, stopped": { name: "ending", ending: cancelled },
  failing: { name: "failing" },
  leaving: { name: "leaving" },
  closed: { name: "closed", failed: false },
  "closed, failed": { name: "closed", failed: true },
};

const inputs: Record<string, Input> = {
  "start-stored": { type: "start-stored" },
  stop: { type: "stop", ending: interrupted },
  "grace-over": { type: "grace-over" },
  "source-ended": { type: "source-ended", end },
  "source-failed": { type: "source-failed", error },
  "log-failed": { type: "log-failed", error, isAnothers: false },
  "log-taken": { type: "log-failed", error, isAnothers: true },
  "end-stored": { type: "end-stored", end },
  "hand-over": { type: "hand-over" },
  released: { type: "released" },
};

const failed = { outcome: "error", error: { code: "agent-failed", message: "no", retryable: false } } as const;
const unwritten = {
  outcome: "error",
  error: { code: "log-failed", message: "the run's log could not be written", retryable: true },
} as const;
const gone: readonly Effect[] = [
  { do: "report", error },
  { do: "abandon-source", error },
];
const refused: readonly [State, readonly Effect[]] = [
  { name: "closed", failed: false },
  [{ do: "abandon-source" }, { do: "refuse-start", error, discard: true }],
];
const lostStart: readonly [State, readonly Effect[]] = [
  { name: "closed", failed: true },
  [...gone, { do: "refuse-start", error, discard: false }],
];
const takenStart: readonly [State, readonly Effect[]] = [
  { name: "closed", failed: true },
  [
    { do: "abandon-source", error },
    { do: "refuse-start", error, discard: true },
  ],
];
const handedOver = { code: "handed-over", message: "another process continues this run" };
const taken: readonly [State, readonly Effect[]] = [
  { name: "closed", failed: true },
  [{ do: "report", error }, { do: "abandon-source", error: handedOver }, { do: "settle" }],
];
const retry = (ending: typeof unwritten | typeof cancelled): readonly [State, readonly Effect[]] => [
  { name: "failing" },
  [...gone, { do: "retry-end", ending }],
];
const confirm: Effect = { do: "confirm-start" };
const stopSource: Effect = { do: "stop-source", ending: interrupted };
const settle: Effect = { do: "settle", end };

/** Inputs that are not listed change nothing. */
const expected: Record<string, Record<string, readonly [State, readonly Effect[]]>> = {
  starting: {
    "start-stored": [{ name: "running" }, [confirm]],
    stop: [{ name: "starting", ending: interrupted }, [stopSource]],
    "grace-over": [{ name: "starting", isGraceOver: true }, []],
    "source-failed": refused,
    "log-failed": lostStart,
    "log-taken": takenStart,
  },
  "starting, to stop": {
    "start-stored": [{ name: "stopping", ending: cancelled }, [confirm]],
    "grace-over": [{ name: "starting", ending: cancelled, isGraceOver: true }, []],
    "source-failed": refused,
    "log-failed": lostStart,
    "log-taken": takenStart,
  },
  "starting, grace over": {
    "start-stored": [{ name: "ending", ending: cancelled }, [confirm, { do: "write-end", ending: cancelled }]],
    "source-failed": refused,
    "log-failed": lostStart,
    "log-taken": takenStart,
  },
  running: {
    stop: [{ name: "stopping", ending: interrupted }, [stopSource]],
    "hand-over": [{ name: "leaving" }, [{ do: "abandon-source", error: handedOver }, { do: "release" }]],
    "source-ended": [{ name: "ending" }, [{ do: "write-end", end }]],
    "source-failed": [{ name: "ending", ending: failed }, [{ do: "write-end", ending: failed }]],
    "log-failed": retry(unwritten),
    "log-taken": taken,
  },
  stopping: {
    "grace-over": [{ name: "ending", ending: cancelled }, [{ do: "write-end", ending: cancelled }]],
    "source-ended": [{ name: "ending", ending: cancelled }, [{ do: "write-end", ending: cancelled, end }]],
    "source-failed": [{ name: "ending", ending: cancelled }, [{ do: "write-end", ending: cancelled }]],
    "log-failed": retry(cancelled),
    "log-taken": taken,
  },
  ending: {
    "log-failed": retry(unwritten),
    "log-taken": taken,
    "end-stored": [{ name: "closed", failed: false }, [settle]],
  },
  "ending, stopped": {
    "log-failed": retry(cancelled),
    "log-taken": taken,
    "end-stored": [{ name: "closed", failed: false }, [settle]],
  },
  failing: { "end-stored": [{ name: "closed", failed: true }, [settle]] },
  leaving: {
    "log-failed": [{ name: "leaving" }, [{ do: "report", error }]],
    released: [{ name: "closed", failed: true }, [{ do: "settle" }]],
  },
  closed: {},
  "closed, failed": {},
};

describe.each(Object.entries(states))("a run that is %s", (name, state) => {
  test.each(Object.entries(inputs))("handles %s", (type, input) => {
    const [to, effects] = expected[name]![type] ?? [state, []];
    expect(next(state, input)).toEqual({ state: to, effects });
  });
});

test("with any inputs in any order, a run is confirmed or refused once, ended once and settled once", () => {
  const random = randomFrom(1);
  const pick = Object.values(inputs);
  for (let round = 0; round < 2000; round++) {
    const counts = new Map<string, number>();
    let state: State = INITIAL;
    for (let step = 0; step < 30; step++) {
      const before = state;
      const transition = next(before, pick[Math.floor(random() * pick.length)]!);
      state = transition.state;
      for (const effect of transition.effects) counts.set(effect.do, (counts.get(effect.do) ?? 0) + 1);
      if (isOver(before)) expect(isOver(state)).toBe(true);
      if (hasFailed(before)) expect(hasFailed(state)).toBe(true);
    }
    const count = (effect: Effect["do"]) => counts.get(effect) ?? 0;
    expect(count("confirm-start") + count("refuse-start")).toBeLessThanOrEqual(1);
    expect(count("write-end")).toBeLessThanOrEqual(1);
    expect(count("retry-end")).toBeLessThanOrEqual(1);
    expect(count("stop-source")).toBeLessThanOrEqual(1);
    expect(count("release")).toBeLessThanOrEqual(1);
    expect(count("settle") + count("refuse-start")).toBe(state.name === "closed" ? 1 : 0);
  }
});
