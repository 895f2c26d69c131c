import { afterAll, beforeAll, expect, test } from "vitest";
import { parseAst } from "vitest/node";
import { type Sandbox, createSandbox, mutated } from "../../scripts/mutants/sandbox.ts";
import { type Mutant, mutants } from "../../scripts/mutants/broken-promises.ts";

// Killing all mutants takes minutes: `npm run test:mutants`.
// A test that starts the broken module in a process of its own cannot tell a mutant that does not parse from a kill.
test.each(mutants)("the mutant still applies, and parses: $breaks", (mutant) => {
  const parse = (text: string) => parseAst(text, { lang: mutant.file.endsWith(".tsx") ? "tsx" : "ts" });
  expect(() => parse(mutated(mutant))).not.toThrow();
  expect(() => parse(`${mutated(mutant)}{`)).toThrow();
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
    expect((await sandbox.try(mutant)).verdict).toBe("killed");
  },
);

const wrongMutant = (breaks: string, before: string): Mutant => ({
  breaks,
  file: "src/message-of.ts",
  edits: [["export const", `${before}\nexport const`]],
  tests: ["test/log-trouble.test.ts"],
});

test("a mutant that does not load is not killed", { timeout: 120_000 }, async () => {
  const { verdict, output } = await sandbox.try(wrongMutant("the module does not load", 'throw new Error("broken");'));
  expect(verdict).toBe("broken");
  expect(output).toContain("broken");
});

test("a mutant that only hangs is not killed", { timeout: 120_000 }, async () => {
  const impatient = createSandbox({ timeoutMs: 20_000 });
  const mutant = wrongMutant("the module never loads", "await new Promise(() => setInterval(() => {}, 1000));");
  try {
    expect((await impatient.try(mutant)).verdict).toBe("hung");
  } finally {
    impatient.close();
  }
});
