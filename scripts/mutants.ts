// Breaks one promise at a time in a copy of the repository and shows that the tests notice: `npm run test:mutants`.
import { createArena } from "./mutants/arena.ts";
import { mutants } from "./mutants/broken-promises.ts";

const arena = createArena();
let survived = 0;
try {
  const suites = [...new Set(mutants.flatMap(({ tests }) => tests))];
  const failure = arena.failureOf(suites);
  if (failure) throw new Error(`the suites fail without any mutant: ${suites.join(" ")}\n${failure}`);
  for (const mutant of mutants) {
    const isKilled = arena.kills(mutant);
    if (!isKilled) survived++;
    console.log(`${isKilled ? "killed  " : "SURVIVED"}  ${mutant.breaks} (${mutant.file})`);
  }
} finally {
  arena.close();
}
console.log(`${mutants.length - survived} passed, ${survived} failed`);
process.exit(survived ? 1 : 0);
