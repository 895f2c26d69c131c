import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Piece, thinkTags } from "../src/sources/agent/think-tags.ts";

const joined = (chunks: readonly string[]): Piece[] => {
  const tags = thinkTags();
  const pieces = [...chunks.flatMap((chunk) => tags.take(chunk)), ...tags.end()];
  const merged: Piece[] = [];
  for (const { kind, text } of pieces) {
    const last = merged.at(-1);
    if (last?.kind === kind) merged[merged.length - 1] = { kind, text: last.text + text };
    else merged.push({ kind, text });
  }
  return merged;
};
const text = (value: string): Piece => ({ kind: "text", text: value });
const thinking = (value: string): Piece => ({ kind: "thinking", text: value });

/** Text with many tags, partial tags and lookalikes. */
const tagged = fc
  .array(
    fc.constantFrom(
      "<think>",
      "</think>",
      "<thinking>",
      "</thinking>",
      "<reason>",
      "</reason>",
      "<thi",
      "nk>",
      "</",
      "<",
      "\n",
      " ",
      "```",
      "word",
      "İK😀",
    ),
    { maxLength: 12 },
  )
  .map((words) => words.join(""));

describe("think tags", () => {
  test.each<[string, string, Piece[]]>([
    ["thinking and an answer", "<think>\nhm</think>\n\nyes", [thinking("hm"), text("yes")]],
    ["white space before", " \n<thinking>hm</thinking>yes", [thinking("hm"), text("yes")]],
    ["thinking twice", "<think>a</think>\n<reason>b</reason> c", [thinking("ab"), text("c")]],
    ["thinking without an end", "<think>hm", [thinking("hm")]],
    ["an end tag with another name", "<think>a</thinking>b</think>c", [thinking("a</thinking>b"), text("c")]],
    ["a tag after text", "yes <think>no</think>", [text("yes <think>no</think>")]],
    ["a tag in a code fence", "```\n<think>\n```", [text("```\n<think>\n```")]],
    ["half a tag", "<thi", [text("<thi")]],
    ["empty tags", "<think>\n\n</think>\n\nyes", [text("yes")]],
    ["only white space", "  ", [text("  ")]],
    ["white space before text", "\n yes", [text("\n yes")]],
  ])("%s", (_, written, pieces) => {
    expect(joined([written])).toEqual(pieces);
  });

  test("the result does not depend on how the text is split", () => {
    fc.assert(
      fc.property(tagged, fc.array(fc.nat(20)), (written, lengths) => {
        const chunks: string[] = [];
        let rest = written;
        for (const length of lengths) {
          chunks.push(rest.slice(0, length));
          rest = rest.slice(length);
        }
        expect(joined([...chunks, rest])).toEqual(joined([written]));
        expect(joined([...written].flatMap((character) => [...character]))).toEqual(joined([written]));
      }),
      { numRuns: 2000 },
    );
  });

  test("only tags and the white space around them are removed", () => {
    fc.assert(
      fc.property(tagged, (written) => {
        const kept = joined([written]).map((piece) => piece.text);
        expect(bare(kept.join(""))).toBe(bare(written));
      }),
      { numRuns: 1000 },
    );
  });

  test("text is passed on immediately, except what may be a tag", () => {
    const tags = thinkTags();
    expect(tags.take("<thi")).toEqual([]);
    expect(tags.take("nk>a</")).toEqual([thinking("a")]);
    expect(tags.take("b")).toEqual([thinking("</b")]);
    expect(tags.take("</think>c")).toEqual([text("c")]);
    expect(tags.done).toBe(true);
  });
});

/** Removes tags and white space, including tags that appear only after others are removed. */
const bare = (value: string): string => {
  const less = value.replaceAll(/<\/?(think|thinking|reason)>|\s/g, "");
  return less === value ? value : bare(less);
};
