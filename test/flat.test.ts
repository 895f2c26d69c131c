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

/**
 * V8 leaves out a block that runs as often as the block around it, and calls of functions that it optimized, so a count
 * varies by a block or two per token. Work that grows adds many more.
 */
const VARIATION = 2 * TOKENS;

const expectAlike = (early: number, late: number, limit: number = ALIKE): void => {
  expect(early).toBeGreaterThan(TOKENS);
  expect(late).toBeLessThan(early * limit + VARIATION);
};

type Take = (entry: Entry) => void;

const feeder = (take: Take) => {
  let seq = 0;
  const feed = (event: Event) => take({ seq: ++seq, at: 1_700_000_000_000 + seq, event });
  const tokens = (count: number) => {
    for (let index = 0; index < count; index++) feed(TOKEN);
  };
  return { feed, tokens };
};

/** Feeds a run and compares the work for the same tokens early and late in it. */
const expectFlat = async (take: Take, limit: number): Promise<void> => {
  const { feed, tokens } = feeder(take);
  for (const event of OPENING) feed(event);
  tokens(EARLY);
  const early = await countWork(() => tokens(TOKENS));
  tokens(LATE - EARLY);
  const late = await countWork(() => tokens(TOKENS));
  expectAlike(early, late, limit);
};

const callEvents = (call: string): readonly Event[] => [
  { type: "tool-start", call, name: "look" },
  { type: "tool-input-end", call, input: { at: call } },
  { type: "tool-execute", call },
  { type: "tool-end", call, outcome: "ok", content: [{ type: "text", text: "found" }] },
];

/** Feeds two runs and compares the work for the same tokens after few and after many finished calls. */
const expectFlatAfterCalls = async (create: () => Take, limit: number): Promise<void> => {
  const after = async (calls: number): Promise<number> => {
    const { feed, tokens } = feeder(create());
    feed(OPENING[0]!);
    feed({ type: "step-start", step: "step_0" });
    for (let index = 0; index < calls; index++) for (const event of callEvents(`call_${index}`)) feed(event);
    feed({ type: "step-end", step: "step_0", finish: "tools" });
    for (const event of OPENING.slice(1)) feed(event);
    tokens(EARLY);
    return await countWork(() => tokens(TOKENS));
  };
  expectAlike(await after(5), await after(1000), limit);
};

const creators: readonly (readonly [name: string, create: () => Take, limit: number])[] = [
  [
    "is folded",
    () => {
      const state = createState();
      subscribe(state, "part_1", () => {});
      return (entry) => fold(state, entry);
    },
    ALIKE,
  ],
  [
    "is verified",
    () => {
      const verifier = createVerifier();
      return ({ event }) => void verifier.check(event);
    },
    ALIKE,
  ],
  ...dialects.flatMap((dialect) =>
    [false, true].map((extensions): readonly [string, () => Take, number] => [
      `is encoded as ${dialect.name}${extensions ? " with extensions" : ""}`,
      () => {
        const encode = dialect.encode({ link: () => "https://example.org/file", extensions });
        return (entry) => void [...encode(entry)];
      },
      BATCHING[dialect.name] ?? ALIKE,
    ]),
  ),
];

describe("the work for a token does not grow", () => {
  test.each(creators)("with the tokens before it, when a run %s", (_, create, limit) => expectFlat(create(), limit));

  test.each(creators)("with the calls before it, when a run %s", (_, create, limit) =>
    expectFlatAfterCalls(create, limit),
  );

  test.each(["plain text ", "a line of text\n", "- item\n", "**bold** and `code` "])(
    "with the text before it, when the page parses Markdown: %j",
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
