import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Entry, Event } from "../src/events.ts";
import { createSegments } from "../src/segments.ts";
import { goldenRuns } from "./contracts/dialect-variants.ts";
import { arbitraryLog } from "./generate.ts";

/** The events of a log after which segments end. */
const endsOf = (events: readonly Event[]): number[] => {
  const segments = createSegments();
  return events.flatMap((event, index) => (segments.take(event) ? [index] : []));
};

const eventsOf = (entries: readonly Entry[]): Event[] => entries.map(({ event }) => event);

/** The rule, applied to a whole log without the verifier: whether any open item is working rather than waiting. */
const waitsForPeople = (events: readonly Event[]): boolean => {
  const last = <Type extends Event["type"]>(type: Type, isIt: (event: Extract<Event, { type: Type }>) => boolean) =>
    events.findLastIndex((event) => event.type === type && isIt(event as Extract<Event, { type: Type }>));
  const asks = events.filter((event) => event.type === "ask-start");
  const openAsks = asks.filter(({ ask }) => last("ask-end", (event) => event.ask === ask) < 0);
  const agents = events.filter((event) => event.type === "agent-start");
  const openAgents = agents.filter(({ agent }) => last("agent-end", (event) => event.agent === agent) < 0);
  const asksWithin = (agent: string | undefined): boolean =>
    openAsks.some((ask) => ask.agent === agent) ||
    openAgents.some((child) => child.parent === agent && asksWithin(child.agent));

  const steps = events.filter((event) => event.type === "step-start");
  if (steps.some(({ step }) => last("step-end", (event) => event.step === step) < 0)) return false;
  if (!openAgents.every(({ agent }) => asksWithin(agent))) return false;
  const calls = events.filter((event) => event.type === "tool-start");
  const open = calls.filter(({ call }) => last("tool-end", (event) => event.call === call) < 0);
  const working = open.filter(
    ({ call, provider }) =>
      !provider &&
      !openAsks.some((ask) => ask.call === call) &&
      !openAgents.some((agent) => agent.call === call) &&
      !(last("tool-execute", (event) => event.call === call) < 0 && isHeld(events, call)),
  );
  return working.length === 0 && openAsks.length > 0;
};

/** Whether a call of the same step was asked about before that step ended. */
const isHeld = (events: readonly Event[], call: string): boolean => {
  const stepOf = (wanted: string) => {
    const start = events.findIndex((event) => event.type === "tool-start" && event.call === wanted);
    const { agent } = events[start]!;
    return events.slice(0, start).findLastIndex((event) => event.type === "step-start" && event.agent === agent);
  };
  const step = stepOf(call);
  const { agent } = events[step]!;
  const ended = events.findIndex((event, at) => at > step && event.type === "step-end" && event.agent === agent);
  return events
    .slice(step, ended)
    .some((event) => event.type === "ask-start" && event.call !== undefined && stepOf(event.call) === step);
};

const everyLog = (check: (events: readonly Event[]) => void): void => {
  const withoutDeltas = (entries: readonly Entry[]) => eventsOf(entries).filter((event) => !("delta" in event));
  for (const { entries } of goldenRuns) check(withoutDeltas(entries));
  fc.assert(
    fc.property(arbitraryLog(2), (entries) => check(withoutDeltas(entries))),
    { numRuns: 100 },
  );
};

