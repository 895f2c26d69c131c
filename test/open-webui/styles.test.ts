import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { STYLES } from "../../src/dialects/open-webui/styles.ts";
import { goldenRuns } from "../contracts/dialect-variants.ts";
import { arbitraryLog } from "../generate.ts";
import { generations } from "./generations.ts";
import { styleChecks } from "./style-checks.ts";

const golden = goldenRuns.filter(({ entries }) => entries.length < 100);
const generated = fc.sample(arbitraryLog(2), { numRuns: 4, seed: 7 });

test("every style is checked in every generation", () => {
  const all = generations.flatMap(({ name }) => STYLES.map((style) => `${style} in generation ${name}`));
  expect(styleChecks.map(({ name }) => name).toSorted()).toEqual(all.toSorted());
});

describe.each(styleChecks)("$name", (check) => {
  test("the display is correct at every moment of every short golden run", () => {
    for (const { entries } of golden) check.run(entries);
  });

  test("and of some generated runs", () => {
    for (const entries of generated) check.run(entries);
  });

  test("however a run ends early, no call is open and Open WebUI runs nothing", () => {
    for (const entries of generated.slice(0, 2)) check.endings(entries, 7);
  });

  test("whenever the user presses Stop, Open WebUI runs nothing and keeps what was shown", () => {
    for (const entries of generated.slice(0, 2)) check.stops(entries, 5);
  });
});
