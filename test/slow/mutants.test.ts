import { afterAll, beforeAll, expect, test } from "vitest";
import { type Arena, createArena, mutated } from "../../scripts/mutants/arena.ts";
import { mutants } from "../../scripts/mutants/broken-promises.ts";

// All of them, killed one by one, take minutes: `npm run test:mutants`.
test.each(mutants)("can still be broken: $breaks", (mutant) => {
  expect(mutated(mutant)).toBeTypeOf("string");
});

let arena: Arena;
beforeAll(() => {
  arena = createArena();
});
afterAll(() => arena.close());

test("in a copy of the repository a suite passes, and fails once its promise is broken", { timeout: 240_000 }, () => {
  const mutant = mutants.find(({ file }) => file === "src/client/run-handle.ts")!;
  expect(arena.failureOf(mutant.tests)).toBeUndefined();
  expect(arena.kills(mutant)).toBe(true);
});
