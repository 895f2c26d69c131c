import fc from "fast-check";
import { expect, test } from "vitest";
import { entryOf } from "../src/client/entry-of.ts";
import { native } from "../src/dialects/native.ts";
import type { Entry } from "../src/events.ts";
import { arbitraryLog } from "./generate.ts";

const encode = () => native.encode({ link: () => "" });
const readBack = (entry: Entry): Entry => {
  const [frame] = encode()(entry);
  return entryOf(frame!.id!, frame!.data);
};

test("what the native dialect says of any entry is read back as that entry", () => {
  fc.assert(
    fc.property(arbitraryLog(), (log) => {
      for (const entry of log) expect(readBack(entry)).toEqual(entry);
    }),
    { numRuns: 100 },
  );
});

test("deltas of any text, part and further fields are read back", () => {
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
  fc.assert(
    fc.property(event, fc.nat(), (said, at) => {
      const entry = { seq: 1, at, event: said } as Entry;
      expect(entryOf("1", JSON.stringify({ ...said, at }))).toEqual(entry);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  "null",
  "1",
  '{"type":"text-delta","part":"p","delta":"x"',
  '{"type":"text-delta","part":"p","delta":"x","at":1} ,',
  "",
])("data that is no object throws: %s", (data) => {
  expect(() => entryOf("1", data)).toThrow();
});
