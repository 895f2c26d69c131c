import { afterAll, beforeAll, expect, test } from "vitest";
import { type Sandbox, createSandbox, mutated } from "../../scripts/mutants/sandbox.ts";
import { mutants } from "../../scripts/mutants/broken-promises.ts";

// Killing all mutants takes minutes: `npm run test:mutants`.
test.each(mutants)("the mutant still applies: $breaks", (mutant) => {
  expect(mutated(mutant)).toBeTypeOf("string");
});

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = createSandbox();
});
afterAll(() => sandbox.close());

test(
  "in a copy of the repository, a suite passes without a mutant and fails with it",
  { timeout: 240_000 },
  async () => {
    const mutant = mutants.find(({ file }) => file === "src/client/run-handle.ts")!;
    expect((await sandbox.run(mutant.tests)).verdict).toBe("passed");
    expect(await sandbox.try(mutant)).toBe("killed");
  },
);

test("a mutant that only hangs is not killed", { timeout: 120_000 }, async () => {
  const impatient = createSandbox({ timeoutMs: 20_000 });
  const mutant = {
    breaks: "the module never loads",
    file: "src/message-of.ts",
    edits: [["export const", "await new Promise(() => setInterval(() => {}, 1000));\nexport const"]],
    tests: ["test/log-trouble.test.ts"],
  } as const;
  try {
    expect(await impatient.try(mutant)).toBe("hung");
  } finally {
    impatient.close();
  }
});
