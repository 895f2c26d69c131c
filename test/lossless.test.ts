import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Frame } from "../src/dialect.ts";
import type { Entry, Event } from "../src/events.ts";
import { arbitraryLog } from "./generate.ts";
import { lossless, type Slot, type Codec } from "../src/dialects/frames/lossless.ts";

/** Writes text in capitals, calls without their ids, every end as two frames, and nothing else. */
const shout: Codec = {
  encode:
    () =>
    ({ event }: Entry): readonly Frame[] => {
      if (event.type === "text-delta") return [{ event: "say", data: event.delta.toUpperCase() }];
      if (event.type === "tool-start") return [{ event: "call", data: event.name }];
      return event.type.endsWith("-end") ? [{ event: "end", data: event.type }, { data: "." }] : [];
    },
  decode:
    () =>
    ({ event, data }: Frame): readonly Event[] => {
      if (event === "say") return [{ type: "text-delta", part: "p", delta: data }];
      if (event === "call") return [{ type: "tool-start", call: "c", name: data, title: "made up" }];
      return event === "end" ? [{ type: data } as Event] : [];
    },
};

const slot: Slot = {
  write: (data) => ({ event: "extra", data }),
  read: ({ event, data }) => (event === "extra" ? data : undefined),
};

const { encode, decode } = lossless(shout, slot);
const link = () => "";
const framesOf = (entries: readonly Entry[], extensions: boolean): Frame[] => {
  const encoder = encode({ link, extensions });
  return entries.flatMap((entry) => [...encoder(entry)]);
};

describe("lossless", () => {
  test("with extensions, decoding returns the log, whatever the format loses or makes up", () => {
    fc.assert(
      fc.property(arbitraryLog(), (entries) => {
        const understand = decode();
        const decoded = framesOf(entries, true).flatMap((frame) => [...understand(frame)]);
        expect(decoded).toEqual(entries.map(({ event }) => event));
      }),
      { numRuns: 100 },
    );
  });

  test("without extensions, and for clients that skip them, there are only the family's frames", () => {
    fc.assert(
      fc.property(arbitraryLog(), (entries) => {
        const plain = framesOf(entries, false);
        expect(framesOf(entries, true).filter(({ event }) => event !== "extra")).toEqual(plain);
        expect(plain.some(({ event }) => event === "extra")).toBe(false);
      }),
      { numRuns: 20 },
    );
  });

  test.each([
    "",
    "null",
    "7",
    "{}",
    '{"frames":1}',
    '{"frames":-1,"type":"status"}',
    '{"frames":0.5,"type":"status"}',
    '{"frames":1,"type":7}',
    '{"frames":0,"type":"status","unset":{}}',
    '{"frames":0,"type":"status","unset":[{}]}',
    '{"frames":0,"type":"status","set":"text"}',
  ])("a slot that contains %j is skipped, and the frames after it are decoded", (data) => {
    const understand = decode();
    expect(understand({ event: "extra", data })).toEqual([]);
    expect(understand({ event: "say", data: "HI" })).toEqual([{ type: "text-delta", part: "p", delta: "HI" }]);
  });
});
