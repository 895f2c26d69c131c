import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { torture } from "../../scripts/mutants/torture.ts";
import { trials } from "../../src/torture.ts";

const guide = readFileSync(path.join(import.meta.dirname, "../../docs/torture.md"), "utf8");

test.each(trials)("$name has a mutant that it must notice, and a line in the guide", ({ name }) => {
  const noticing = torture.filter(({ named }) => new RegExp(named!).test(`trial ${name}`));
  expect(noticing).toHaveLength(1);
  expect(guide).toContain(`\n| \`${name}\` | `);
});

test("every mutant of the kit belongs to a trial", () => {
  expect(torture).toHaveLength(trials.length);
});
