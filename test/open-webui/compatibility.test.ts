import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { withCompatibilityTable } from "../../scripts/open-webui/compatibility-table.ts";
import { compatibility, isAtLeast } from "../../src/dialects/open-webui/compatibility.ts";
import { generations } from "./generations.ts";
import { examples, reach } from "./reach.ts";

describe.each(compatibility)("$type", ({ type, reach: ways, kept, since }) => {
  test.each(generations)("matches the dialect's table in generation $name", (generation) => {
    const [least] = generation.versions.split(" ");
    const isKnown = isAtLeast(least!, since);
    // Newer pages need no help after a reload.
    const isNeeded = type !== "response.in_progress" || !generation.overlaysReload;
    const reached = reach(type, generation);
    expect(reached !== "nothing").toBe(ways.native !== "ignored" && isKnown && isNeeded);
    if (reached !== "nothing") expect(reached === "kept").toBe(kept);
  });

  test("has no more effect over a connection than through the pipe, and the same in both modes", () => {
    expect(ways.native).toBe(ways.legacy);
    if (ways.connection === "works") expect(ways.native).toBe("works");
  });
});

test("there is an example of everything in the table", () => {
  expect(Object.keys(examples).toSorted()).toEqual(compatibility.map(({ type }) => type).toSorted());
});

test("docs/open-webui.md has the table that `npm run docs` writes", () => {
  const document = readFileSync(path.join(import.meta.dirname, "../../docs/open-webui.md"), "utf8");
  expect(document).toBe(withCompatibilityTable(document));
});
