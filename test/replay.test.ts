import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Entry, Event } from "../src/events.ts";
import { createReplay, createTimeline, LONGEST_WAIT_MS } from "../src/replay.ts";
import { createState, fold, type RunState, snapshot } from "../src/state.ts";
import { arbitraryLog } from "./generate.ts";
import { useWorkCount } from "./work.ts";

const countWork = useWorkCount();

const folded = (entries: readonly Entry[], seq: number): RunState => {
  const state = createState();
  for (const entry of entries.slice(0, seq)) fold(state, entry);
  return state;
};

/** Everything, including what a snapshot omits, because folding needs it. */
const whole = (state: RunState) => ({
  ...snapshot(state),
  nodes: [...state.nodes.keys()].sort(),
  steps: [...state.steps].sort(([one = ""], [other = ""]) => (one < other ? -1 : 1)),
  inputs: [...state.inputs.keys()].sort(),
});

describe("a timeline", () => {
  test("has the state after any entry that folding everything up to it gives", () => {
    fc.assert(
      fc.property(
        arbitraryLog(4),
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean()), { minLength: 1, maxLength: 12 }),
        (entries, every, moves) => {
          const timeline = createTimeline(entries, every);
          let state: RunState | undefined;
          for (const [share, goesOn] of moves) {
            const seq = Math.round(share * entries.length);
            state = timeline.stateAt(seq, goesOn ? state : undefined);
            expect(whole(state)).toEqual(whole(folded(entries, seq)));
          }
          // Folding on with a returned state has not changed the checkpoints.
          expect(whole(timeline.stateAt(entries.length))).toEqual(whole(folded(entries, entries.length)));
        },
      ),
      { numRuns: 150 },
    );
  });

  test("reads entries that are appended", () => {
    const entries = talk(20);
    const shown: Entry[] = entries.slice(0, 5);
    const timeline = createTimeline(shown, 3);
    expect(timeline.stateAt(99).seq).toBe(5);
    shown.push(...entries.slice(5));
    expect(whole(timeline.stateAt(entries.length))).toEqual(whole(folded(entries, entries.length)));
    expect(whole(timeline.stateAt(4))).toEqual(whole(folded(entries, 4)));
  });

  test("in a hundred thousand entries, the first look folds each once, and a jump at most one interval", async () => {
    const entries = talk(100_000);
    let read = 0;
    const timeline = createTimeline(
      new Proxy(entries, { get: (target, key) => (/^\d+$/.test(String(key)) && read++, Reflect.get(target, key)) }),
    );
    const readFor = (seq: number, from?: RunState) => {
      read = 0;
      return { state: timeline.stateAt(seq, from), read };
    };
    const { state } = readFor(entries.length);
    expect(read).toBe(100_000);
    for (const seq of [99_999, 10, 50_123, 50_122, 1, 77_777]) {
      expect(readFor(seq).state.seq).toBe(seq);
      expect(read).toBe(seq % 500);
    }
    // A state close before the entry is advanced instead.
    readFor(entries.length, state);
    expect(read).toBe(0);
    readFor(99_400, readFor(99_100).state);
    expect(read).toBe(300);
  });

  test("the work of a jump grows with the calls before it, not with the tokens", async () => {
    const work = async (entries: readonly Entry[]) => {
      const timeline = createTimeline(entries);
      timeline.stateAt(entries.length);
      return countWork(() => void timeline.stateAt(entries.length - 101));
    };
    const short = await work(talk(2500, [], 500));
    const long = await work(talk(100_000, [], 20_000));
    expect(short).toBeGreaterThan(400);
    expect(long).toBeLessThan(short * 1.5);
  });
});

describe("a replay", () => {
  test("plays with the original waits, and shortens long ones", () => {
    const entries = talk(6, [100, 100, 60_000, 100, 100]);
    const replay = createReplay(entries, 0);
    expect([replay.seq, replay.length, replay.shortenedCount]).toEqual([0, 6, 1]);
    replay.play();
    const seen: number[] = [];
    for (const ms of [0, 99, 1, 100, LONGEST_WAIT_MS - 1, 1, 200]) {
      replay.tick(ms);
      seen.push(replay.seq);
    }
    expect(seen).toEqual([1, 1, 2, 3, 3, 4, 6]);
    expect(replay.isPlaying).toBe(false);
    expect(replay.timeOf(6)).toBe(60_400);
    replay.seek(3);
    expect(replay.shortened).toBe(60_000);
  });

  test("can be sped up, paused, moved and restarted at the end", () => {
    const entries = talk(
      101,
      Array.from({ length: 100 }, () => 100),
    );
    const replay = createReplay(entries);
    let notified = 0;
    replay.subscribe(() => notified++);
    replay.setSpeed(50);
    replay.play();
    expect(replay.seq).toBe(0);
    replay.tick(100);
    expect(replay.seq).toBe(51);
    replay.pause();
    replay.tick(1000);
    expect(replay.seq).toBe(51);
    replay.seek(7);
    replay.setSpeed(1);
    replay.play();
    replay.tick(100);
    expect(replay.seq).toBe(8);
    expect(whole(replay.state)).toEqual(whole(folded(entries, 8)));
    expect(notified).toBeGreaterThan(4);
    replay.seek(1_000);
    expect(replay.seq).toBe(101);
  });

  test("an empty run has nothing to play", () => {
    const replay = createReplay([]);
    replay.play();
    expect([replay.seq, replay.length, replay.isPlaying, replay.timeOf(3)]).toEqual([0, 0, false, 0]);
  });
});

/** A run with this many entries: text, and a call at regular intervals. `waits` are the milliseconds between them. */
function talk(length: number, waits: readonly number[] = [], every = 100): Entry[] {
  const events: Event[] = [
    { type: "run-start", protocol: 1, run: "r", name: "test" },
    { type: "step-start", step: "s" },
    { type: "text-start", part: "p" },
  ];
  for (let index = 0; events.length < length - 1; index++)
    events.push(
      index % every === every - 1
        ? { type: "tool-start", call: `c${index}`, name: "t" }
        : { type: "text-delta", part: "p", delta: "word " },
    );
  events.push({ type: "run-end", outcome: "done" });
  let at = 1_700_000_000_000;
  return events.map((event, index) => ({
    seq: index + 1,
    at: (at += index === 0 ? 0 : (waits[index - 1] ?? 0)),
    event,
  }));
}
