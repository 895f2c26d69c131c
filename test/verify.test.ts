import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Entry, type Event, eventSchema } from "../src/events.ts";
import { verify } from "../src/verify.ts";
import { arbitraryLog, generateLog } from "./generate.ts";

const renumber = (entries: readonly Entry[]): Entry[] => entries.map((entry, index) => ({ ...entry, seq: index + 1 }));
const isBoundary = ({ event }: Entry) => event.type.endsWith("-start") || event.type.endsWith("-end");
const isInner = ({ event }: Entry) => !event.type.startsWith("run-");

/** What an event is about, so that it can be moved behind the end of that item. */
const subject = (event: Event): string | undefined => {
  const [noun] = event.type.split("-");
  if (noun === "text" || noun === "thinking") return (event as { part: string }).part;
  if (noun === "tool") return (event as { call: string }).call;
  return undefined;
};

describe("verify", () => {
  test("accepts every generated log, and its events match the schema", () => {
    fc.assert(
      fc.property(arbitraryLog(), (log) => {
        expect(verify(log)).toBeUndefined();
        for (const { event } of log) expect(eventSchema.safeParse(event).error).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    [{ type: "shout", text: "hi" }, 'there is no event type "shout"'],
    [{ type: "status", text: 5 }, "status text: "],
  ])("rejects values outside the vocabulary: %j", (event, message) => {
    const [first, ...rest] = generateLog(7);
    const log = renumber([first!, { seq: 2, at: first!.at, event: event as Event }, ...rest]);
    expect(verify(log)).toMatchObject({ seq: 2, message: expect.stringContaining(message) });
  });

  test("rejects a log that lacks a start or an end", () => {
    fc.assert(
      fc.property(arbitraryLog(), fc.nat(), (log, choice) => {
        // Without its tool-input-end, a call is still grammatical, because not every provider reports the end of arguments.
        const boundaries = log.filter((entry) => isBoundary(entry) && entry.event.type !== "tool-input-end");
        const dropped = boundaries[choice % boundaries.length]!;
        expect(verify(renumber(log.filter((entry) => entry !== dropped)))).toBeDefined();
      }),
      { numRuns: 500 },
    );
  });

  test("rejects a log with a duplicate start or end", () => {
    fc.assert(
      fc.property(arbitraryLog(), fc.nat(), (log, choice) => {
        const boundaries = log.filter(isBoundary);
        const doubled = boundaries[choice % boundaries.length]!;
        expect(verify(renumber(log.flatMap((entry) => (entry === doubled ? [entry, entry] : [entry]))))).toBeDefined();
      }),
      { numRuns: 500 },
    );
  });

  test("rejects an event after the end of the item it belongs to", () => {
    fc.assert(
      fc.property(arbitraryLog(), fc.nat(), (log, choice) => {
        const deltas = log.filter(({ event }) => event.type.endsWith("-delta"));
        if (!deltas.length) return;
        const late = deltas[choice % deltas.length]!;
        const about = subject(late.event);
        const end = log.findLast(
          ({ event }) => event.type.endsWith("-end") && event.type !== "tool-input-end" && subject(event) === about,
        )!;
        const moved = log.filter((entry) => entry !== late);
        moved.splice(moved.indexOf(end) + 1, 0, late);
        expect(verify(renumber(moved))).toBeDefined();
      }),
      { numRuns: 300 },
    );
  });

  test("rejects a child after its parent", () => {
    fc.assert(
      fc.property(arbitraryLog(), fc.nat(), (log, choice) => {
        const inner = log.filter(isInner);
        const late = inner[choice % inner.length]!;
        expect(verify(renumber([...log.filter((entry) => entry !== late), late]))).toBeDefined();
      }),
      { numRuns: 300 },
    );
  });

  test("rejects a gap, with its position", () => {
    const log = generateLog(7);
    const cut = log.filter(({ seq }) => seq !== 3);
    expect(verify(cut)).toEqual({ seq: 4, message: "seq 4 follows 2: a log must count from 1 without gaps" });
  });

  test("rejects decreasing times, with their position", () => {
    const log = generateLog(7).map((entry) => (entry.seq === 3 ? { ...entry, at: 0 } : entry));
    expect(verify(log)).toEqual({
      seq: 3,
      message: `at 0 follows ${log[1]!.at}: times must not decrease`,
    });
  });

  const step: Event = { type: "step-start", step: "s" };
  const start: Event = { type: "run-start", protocol: 1, run: "r", name: "n" };
  const call: Event = { type: "tool-start", call: "c", name: "t" };
  const stepEnd: Event = { type: "step-end", step: "s", finish: "tools" };
  test.each<[string, Event[], string]>([
    ["no run-start", [step], "the first event is step-start, not run-start"],
    ["no run-end", [start], "the log ends without a run-end"],
    ["text outside a step", [start, { type: "text-start", part: "p" }], "part p starts outside a step"],
    [
      "an unknown part",
      [start, { type: "text-delta", part: "p", delta: "x" }],
      "text-delta for part p, which never started",
    ],
    [
      "the wrong agent",
      [start, step, { type: "text-start", part: "p" }, { type: "text-delta", part: "p", delta: "", agent: "a" }],
      "text-delta says agent a, but part p belongs to the root",
    ],
    [
      "execution before the step ends",
      [start, step, call, { type: "tool-execute", call: "c" }],
      "call c executes before its step has ended",
    ],
    [
      "success without execution",
      [start, step, call, stepEnd, { type: "tool-end", call: "c", outcome: "ok" }],
      "call c ends as ok, but it never executed",
    ],
    [
      "execution despite a denial",
      [
        start,
        step,
        call,
        stepEnd,
        { type: "ask-start", ask: "a", kind: "approval", call: "c" },
        { type: "ask-end", ask: "a", outcome: "answered", answer: { allow: false } },
        { type: "tool-execute", call: "c" },
      ],
      "call c executes although it was not allowed",
    ],
    [
      "a retry after text",
      [
        start,
        step,
        { type: "text-start", part: "p" },
        { type: "text-end", part: "p" },
        { type: "step-retry", step: "s", attempt: 1, wait: 0, error: { code: "e", message: "m" } },
      ],
      "step s is retried, but it has already produced text or a call",
    ],
    [
      "an end while a call is open",
      [start, step, call, stepEnd, { type: "run-end", outcome: "done" }],
      "the run ends, but call c is open",
    ],
    [
      "an id used twice",
      [start, step, { type: "text-start", part: "s" }],
      "part s starts, but that id was used before in this run",
    ],
    [
      "a repeated input",
      [
        start,
        step,
        call,
        { type: "tool-input-delta", call: "c", delta: "{}" },
        { type: "tool-input-end", call: "c", input: {} },
      ],
      "call c streamed its input, so tool-input-end must not repeat it",
    ],
  ])("explains %s", (_, events, message) => {
    expect(verify(events.map((event, index) => ({ seq: index + 1, at: 0, event })))?.message).toBe(message);
  });
});
