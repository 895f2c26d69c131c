import fc from "fast-check";
import { Marked } from "marked";
import { describe, expect, test } from "vitest";
import { randomFrom } from "../random.ts";
import { markdownCorpus } from "./markdown-corpus.ts";
import { htmlOf, normalHtml, openHtmlOf } from "./markdown-html.ts";

const marked = new Marked({ gfm: true });

describe("Markdown", () => {
  test.each(markdownCorpus)("is rendered like marked: %j", async (text) => {
    expect(normalHtml(htmlOf(text))).toBe(normalHtml(await marked.parse(text)));
  });

  test.each(markdownCorpus)("is the same however it arrives: %j", (text) => {
    const whole = htmlOf(text);
    expect(htmlOf([...text])).toBe(whole);
    const random = randomFrom(7);
    for (let round = 0; round < 20; round++) {
      const parts: string[] = [];
      for (let from = 0; from < text.length;) {
        const length = 1 + Math.floor(random() * 8);
        parts.push(text.slice(from, from + length));
        from += length;
      }
      expect(htmlOf(parts)).toBe(whole);
    }
  });

  test("is the same however it arrives, for any text", () => {
    const atoms = [
      "\n",
      "\n",
      "\n\n",
      " ",
      "  ",
      "    ",
      "\t",
      "- ",
      "* ",
      "1. ",
      "2) ",
      "> ",
      "# ",
      "```",
      "~~~",
      "|",
      "|-|-|",
      "---",
    ];
    const more = [
      "===",
      "*",
      "**",
      "_",
      "~~",
      "`",
      "[",
      "]",
      "](",
      ")",
      "![",
      "[x]: ",
      "$",
      "$$",
      "\\[",
      "\\",
      "<",
      "&amp;",
      "a",
      "bc",
      "x y",
      "\r\n",
      "\r",
    ];
    const text = fc.array(fc.constantFrom(...atoms, ...more), { maxLength: 40 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, fc.array(fc.nat(10), { minLength: 1, maxLength: 10 }), (whole, lengths) => {
        const parts: string[] = [];
        for (let from = 0, index = 0; from < whole.length; index++) {
          const length = lengths[index % lengths.length]! + 1;
          parts.push(whole.slice(from, from + length));
          from += length;
        }
        expect(htmlOf(parts)).toBe(htmlOf(whole));
      }),
      { numRuns: 3000 },
    );
  });

  test("long paragraphs and lines render the same in pieces", () => {
    const random = randomFrom(3);
    const words = [
      "word",
      "**bold**",
      "*it*",
      "`code`",
      "[link](http://a.b)",
      "a_b",
      "x",
      "and\n",
      "| bar",
      "(so)",
      "\\*",
      "“q”",
    ];
    const text = Array.from({ length: 3000 }, () => words[Math.floor(random() * words.length)]).join(" ");
    const whole = htmlOf(text);
    expect(htmlOf(text.match(/[^]{1,7}/g)!)).toBe(whole);
    expect(whole.match(/<strong>/g)!.length).toBe(text.match(/\*\*bold\*\*/g)!.length);
    expect(whole.match(/<a /g)!.length).toBe(text.match(/\[link\]/g)!.length);
  });

  test.each([
    ["some **bol", "<p>some <strong>bol</strong></p>"],
    ["some **bold*", "<p>some <strong>bold</strong></p>"],
    ["some *it", "<p>some <em>it</em></p>"],
    ["run `npm i", "<p>run <code>npm i</code></p>"],
    ["see [the docs](https://exa", '<p>see <a href="">the docs</a></p>'],
    ["see [the docs", '<p>see <a href="">the docs</a></p>'],
    ["text\n-", "<p>text</p>"],
    ["text\n\n- **a", "<p>text</p><ul><li><strong>a</strong></li></ul>"],
    ["| a | b |", ""],
    ["| a | b |\n|--", ""],
    ["``", ""],
    ["```py", ""],
    ["```py\nx = 1", '<pre><code class="language-py">x = 1</code></pre>'],
    ["[ref]: http", ""],
  ])("shows unfinished markup as what it will become: %j", (text, html) => {
    expect(openHtmlOf(text)).toBe(html);
  });
});
