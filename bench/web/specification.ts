import { commonMarkExamples, commonMarkVersion } from "../../test/markdown/examples.ts";
import { normalHtml } from "../../test/web/markdown-html.ts";

/** How many examples of the CommonMark specification each parser shows as specified. */
export const specificationTable = (parsers: Readonly<Record<string, (text: string) => string>>): readonly string[] => [
  `| parser | CommonMark ${commonMarkVersion} |`,
  "|---|---|",
  ...Object.entries(parsers).map(([name, htmlOf]) => {
    const same = commonMarkExamples.filter(({ text, html }) => tolerant(htmlOf(text)) === tolerant(html));
    return `| ${name} | ${same.length} / ${commonMarkExamples.length} |`;
  }),
];

/** Ignores what a page may choose: the name of a language's class, line breaks at the end of code, `<br>` for each line break. */
const tolerant = (html: string): string =>
  normalHtml(html)
    .replaceAll(/(?<=<code class=")language-/g, "")
    .replaceAll(/\n+(?=<\/code>)/g, "")
    .replaceAll(/<br>\n?/g, "\n");