describe("segments", () => {
  test("end exactly where everything open waits for users", { timeout: 60_000 }, () => {
    everyLog((events) => {
      const ends = new Set(endsOf(events));
      let wasWaiting = false;
      for (const [index, { type }] of events.entries()) {
        if (type === "run-resume") continue;
        const isWaiting = type !== "ask-end" && waitsForPeople(events.slice(0, index + 1));
        const isEnd = isWaiting && (!wasWaiting || type === "ask-start");
        expect(ends.has(index), `after event ${index}, ${type}`).toBe(isEnd);
        wasWaiting = isWaiting;
      }
    });
  });

  test("are the same with deltas, however these are merged", () => {
    fc.assert(
      fc.property(arbitraryLog(2), (entries) => {
        const events = eventsOf(entries);
        const bare = events.filter((event) => !("delta" in event));
        const ends = new Set(endsOf(events).map((index) => events[index]));
        expect(endsOf(bare).map((index) => bare[index])).toEqual([...ends]);
      }),
      { numRuns: 100 },
    );
  });

  test("events while everything waits belong to the next one, unless they ask", () => {
    const asked = twoCalls("ask-a", "ask-b");
    const resumed: Event[] = [
      ...asked,
      { type: "run-resume", owner: "b", reason: "expired", after: asked.length },
      { type: "status", text: "still here" },
      { type: "ask-start", ask: "ask-c", kind: "input" },
    ];
    expect(endsOf(resumed)).toEqual([asked.length - 1, resumed.length - 1]);
  });

  test("depend only on the log so far, not on the reader or the deltas", () => {
    for (const { entries } of goldenRuns) {
      const events = eventsOf(entries);
      const ends = endsOf(events);
      for (const length of [1, Math.floor(events.length / 2), events.length - 1])
        expect(endsOf(events.slice(0, length))).toEqual(ends.filter((end) => end < length));
      for (const end of ends) expect(events[end]!.type).not.toMatch(/-delta$|^run-end$/);
    }
  });

  test("in runs that ask, each segment is followed by the user's action", () => {
    const asking = goldenRuns.filter(({ entries }) => entries.some(({ event }) => event.type === "ask-start"));
    expect(asking.length).toBeGreaterThan(1);
    for (const { entries, name } of asking) {
      const events = eventsOf(entries);
      const ends = endsOf(events);
      expect(ends.length, name).toBeGreaterThan(0);
      for (const end of ends) expect(events[end + 1]!.type, name).toBe("ask-end");
    }
  });

  test("report the open asks", () => {
    const segments = createSegments();
    for (const event of twoCalls("ask-a", "ask-b")) segments.take(event);
    expect(segments.openAsks).toEqual(["ask-a", "ask-b"]);
    segments.take({ type: "ask-end", ask: "ask-a", outcome: "expired" });
    expect(segments.openAsks).toEqual(["ask-b"]);
  });

  test("do not end while another call is about to be asked about or executed", () => {
    const asked = twoCalls("ask-a", "ask-b");
    expect(endsOf(asked)).toEqual([asked.length - 1]);
    const executed = twoCalls("ask-a");
    expect(endsOf([...executed, { type: "tool-execute", call: "b" }])).toEqual([]);
    const over: Event[] = [
      ...executed,
      { type: "tool-execute", call: "b" },
      { type: "tool-end", call: "b", outcome: "ok" },
    ];
    expect(endsOf(over)).toEqual([over.length - 1]);
  });

  test("end with the step if its asks came before its end, because its other calls are then held back", () => {
    const events = twoCalls("ask-a");
    const stepEnd = events.findIndex(({ type }) => type === "step-end");
    const held = [...events.slice(0, stepEnd), events.at(-1)!, events[stepEnd]!];
    expect(endsOf(held)).toEqual([held.length - 1]);
    // With one of two answers, such a source does nothing yet, and an answer ends no segment.
    expect(endsOf([...held, { type: "ask-end", ask: "ask-a", outcome: "expired" }])).toEqual([held.length - 1]);
  });
});

const twoCalls = (...asks: readonly string[]): Event[] => [
  { type: "run-start", protocol: 1, run: "r", name: "test" },
  { type: "step-start", step: "s" },
  { type: "tool-start", call: "a", name: "send" },
  { type: "tool-input-end", call: "a", input: {} },
  { type: "tool-start", call: "b", name: "send" },
  { type: "tool-input-end", call: "b", input: {} },
  { type: "step-end", step: "s", finish: "tools" },
  ...asks.map((ask, index): Event => ({ type: "ask-start", ask, kind: "approval", call: index === 0 ? "a" : "b" })),
];
