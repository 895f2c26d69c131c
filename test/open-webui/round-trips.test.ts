import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openWebui } from "../../src/dialects/open-webui.ts";
import { collapsed } from "./collapsed.ts";
import { readJson } from "./display.ts";
import { readable } from "./expected.ts";
import { type Generation, generations } from "./generations.ts";
import { oneCall } from "./one-call.ts";
import { shownItems, startShowing } from "./showing.ts";

const PIECES = [
  '"',
  "'",
  "\n",
  "\r\n",
  "\t",
  " ",
  "<",
  ">",
  "</details>",
  "\n</details>\n",
  "<details",
  "<summary>x</summary>",
];
const MORE = [
  "&",
  "&lt;",
  "&amp;quot;",
  "&copy",
  "`",
  "```",
  "~~~",
  "\\",
  "*",
  "_",
  "$x$",
  "\\(x\\)",
  "[a](b)",
  "{{char}}",
];
const ODD = [
  "🙂",
  "é",
  "\u2028",
  "\u2029",
  "\u0085",
  "\u00a0",
  "\ufeff",
  "\u200b",
  "\u202e",
  "\u001b[31m",
  "data: x\n\n",
  '{"a":1}',
  "---\n",
];

const strings = fc
  .array(fc.oneof(fc.constantFrom(...PIECES, ...MORE, ...ODD), fc.string({ unit: "binary", maxLength: 8 })), {
    maxLength: 12,
  })
  .map((parts) => parts.join(""));

const shownIn = (style: string, generation: Generation, text: string) => {
  const showing = startShowing(openWebui, style, generation);
  const content = [{ type: "text" as const, text }];
  for (const entry of oneCall({ outcome: "ok", content }, { input: { text } })) showing.take(entry);
  showing.webui.end();
  return showing.webui.reloaded();
};

/** Half of a surrogate pair is kept in JSON, but cannot be shown on a page. */
const comparable = (value: unknown): unknown => JSON.parse(JSON.stringify(value).toWellFormed());

const RUNS = process.env.RUNCAST_LONG === "1" ? 20_000 : 120;

describe.each(generations.filter(({ name }) => name === "A" || name === "D"))("in generation $name", (generation) => {
  test.each(["details", "cards"])("%s preserves every string", (style) => {
    fc.assert(
      fc.property(strings, (text) => {
        const items = shownItems(shownIn(style, generation, text), generation);
        expect(items.map(({ kind }) => kind)).toEqual(["text", "card", "text"]);
        const card = items[1]!;
        if (card.kind !== "card") throw new Error("no card");
        expect(comparable(card.arguments)).toEqual(comparable(readable({ text })));
        const plain = readable(text) as string;
        expect(comparable(card.result ?? "")).toEqual(comparable(readJson(plain)));
      }),
      { numRuns: RUNS },
    );
  });

  test("collapse shows the head of every string as code", () => {
    fc.assert(
      fc.property(strings, (text) => {
        const { steps, answer, isFolded } = collapsed(shownIn("collapse", generation, text));
        expect({ answer: answer.trim(), isFolded, count: steps.length }).toEqual({
          answer: "After.",
          isFolded: true,
          count: 2,
        });
        const [, line] = /^\*\*🔧 look:\*\* (.*)$/su.exec(steps[1]!) ?? [];
        const plain = (readable(text) as string).replaceAll(/\s+/g, " ").trim();
        const span = /^(`+)( ?)(.*)\2\1$/su.exec(line!);
        expect(comparable(span?.[3] ?? line)).toEqual(comparable(plain === "" ? "✓ completed" : preview(plain)));
      }),
      { numRuns: RUNS },
    );
  });

  test.each(["details", "cards", "collapse"])("%s shows the head of 1 MB", (style) => {
    const text = `${"<b>\"'&</details>\n🙂".repeat(80_000)}`;
    expect(text.length).toBeGreaterThan(2 ** 20);
    const display = shownIn(style, generation, text);
    if (style === "collapse") {
      const { steps, summary } = collapsed(display);
      expect(summary).toBe("🔍 Execution Steps (1 tool)");
      expect(steps[1]).toContain("`<b>\"'&</details> 🙂<b>");
      return;
    }
    const card = shownItems(display, generation)[1]!;
    if (card.kind !== "card") throw new Error("no card");
    expect(String(card.result).slice(0, 900)).toBe(text.slice(0, 900));
    expect(String(card.result).length).toBeLessThan(6000);
  });
});

const preview = (text: string): unknown =>
  [...text].length <= 200 ? text : expect.stringMatching(/^.{150,220}\.\.\.$/su);
