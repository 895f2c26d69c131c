// Runs the reducers of several Open WebUI versions and writes the compatibility table into docs/open-webui.md: `npm run docs`.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { withCompatibilityTable } from "./open-webui/compatibility-table.ts";

const file = path.join(import.meta.dirname, "../docs/open-webui.md");
writeFileSync(file, withCompatibilityTable(readFileSync(file, "utf8")));
