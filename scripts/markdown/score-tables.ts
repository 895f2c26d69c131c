import { differences } from "../../test/markdown/differences.ts";
import { commonMarkVersion } from "../../test/markdown/examples.ts";
import { commonMark, gitHub } from "../../test/markdown/reference.ts";
import type { Result } from "../../test/markdown/score.ts";
import { htmlOf, normalHtml } from "../../test/web/markdown-html.ts";

/** The score by section, and every difference with an example, as Markdown. */
export const scoreTables = (results: readonly Result[]): string =>
  [
    table(
      results.filter(({ example }) => typeof example.id === "number"),
      `CommonMark ${commonMarkVersion}`,
    ),
    table(
      results.filter(({ example }) => typeof example.id === "string"),
      "GitHub",
    ),
    differencesTable(results),
  ].join("\n\n");

const table = (results: readonly Result[], name: string): string => {
  const row = (section: string, some: readonly Result[]): string => {
    const count = (verdict: Result["verdict"]): number => some.filter((result) => result.verdict === verdict).length;
    return `| ${section} | ${count("same")} / ${some.length} | ${count("different on purpose") || ""} | ${count("wrong") || ""} |`;
  };
  return [
    `| ${name} | same | different on purpose | wrong |`,
    "|---|---|---|---|",
    ...[...Map.groupBy(results, ({ example }) => example.section)].map(([section, some]) => row(section, some)),
    row("**all**", results),
  ].join("\n");
};

const differencesTable = (results: readonly Result[]): string =>
  [
    "| difference | examples | text | specification | Runcast |",
    "|---|---|---|---|---|",
    ...differences.map((difference) => {
      const [specification, text] = difference.sample;
      const html = (specification === "GitHub" ? gitHub : commonMark)(text, "raw");
      const count = results.filter((result) => result.difference === difference).length;
      const cells = [text, normalHtml(html), normalHtml(htmlOf(text))].map(code);
      return `| ${difference.what}. ${difference.why}. | ${count} | ${cells.join(" | ")} |`;
    }),
  ].join("\n");

/** A text as code in a cell. A line break is shown as an arrow, and long HTML is cut. */
const code = (text: string): string => {
  const short = text.length > 120 ? `${text.slice(0, 119)}…` : text;
  return `\`${short.replaceAll("\n", "↵").replaceAll("|", "\\|")}\``;
};
