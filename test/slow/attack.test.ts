import { expect, test } from "vitest";
import { attackAll, attacks } from "../attacks/all.ts";

/** The short form. `npm run test:attack` runs longer and also checks the viewer's latency. */
test("every attack is refused, gives nothing away, and leaves a viewer their stream", async () => {
  const names: string[] = [];
  for await (const { name, skipped, wrong, answers, viewer } of attackAll({ seconds: 0.5 })) {
    names.push(name);
    if (skipped !== undefined) {
      expect(process.env["RUNCAST_REQUIRE_ALL"], `${name}: ${skipped}`).not.toBe("1");
      console.log(`skipped: ${name} (${skipped})`);
      continue;
    }
    expect([name, wrong]).toEqual([name, []]);
    expect([name, answers.size > 0, viewer.count > 0]).toEqual([name, true, true]);
    console.log(`${name}: the viewer's p99 is ${viewer.p99} ms`);
  }
  expect(names).toHaveLength(attacks.length + 1);
}, 300_000);
