// Generates docs/dialects.md from the dialects' declarations: `npm run docs`.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { dialects } from "../src/config/dialects.ts";
import { dialectsDocument } from "./dialects/document.ts";

writeFileSync(path.join(import.meta.dirname, "../docs/dialects.md"), dialectsDocument(dialects));
