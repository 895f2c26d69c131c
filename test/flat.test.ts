import { describe, expect, test } from "vitest";
import type { Entry, Event } from "../src/events.ts";
import { createReader } from "../src/markdown.ts";
import { createState, fold, subscribe } from "../src/state.ts";
import { createVerifier } from "../src/verify.ts";
import { dialects } from "./contracts/dialect-variants.ts";
import { useWorkCount } from "./work.ts";

const countWork = useWorkCount();
const TOKENS = 200;
const EARLY = 200;
const LATE = 8000;

const OPENING: readonly Event[] = [
  { type: "run-start", protocol: 2, run: "run_1", name: "test" },
  { type: "step-start", step: "step_1" },
  { type: "text-start", part: "part_1" },
];
const TOKEN: Event = { type: "text-delta", part: "part_1", delta: "word " };

/** Not exactly equal: trees get deeper, and a paragraph may be near the end of a piece or at its start. */
const ALIKE = 1.25;
/** Forge repeats the text so far in each frame, so the encoder sends fewer frames as the text grows, which takes more branches. */
const BATCHING: Readonly<Record<string, number>> = { forge: 2 };

const expectAlike = (early: number, late: number, limit = ALIKE): void => {
  expect(early).toBeGreaterThan(TOKENS);
  expect(late).toBeLessThan(early * limit);
};

/** Feeds a run and compares the work for the same tokens early and late in it. */
const expectFlat = async (take: (entry: Entry) => void, limit?: number): Promise<void> => {
  let seq = 0;
  const feed = (event: Event) => take({ seq: ++seq, at: 1_700_000_000_000 + seq, event });
  const tokens = (count: number) => {
    for (let index = 0; index < count; index++) feed(TOKEN);
  };
  for (const event of OPENING) feed(event);
  tokens(EARLY);
  const early = await countWork(() => tokens(TOKENS));
  tokens(LATE - EARLY);
  const late = await countWork(() => tokens(TOKENS));
  expectAlike(early, late, limit);
};

describe("the work for a token does not grow with the tokens before it", () => {
  test("when a run is folded", () => {
    const state = createState();
    subscribe(state, "part_1", () => {});
    return expectFlat((entry) => fold(state, entry));
  });

  test("when a run is verified", () => {
    const verifier = createVerifier();
    return expectFlat(({ event }) => void verifier.check(event));
  });

  test.each(dialects.map((dialect) => [dialect.name, dialect] as const))("when %s encodes a run", (name, dialect) => {
    const encode = dialect.encode({ link: () => "https://example.org/file" });
    return expectFlat((entry) => void [...encode(entry)], BATCHING[name]);
  });

  test.each(["plain text ", "a line of text\n", "- item\n", "**bold** and `code` "])(
    "when the page shows Markdown: %j",
    async (token) => {
      const reader = createReader();
      let text = "";
      const show = (count: number) => {
        for (let index = 0; index < count; index++) {
          text += token;
          for (const block of reader.read(text, false)) if (block.kind === "piece") reader.parser.inlines(block);
        }
      };
      show(EARLY);
      const early = await countWork(() => show(TOKENS));
      show(LATE - EARLY);
      const late = await countWork(() => show(TOKENS));
      expectAlike(early, late);
    },
  );
});
