// Runs the examples of the Markdown specifications, prints the score, and writes it into docs/markdown.md: `npm run docs`.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { results } from "../test/markdown/score.ts";
import { scoreTables } from "./markdown/score-tables.ts";

const file = path.join(import.meta.dirname, "../docs/markdown.md");
const all = results();
const tables = scoreTables(all);
console.log(tables);
writeFileSync(
  file,
  readFileSync(file, "utf8").replace(
    /(<!-- score -->\n)[^]*?(<!-- \/score -->)/,
    (_, start: string, end: string) => `${start}\n${tables}\n\n${end}`,
  ),
);
const wrong = all.filter(({ verdict }) => verdict === "wrong");
for (const { example, shown } of wrong) console.log(`\nwrong: ${JSON.stringify(example)}\nshown: ${shown}`);
process.exitCode = wrong.length > 0 ? 1 : 0;
