import { readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { agentFactsSchema, Refusal } from "../../src/source.ts";
import { entriesOf, play, request, setUp, untilEnd, untilEvent } from "../running.ts";
import { sourceVariants } from "./source-variants.ts";

const names = readdirSync(path.join(import.meta.dirname, "../../src/sources"))
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.slice(0, -3));

test("every source is tested against the contract", () => {
  expect(Object.keys(sourceVariants).toSorted()).toEqual(names.toSorted());
});

describe.each(Object.entries(sourceVariants))("the source %s", (_, variant) => {
  test("its facts are valid, and there are some unless it knows nothing about its agent", async () => {
    const { about = {} } = await variant.answers();
    expect(agentFactsSchema.safeParse(about).error).toBeUndefined();
    if (variant.isUndescribed) expect(about).toEqual({});
    else expect(about).toHaveProperty("description");
  });

  test("follows the grammar and produces output", async () => {
    const { events } = await play(await variant.answers());
    expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: "done" });
    expect(events.some(({ type }) => type === "text-delta")).toBe(true);
  });

  test("handles two concurrent requests", async () => {
    const source = await variant.answers();
    const runs = await Promise.all([play(source), play(source)]);
    for (const { events } of runs) expect(events.at(-1)).toMatchObject({ outcome: "done" });
  });

  test("stops when its signal aborts", async () => {
    const { runner, log } = setUp({ graceMs: 60_000 });
    const { run } = await runner.start(request, { name: "test", source: await variant.stays() });
    await untilEvent(log, run, ({ type }) => type === "step-start");
    expect(await runner.cancel(run)).toBe("cancelled");
    // With a grace period of a minute, the run can only have ended because the source stopped on its own.
    expect((await untilEnd(log, run)).at(-1)).toMatchObject({ type: "run-end", outcome: "cancelled" });
  });

  test("refuses with a Refusal before its first event, and leaves no run", async () => {
    const { runner, log } = setUp();
    const refused = runner.start({ ...request, run: "refused" }, { name: "test", source: await variant.refuses() });
    await expect(refused).rejects.toBeInstanceOf(Refusal);
    expect(await log.info("refused")).toBeUndefined();
    await expect(entriesOf(log, "refused")).rejects.toThrow();
  });
});
