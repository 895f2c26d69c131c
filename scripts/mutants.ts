// Breaks one guarantee at a time in a copy of the repository and checks that the tests notice: `npm run test:mutants`, or
// `npm run test:mutants -- "painted green"` for the guarantees that contain this text. Two at a time, except those whose
// tests need the machine for themselves.
import { availableParallelism } from "node:os";
import { createSandbox } from "./mutants/sandbox.ts";
import { type Mutant, mutants as all } from "./mutants/broken-promises.ts";

const words = process.argv[2] ?? "";
const mutants = all.filter(({ breaks }) => breaks.includes(words));
if (mutants.length === 0) throw new Error(`no mutant's promise contains ${JSON.stringify(words)}`);
const start = performance.now();
const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`;
const sandboxes = Array.from({ length: Math.min(2, availableParallelism()) }, () => createSandbox());
/** How much of the output of the tests is shown for a mutant that is not killed. */
const OUTPUT_CHARACTERS = 4000;
let alive = 0;

/** What the mutants run: whole suites, and suites of which all mutants run only some tests. */
const suitesOf = (chosen: readonly Mutant[]): readonly { tests: readonly string[]; named?: string }[] => {
  const whole = new Set(chosen.filter(({ named }) => named === undefined).flatMap(({ tests }) => tests));
  const parts = Map.groupBy(
    chosen.filter(({ tests }) => !tests.some((suite) => whole.has(suite))),
    ({ tests }) => tests.join(" "),
  );
  return [
    ...(whole.size > 0 ? [{ tests: [...whole] }] : []),
    ...[...parts.values()].map((those) => ({
      tests: those[0]!.tests,
      named: those.map(({ named }) => named).join("|"),
    })),
  ];
};

const others = mutants.filter(({ alone }) => alone !== true);
const alone = mutants.filter((mutant) => mutant.alone === true);

type Sandbox = (typeof sandboxes)[number];
/** Each sandbox takes the next job when it is free. */
const share = async <Job>(jobs: readonly Job[], work: (sandbox: Sandbox, job: Job) => Promise<void>): Promise<void> => {
  const queue = [...jobs];
  const lane = async (sandbox: Sandbox) => {
    for (let job = queue.shift(); job; job = queue.shift()) await work(sandbox, job);
  };
  await Promise.all(sandboxes.map(lane));
};

const expectPass = async (sandbox: Sandbox, { tests, named }: ReturnType<typeof suitesOf>[number]): Promise<void> => {
  const { verdict, output } = await sandbox.run(tests, named);
  if (verdict !== "passed") throw new Error(`the suites ${verdict} without a mutant: ${tests.join(" ")}\n${output}`);
};

const attempt = async (sandbox: Sandbox, mutant: Mutant): Promise<void> => {
  const began = performance.now();
  const { verdict, output } = await sandbox.try(mutant);
  const shown = verdict === "killed" ? verdict : verdict.toUpperCase();
  console.log(`${shown.padEnd(8)}  ${mutant.breaks} (${mutant.file}, ${seconds(began)})`);
  if (verdict === "killed") return;
  alive++;
  console.log(output.slice(-OUTPUT_CHARACTERS));
};

try {
  await share(suitesOf(others), expectPass);
  for (const suites of suitesOf(alone)) await expectPass(sandboxes[0]!, suites);
  console.log(`passed without a mutant (${seconds(start)})`);
  await share(others, attempt);
  for (const mutant of alone) await attempt(sandboxes[0]!, mutant);
} finally {
  for (const sandbox of sandboxes) sandbox.close();
}
console.log(seconds(start));
console.log(`${mutants.length - alive} passed, ${alive} failed`);
process.exit(alive ? 1 : 0);
