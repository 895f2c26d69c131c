import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { scoreTables } from "../../scripts/markdown/score-tables.ts";
import { htmlOf, normalHtml } from "../web/markdown-html.ts";
import { differences } from "./differences.ts";
import { commonMarkExamples, type Example, gitHubExamples } from "./examples.ts";
import { commonMark } from "./reference.ts";
import { results } from "./score.ts";

const examples = [...commonMarkExamples, ...gitHubExamples];

describe("Markdown", () => {
  test("is shown as CommonMark and GitHub specify it, or as a listed difference describes", () => {
    const wrong = results().filter(({ verdict }) => verdict !== "same" && verdict !== "different on purpose");
    expect(wrong.map(({ example, shown }) => ({ ...example, shown }))).toEqual([]);
  });

  test("the examples are complete, and each difference has one", () => {
    expect(commonMarkExamples.length).toBe(652);
    expect(new Set(examples.map(({ id }) => id)).size).toBe(examples.length);
    const listed = differences.flatMap((difference) => difference.examples);
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed.filter((id) => !examples.some((example) => example.id === id))).toEqual([]);
    expect(differences.filter((difference) => difference.examples.length === 0)).toEqual([]);
  });

  test("the reference follows the specification where it treats raw HTML the same", () => {
    const differs = ({ text, html }: Example) => normalHtml(commonMark(text, "raw")) !== normalHtml(html);
    expect(commonMarkExamples.filter(differs)).toEqual([]);
  });

  test("every example gives the same tree, whole and character by character", () => {
    const differs = ({ text }: Example) => htmlOf([...text]) !== htmlOf(text);
    expect(examples.filter(differs)).toEqual([]);
  });

  test("docs/markdown.md has the score that `npm run docs` writes", () => {
    const document = readFileSync(path.join(import.meta.dirname, "../../docs/markdown.md"), "utf8");
    expect(document, "run: npm run docs").toContain(`<!-- score -->\n\n${scoreTables(results())}\n\n<!-- /score -->`);
  });
});
