import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Entry, Json } from "../src/events.ts";
import { type CallNode, GapError, ROOT, createState, fold, restoreInto, snapshot, subscribe } from "../src/state.ts";
import { arbitraryLog, generateLog } from "./generate.ts";

const folded = (...lists: (readonly Entry[])[]) => {
  const state = createState();
  for (const entries of lists) for (const entry of entries) fold(state, entry);
  return state;
};

describe("fold", () => {
  test("a repeated prefix and overlapping ranges change nothing", () => {
    fc.assert(
      fc.property(arbitraryLog(), fc.nat(), fc.nat(), (log, one, two) => {
        const [from, to] = [one % log.length, two % log.length].sort((a, b) => a - b) as [number, number];
        const whole = snapshot(folded(log));
        expect(snapshot(folded(log.slice(0, to), log.slice(0, to), log))).toEqual(whole);
        expect(snapshot(folded(log.slice(0, to), log.slice(from), log.slice(from, to)))).toEqual(whole);
      }),
      { numRuns: 150 },
    );
  });

  test("a snapshot at any point, restored, continues to the same state", () => {
    fc.assert(
      fc.property(arbitraryLog(), fc.nat(), (log, choice) => {
        const at = choice % log.length;
        const restored = restoreInto(createState(), snapshot(folded(log.slice(0, at))));
        for (const entry of log) fold(restored, entry);
        expect(snapshot(restored)).toEqual(snapshot(folded(log)));
      }),
      { numRuns: 200 },
    );
  });

  test("a gap throws and changes nothing", () => {
    const log = generateLog(11);
    const state = folded(log.slice(0, 3));
    const before = snapshot(state);
    expect(() => fold(state, log[5]!)).toThrow(GapError);
    expect(snapshot(state)).toEqual(before);
  });

  test("the text of a part equals its deltas, and arguments equal their parsed text", () => {
    fc.assert(
      fc.property(arbitraryLog(), (log) => {
        const state = folded(log);
        const texts = new Map<string, string>();
        const inputs = new Map<string, string>();
        for (const { event } of log) {
          if (event.type === "text-delta" || event.type === "thinking-delta")
            texts.set(event.part, (texts.get(event.part) ?? "") + event.delta);
          if (event.type === "tool-input-delta") inputs.set(event.call, (inputs.get(event.call) ?? "") + event.delta);
        }
        for (const [part, text] of texts) expect(state.nodes.get(part)).toMatchObject({ text });
        for (const [id, text] of inputs) {
          const call = state.nodes.get(id) as CallNode;
          expect(call.inputText).toBe(text);
          if (call.inputDone && !call.edited) expect(call.input).toEqual(JSON.parse(text));
        }
      }),
      { numRuns: 150 },
    );
  });

  test("nothing is running when the run has ended", () => {
    fc.assert(
      fc.property(arbitraryLog(), (log) => {
        const state = folded(log);
        expect(state.outcome).toBeDefined();
        for (const node of state.nodes.values()) expect(node.endedAt).toBeDefined();
        expect(state.inputs.size).toBe(0);
        expect(state.steps.size).toBe(0);
      }),
      { numRuns: 150 },
    );
  });

  test("a change increases the version of its node and notifies only its readers", () => {
    const log = generateLog(1);
    const state = createState();
    const delta = log.find(({ event }) => event.type === "text-delta")!;
    for (const entry of log.slice(0, delta.seq - 1)) fold(state, entry);
    const part = state.nodes.get((delta.event as { part: string }).part)!;
    const notified: string[] = [];
    subscribe(state, part.id, () => notified.push("part"));
    subscribe(state, ROOT, () => notified.push("root"));
    const { version } = part;
    fold(state, delta);
    expect(notified).toEqual(["part"]);
    expect(part.version).toBe(version + 1);
  });

  test("live output keeps a bounded tail and counts everything", () => {
    const state = createState();
    const events = [
      { type: "run-start", protocol: 1, run: "r", name: "n" },
      { type: "step-start", step: "s" },
      { type: "tool-start", call: "c", name: "t" },
      { type: "step-end", step: "s", finish: "tools" },
      { type: "tool-execute", call: "c" },
      ...Array.from({ length: 5000 }, (_, line) => ({
        type: "tool-output-delta",
        call: "c",
        stream: "stdout",
        delta: `line ${line}\n`.padEnd(100, "."),
      })),
    ] as Entry["event"][];
    events.forEach((event, index) => fold(state, { seq: index + 1, at: 0, event }));
    const call = state.nodes.get("c") as CallNode;
    const kept = call.output.map(({ text }) => text).join("");
    expect(call.outputLength.stdout).toBe(500_000);
    expect(kept.length).toBeGreaterThan(60_000);
    expect(kept.length).toBeLessThan(80_000);
    expect(kept.endsWith("line 4999\n".padEnd(100, "."))).toBe(true);
  });

  test("a JSON Patch follows RFC 6902, and an invalid one changes nothing", () => {
    const patched = (value: Json, patch: Json) => {
      const state = createState();
      [{ value }, { patch }].forEach((field, index) =>
        fold(state, { seq: index + 1, at: 0, event: { type: "data", name: "n", ...field } }),
      );
      return state.data.get("n");
    };
    expect(patched([1, 2], [{ op: "add", path: "/-", value: 3 }])).toEqual([1, 2, 3]);
    expect(patched([1, 2], [{ op: "add", path: "/1", value: 3 }])).toEqual([1, 3, 2]);
    for (const path of ["/", "/length", "/01", "/1e0", "/ 1", "/-1", "/3"])
      for (const op of ["add", "replace", "remove"]) expect(patched([1, 2], [{ op, path, value: 3 }])).toEqual([1, 2]);
    const remove = { op: "remove", path: "/b" };
    const value = { a: { x: [1], y: 2 }, b: 3 };
    expect(patched(value, [{ op: "test", path: "/a", value: { y: 2, x: [1] } }, remove])).toEqual({ a: value.a });
    for (const other of [{ y: 2 }, { y: 2, x: { 0: 1 } }, { y: 2, z: [1] }, null, 2] as Json[])
      expect(patched(value, [{ op: "test", path: "/a", value: other }, remove])).toEqual(value);
  });
});
