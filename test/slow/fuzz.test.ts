import { expect, test } from "vitest";
import { fuzz, fuzzTargets } from "../fuzzing.ts";

const SECONDS = process.env.RUNCAST_LONG === "1" ? 60 : 3;
const seed = Number(process.env.RUNCAST_SEED ?? Math.floor(Math.random() * 2 ** 31));

test.each(fuzzTargets)("%s accepts any input", { timeout: SECONDS * 1000 + 60_000 }, async (target) => {
  const { failure, cases } = await fuzz(target, SECONDS, seed);
  console.log(`${target}: ${cases} cases in ${SECONDS} s, seed ${seed}`);
  expect(failure).toBeUndefined();
  expect(cases).toBeGreaterThan(10);
});
