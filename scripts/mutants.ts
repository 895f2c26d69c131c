// Breaks one guarantee at a time in a copy of the repository and checks that the tests notice: `npm run test:mutants`, or
// `npm run test:mutants -- "painted green"` for the guarantees that contain this text.
import { createSandbox } from "./mutants/sandbox.ts";
import { mutants as all } from "./mutants/broken-promises.ts";

const words = process.argv[2] ?? "";
const mutants = all.filter(({ breaks }) => breaks.includes(words));
if (mutants.length === 0) throw new Error(`no mutant's promise contains ${JSON.stringify(words)}`);
const sandbox = createSandbox();
let alive = 0;
try {
  const suites = [...new Set(mutants.flatMap(({ tests }) => tests))];
  const { verdict, output } = sandbox.run(suites);
  if (verdict !== "passed") throw new Error(`the suites ${verdict} without a mutant: ${suites.join(" ")}\n${output}`);
  for (const mutant of mutants) {
    const verdict = sandbox.try(mutant);
    if (verdict !== "killed") alive++;
    console.log(
      `${(verdict === "killed" ? verdict : verdict.toUpperCase()).padEnd(8)}  ${mutant.breaks} (${mutant.file})`,
    );
  }
} finally {
  sandbox.close();
}
console.log(`${mutants.length - alive} passed, ${alive} failed`);
process.exit(alive ? 1 : 0);
