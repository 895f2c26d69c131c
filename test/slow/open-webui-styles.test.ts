import fc from "fast-check";
import { describe, test } from "vitest";
import { goldenRuns } from "../contracts/dialect-variants.ts";
import { arbitraryLog } from "../generate.ts";
import { styleChecks } from "../open-webui/style-checks.ts";

const RUNS = process.env.RUNCAST_LONG === "1" ? 400 : 15;
const seed = Number(process.env.RUNCAST_SEED ?? Math.floor(Math.random() * 2 ** 31));
const generated = fc.sample(arbitraryLog(3), { numRuns: RUNS, seed });
const long = goldenRuns.filter(({ entries }) => entries.length >= 100);

describe.each(styleChecks)(`$name (seed ${seed})`, { timeout: 600_000 }, (check) => {
  test("the display is correct at every moment of every long golden run", () => {
    for (const { entries } of long) check.run(entries);
  });

  test("and of many generated runs", () => {
    for (const entries of generated) check.run(entries);
  });

  test("at every possible end of the stream no call is open, and Open WebUI runs nothing", () => {
    for (const entries of generated.slice(0, RUNS / 5)) check.endings(entries, 1);
  });

  test("at every moment, Stop leaves nothing to run", () => {
    for (const entries of generated.slice(0, RUNS / 5)) check.stops(entries, 1);
  });
});
