import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, test } from "vitest";
import { expectFaithful } from "./facts.ts";
import { linesIn, replay } from "./recording.ts";

const directory = path.join(
  process.env.RUNCAST_CAPTURES ?? path.join(import.meta.dirname, "../../../shared/captures"),
  "acp",
);
const isThere = existsSync(directory);
// Skip recordings of another protocol version, and of programs that do not implement the protocol.
const files = isThere ? readdirSync(directory).filter((file) => !/-v2-|^claudesdk|^codexexec/.test(file)) : [];

console.log(
  isThere ? `recordings of coding agents: ${files.length}` : "recordings of coding agents: none here, skipped",
);

describe.skipIf(!isThere)("the run shows the output of a coding agent", () => {
  test.each(files)("%s", async (file) => {
    for (const prompt of replay(linesIn(path.join(directory, file)))) await expectFaithful(prompt);
  });
});
