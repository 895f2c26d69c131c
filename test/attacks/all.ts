import { type Attack, createReport } from "./attack.ts";
import { fuzz } from "./fuzz.ts";
import { exports, hugeBodies, longRuns, slowBodies } from "./overload.ts";
import { type Target, ALICE, startTarget } from "./target.ts";
import { access, foreignPages, guesses, hosts, privateAddresses, traversal } from "./trespass.ts";
import { startViewer } from "./viewer.ts";

export const attacks: readonly Attack[] = [
  access,
  foreignPages,
  hosts,
  traversal,
  privateAddresses,
  hugeBodies,
  slowBodies,
  longRuns,
  exports,
  fuzz,
  // Last: it locks its address out.
  guesses,
];

export interface Outcome {
  readonly name: string;
  readonly answers: ReadonlyMap<string, number>;
  readonly wrong: readonly string[];
  /** How late an innocent viewer got what was said meanwhile. */
  readonly viewer: { readonly count: number; readonly p99: number };
}

/** Makes each attack for so long on one server, and tells what came of it. */
export async function* attackAll(seconds: number, chosen: readonly Attack[] = attacks): AsyncGenerator<Outcome, void> {
  const target: Target = await startTarget();
  const viewer = await startViewer(target.url, target.run, ALICE);
  try {
    const quiet = {
      name: "quiet: nobody attacks",
      run: () => new Promise<void>((resolve) => setTimeout(resolve, 1000)),
    };
    for (const attack of [quiet, ...chosen]) {
      const report = createReport();
      await viewer.lateness();
      await attack.run(target, report, AbortSignal.timeout(seconds * 1000));
      for (const problem of target.problems) report.wrong.add(`the server reports: ${problem}`);
      yield { name: attack.name, answers: report.answers, wrong: [...report.wrong], viewer: await viewer.lateness() };
    }
  } finally {
    await viewer.close();
    await target.close();
  }
}
