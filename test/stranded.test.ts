import { expect, test } from "vitest";
import { memory } from "../src/logs/memory.ts";
import { createStranded } from "../src/runner/stranded.ts";
import { startEntry } from "./contracts/run-entries.ts";

/** A run that this process owns, although its start failed. */
const setUp = async () => {
  const log = memory();
  await log.append("r", [startEntry("r")], { owner: "me", epoch: 1 });
  const active = new Set<string>();
  let asked = 0;
  const info = (run: string) => {
    asked++;
    return log.info(run);
  };
  const stranded = createStranded(
    { ...log, info },
    () => "me",
    (run) => active.has(run),
    (error) => expect.unreachable(String(error)),
  );
  return { stranded, active, owner: async () => (await log.info("r"))?.owner, asked: () => asked };
};

test("is released", async () => {
  const { stranded, owner } = await setUp();
  await stranded.add("r");
  expect(await owner()).toBeUndefined();
});

test("is released later if a client repeats its start at this moment, which finds the run and leaves it alone", async () => {
  const { stranded, active, owner } = await setUp();
  active.add("r");
  await stranded.add("r");
  expect(await owner()).toBe("me");
  active.delete("r");
  await stranded.retry();
  expect(await owner()).toBeUndefined();
});

test("costs no request once it is released, nor while it is active", async () => {
  const { stranded, active, asked } = await setUp();
  active.add("r");
  await stranded.add("r");
  await stranded.retry();
  active.delete("r");
  await stranded.retry();
  const before = asked();
  await stranded.retry();
  expect([before, asked()]).toEqual([1, 1]);
});
