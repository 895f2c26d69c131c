import { describe, expect, test } from "vitest";
import {
  type Block,
  createParser,
  type Inline,
  type MarkdownParser,
  safeUrl,
  visibleText,
} from "../../src/markdown.ts";
import { hostileMarkdown, markdownBombs } from "./hostile-markdown.ts";
import { useWorkCount } from "../work.ts";
import { htmlOf } from "./markdown-html.ts";

const countWork = useWorkCount();

const parse = (parts: readonly string[]): MarkdownParser => {
  const parser = createParser();
  for (const part of parts) parser.write(part);
  parser.end();
  return parser;
};

function* blocksOf(block: Block, depth = 0): Generator<{ block: Block; depth: number }> {
  yield { block, depth };
  for (const child of block.children) yield* blocksOf(child, depth + 1);
}

function* inlinesOf(parser: MarkdownParser): Generator<Inline> {
  for (const { block } of blocksOf(parser.document)) {
    if (block.kind !== "piece" || block.parent!.kind === "code") continue;
    const inlines = block.parent!.kind === "table" ? parser.cells(block).flat() : parser.inlines(block);
    for (const inline of inlines) yield* within(inline);
  }
}

function* within(inline: Inline): Generator<Inline> {
  yield inline;
  if ("children" in inline) for (const child of inline.children) yield* within(child);
}

/** Executed blocks of code per character. The worst text needs 80. With one more loop over a piece, it would be thousands. */
const MOST_WORK = 300;

describe("hostile Markdown", () => {
  test.each(hostileMarkdown)("links only to web and email addresses: $name", ({ text }) => {
    for (const inline of inlinesOf(parse([text]))) {
      if (inline.kind !== "link" && inline.kind !== "image") continue;
      const target = safeUrl(inline.url);
      if (target) expect(target.href).toMatch(/^(?:https?:\/\/(?![^/]*@)|mailto:)/);
    }
  });

  test.each(hostileMarkdown)("is the same however it arrives: $name", ({ text }) => {
    expect(htmlOf(text.match(/[^]{1,3}/g)!)).toBe(htmlOf(text));
  });

  test.each(markdownBombs)("costs little and stays small: $name", async ({ text }) => {
    const pieces = text.match(/[^]{1,1000}/g)!;
    let parser!: MarkdownParser;
    let count = 0;
    const work = await countWork(() => {
      parser = parse(pieces);
      for (const _ of inlinesOf(parser)) count++;
    });
    expect(work).toBeLessThan(text.length * MOST_WORK);
    let most = 0;
    for (const { block, depth } of blocksOf(parser.document)) {
      most = Math.max(most, depth);
      if (block.kind === "piece" && block.parent!.kind !== "table") expect(block.text.length).toBeLessThanOrEqual(8192);
    }
    expect(most).toBeLessThan(60);
    expect(count).toBeLessThan(text.length * 2 + 10);
  });

  test.each([
    ["javascript:alert(1)", undefined],
    ["JAVASCRIPT:alert(1)", undefined],
    [" javascript:alert(1)", undefined],
    ["java\tscript:alert(1)", undefined],
    ["data:text/html,x", undefined],
    ["//elsewhere.example", undefined],
    ["/runs", undefined],
    ["https://bank.example@elsewhere.example", undefined],
    ["https://", undefined],
    ["https://аррӏе.com/x", "xn--80ak6aa92e.com"],
    ["HTTPS://Example.com:8443/a", "example.com:8443"],
    ["mailto:a%40b@example.com", "a@b@example.com"],
  ])("a link to %j is shown as %j", (url, place) => {
    expect(safeUrl(url)?.place).toBe(place);
  });

  test("characters that reorder or hide text are shown by their code points", () => {
    expect(visibleText("user\u202Enimda \u2066x\u2069 hi\u{E0041}")).toBe(
      "user⟦U+202E⟧nimda ⟦U+2066⟧x⟦U+2069⟧ hi⟦U+E0041⟧",
    );
    expect(visibleText("שלום مرحبا 👨‍👩‍👧")).toBe("שלום مرحبا 👨‍👩‍👧");
  });

  test.each([
    ["soft hyphen", "\u00AD"],
    ["Arabic letter mark", "\u061C"],
    ["Hangul filler", "\u3164"],
    ["halfwidth filler", "\uFFA0"],
    ["zero-width space", "\u200B"],
    ["left-to-right mark", "\u200E"],
    ["right-to-left mark", "\u200F"],
    ["word joiner", "\u2060"],
    ["invisible times", "\u2062"],
    ["byte order mark", "\uFEFF"],
    ["annotation", "\uFFF9"],
    ["end of annotation", "\uFFFB"],
    ["joiner between letters that do not join", "\u200D"],
    ["non-joiner between letters that do not join", "\u200C"],
    ["variation selector after a letter without variations", "\uFE00"],
    ["rare variation selector after a letter without variations", "\u{E0101}"],
  ])("a %s is visible", (_, character) => {
    const number = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
    expect(visibleText(`pay${character}pal`)).toBe(`pay⟦U+${number}⟧pal`);
  });

  test.each(["👩🏽‍🚀", "❤️‍🔥", "🏳️‍🌈", "1️⃣", "↔︎", "نمی‌خواهم", "क्‍ष", "ශ්‍රී", "葛\u{E0100}", "naïve — “ok”"])(
    "%s is unchanged",
    (text) => {
      expect(visibleText(text)).toBe(text);
    },
  );

  test("consecutive hidden characters are visible from the second on", () => {
    expect(visibleText("😀\uFE0F\uFE01\u{E0110}")).toBe("😀\uFE0F⟦U+FE01⟧⟦U+E0110⟧");
    expect(visibleText("ب\u200D\u200C\u200D")).toBe("ب\u200D⟦U+200C⟧⟦U+200D⟧");
  });

  test("a growing text does not change what was already shown", () => {
    const text = "a\u200Db ب\u200Cب 👩🏽‍🚀❤️‍🔥 \u200B葛\u{E0100}\u{E0100}";
    const points = [...text];
    for (let end = 0; end <= points.length; end++)
      expect(visibleText(text).startsWith(visibleText(points.slice(0, end).join("")))).toBe(true);
  });
});
