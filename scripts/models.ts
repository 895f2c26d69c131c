// Replays recorded responses of each provider and writes the table of what is shown into docs/models.md: `npm run docs`.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { matrixTable, providerMatrix } from "../test/provider-matrix.ts";

const file = path.join(import.meta.dirname, "../docs/models.md");
const table = matrixTable(await providerMatrix());
const document = readFileSync(file, "utf8");
writeFileSync(
  file,
  document.replace(
    /(<!-- shown -->\n)[^]*?(<!-- \/shown -->)/,
    (_, start: string, end: string) => `${start}${table}\n${end}`,
  ),
);
