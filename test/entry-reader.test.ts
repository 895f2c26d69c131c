import fc from "fast-check";
import { expect, test } from "vitest";
import { createEntryReader } from "../src/wire.ts";
import { native } from "../src/dialects/native.ts";
import type { Entry } from "../src/events.ts";
import { arbitraryLog } from "./generate.ts";

const encode = () => native.encode({ link: () => "" });

test("every entry in the native dialect is read back unchanged", () => {
  fc.assert(
    fc.property(arbitraryLog(), (log) => {
      const entryOf = createEntryReader();
      const encoder = encode();
      for (const entry of log) {
        const [frame] = encoder(entry);
        expect(entryOf(frame!.id!, frame!.data)).toEqual(entry);
      }
    }),
    { numRuns: 100 },
  );
});

test("deltas with any text, part and additional fields are read back, regardless of the frames before", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom('","at":5}', '"', "\\", '\\"', "\n", '","delta":"', "\ud800"),
  );
  const event = fc.record(
    {
      type: fc.constantFrom("text-delta" as const, "thinking-delta" as const),
      part: text,
      delta: text,
      agent: text,
      meta: fc.constant({ at: 1 }),
    },
    { requiredKeys: ["type", "part", "delta"] },
  );
  // Mostly the same part, occasionally another: the fast path depends on the previous frame.
  const stream = fc
    .tuple(
      fc.array(event, { minLength: 1, maxLength: 3 }),
      fc.array(fc.tuple(fc.nat(2), text, fc.nat()), { maxLength: 8 }),
    )
    .map(([events, picks]) => picks.map(([which, delta, at]) => ({ ...events[which % events.length]!, delta, at })));
  fc.assert(
    fc.property(stream, (picks) => {
      const entryOf = createEntryReader();
      for (const { at, ...fields } of picks) {
        const entry = { seq: 1, at, event: fields } as Entry;
        expect(entryOf("1", JSON.stringify({ ...fields, at }))).toEqual(entry);
      }
    }),
    { numRuns: 1000 },
  );
});

test.each([
  "null",
  "1",
  '{"type":"text-delta","part":"p","delta":"x"',
  '{"type":"text-delta","part":"p","delta":"x","at":1} ,',
  "",
])("data that is not an object throws: %s", (data) => {
  const entryOf = createEntryReader();
  entryOf("1", '{"type":"text-delta","part":"p","delta":"x","at":1}');
  expect(() => entryOf("2", data)).toThrow();
});
