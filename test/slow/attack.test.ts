import { expect, test } from "vitest";
import { attackAll, attacks } from "../attacks/all.ts";

test("every attack is refused, leaks nothing, and leaves the viewer their stream", async () => {
  const names: string[] = [];
  for await (const { name, wrong, answers, viewer } of attackAll(1)) {
    expect([name, wrong]).toEqual([name, []]);
    expect([name, viewer.count > 0]).toEqual([name, true]);
    if (names.length > 0) expect([name, answers.size > 0]).toEqual([name, true]);
    names.push(name);
  }
  expect(names).toHaveLength(attacks.length + 1);
}, 180_000);
