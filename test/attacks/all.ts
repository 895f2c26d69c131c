import { findProgram } from "../components.ts";
import { anotherUser, claims, floodOfStarts, guesses, shareLinks, withoutKey } from "./access.ts";
import { refusals, wholeAnswers } from "./answers.ts";
import { type Attack, createReport } from "./attack.ts";
import { embeds, markdown, savedRuns } from "./browser.ts";
import { fuzz } from "./fuzz.ts";
import { exportedFields, exports, hoarding, hugeBodies, longRuns, longStreams, slowBodies } from "./overload.ts";
import { foreignPages, hosts, localPages, privateAddresses, traversal } from "./pages.ts";
import { ALICE } from "./users.ts";
import { startTarget } from "./target.ts";
import { terminal } from "./terminal.ts";
import { mcpFloods, mcpQuestions, mcpResults, mcpStreams, shellChildren, shellSecrets, strayErrors } from "./tools.ts";
import { startViewer, type Watched } from "./viewer.ts";

export const attacks: readonly Attack[] = [
  ...[anotherUser, withoutKey, claims, shareLinks, guesses, floodOfStarts],
  ...[foreignPages, localPages, hosts, traversal, privateAddresses],
  ...[hugeBodies, slowBodies, longRuns, longStreams, exports, exportedFields, hoarding],
  ...[strayErrors, shellSecrets, shellChildren, mcpStreams, mcpFloods, mcpQuestions, mcpResults],
  ...[embeds, markdown, savedRuns, terminal],
  ...[wholeAnswers, refusals, fuzz],
];

export interface Outcome {
  readonly name: string;
  /** Why the attack was skipped, if it was. */
  readonly skipped?: string;
  readonly answers: ReadonlyMap<string, number>;
  readonly wrong: readonly string[];
  /** The delays of an innocent viewer during the attack, and just before it, which shows how slow this machine is anyway. */
  readonly viewer: Watched;
  readonly before: Watched;
}

export interface AttackOptions {
  /** The duration of each attack. */
  readonly seconds: number;
  /** The duration of the fuzzing. Default: that of the others. */
  readonly fuzzSeconds?: number;
  /** Runs only attacks whose names contain this text. */
  readonly words?: string;
}

const MAX_QUIET_MS = 2000;

const QUIET: Attack = {
  name: "quiet: no attack",
  prepare: () => async (report, signal) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    report.expect(true, "");
  },
};

/** Runs all attacks against one server, one after the other, and reports the result of each. */
export async function* attackAll({
  seconds,
  fuzzSeconds = seconds,
  words = "",
}: AttackOptions): AsyncGenerator<Outcome> {
  const chosen = [QUIET, ...attacks].filter(({ name }) => name.includes(words));
  const target = await startTarget();
  const viewer = await startViewer(target.url, target.run, ALICE);
  try {
    for (const attack of chosen) {
      const { name, needs, reports } = attack;
      const report = createReport(target.directory);
      if (needs !== undefined && findProgram(needs) === undefined) {
        const nothing = await viewer.watched();
        yield { name, skipped: `${needs} is not installed`, ...report, wrong: [], viewer: nothing, before: nothing };
        continue;
      }
      const strike = await attack.prepare(target);
      await viewer.watched();
      await new Promise((resolve) => setTimeout(resolve, Math.min(seconds * 1000, MAX_QUIET_MS)));
      const before = await viewer.watched();
      await strike(report, AbortSignal.timeout((attack === fuzz ? fuzzSeconds : seconds) * 1000));
      const watched = await viewer.watched();
      for (const problem of target.problems())
        if (!reports?.test(problem)) report.wrong.add(`the server reports: ${problem}`);
      if (watched.gaps > 0) report.wrong.add(`missing or duplicate words for the viewer: ${watched.gaps}`);
      yield { name, answers: report.answers, wrong: [...report.wrong], viewer: watched, before };
    }
  } finally {
    await viewer.close();
    await target.close();
  }
}
