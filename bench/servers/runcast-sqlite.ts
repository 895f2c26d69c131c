import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { sqlite } from "../../src/logs/sqlite.ts";
import { runcast } from "../runcast.ts";

const root = process.env["BENCH_DIRECTORY"] ?? tmpdir();
export const serve = runcast(sqlite({ directory: mkdtempSync(path.join(root, "log-")) }));
