import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildPageIfStale } from "../build-page.ts";
import type { Mutant } from "./broken-promises.ts";
import { type RunVerdict, verdictOf } from "./report.ts";

/** A copy of the repository in which promises can be broken. */
export interface Sandbox {
  /** The result of the tests, and their output if they do not pass. `named`: only tests with this in their names. */
  run(
    tests: readonly string[],
    named?: string,
  ): Promise<{ readonly verdict: RunVerdict | "hung"; readonly output: string }>;
  /** Runs the tests of a mutant and returns its verdict, with the output of the tests. One at a time. */
  try(mutant: Mutant): Promise<{ readonly verdict: Verdict; readonly output: string }>;
  close(): void;
}

/**
 * Only `killed` is evidence that a test noticed:
 *
 * - `killed`: a test failed, by an assertion or by its own timeout (vitest's `testTimeout`).
 * - `survived`: all of them passed.
 * - `broken`: no test failed, but their files did not load. The mutant is wrong: it does not parse, for example.
 * - `hung`: the tests were still running when the sandbox stopped them. A slow machine looks the same, and in CI such a
 *   mutant would time out the job instead of failing a test that names the broken promise.
 */
export type Verdict = "killed" | "survived" | "broken" | "hung";

const ROOT = path.join(import.meta.dirname, "../..");
const LEFT_OUT = new Set(["node_modules", ".git", ".runcast", "results"]);

/** The source with the mutation applied. Throws if the source has changed so that it no longer applies. */
export const mutated = ({ file, edits }: Mutant): string => {
  let text = readFileSync(path.join(ROOT, file), "utf8");
  for (const [find, replace] of edits) {
    if (!text.includes(find)) throw new Error(`the mutant of ${file} no longer applies: ${find}`);
    text = text.replace(find, () => replace);
  }
  return text;
};

/** The workers of a stopped test run do not end with it. */
const killGroup = (leader: number): void => {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // No process is left.
  }
};

const verdictOn = (tests: RunVerdict | "hung"): Verdict =>
  tests === "passed" ? "survived" : tests === "failed" ? "killed" : tests;

/** The built page would otherwise look stale after every mutation, and each test run would build it again. */
const FUTURE = new Date("2100-01-01");

export const createSandbox = ({ timeoutMs = 300_000 } = {}): Sandbox => {
  buildPageIfStale();
  const copy = mkdtempSync(path.join(tmpdir(), "runcast-mutants-"));
  cpSync(ROOT, copy, { recursive: true, filter: (source) => !LEFT_OUT.has(path.basename(source)) });
  symlinkSync(path.join(ROOT, "node_modules"), path.join(copy, "node_modules"));
  utimesSync(path.join(copy, "dist/web/element.js"), FUTURE, FUTURE);

  const report = path.join(copy, "report.json");
  const options = ["run", "--bail=1", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`];

  const run: Sandbox["run"] = async (tests, named) => {
    rmSync(report, { force: true });
    const child = spawn(
      process.execPath,
      ["node_modules/vitest/vitest.mjs", ...options, ...(named === undefined ? [] : ["-t", named]), ...tests],
      // In a separate process group.
      { detached: true, cwd: copy, stdio: ["ignore", "pipe", "pipe"] },
    );
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    let isHung = false;
    const timer = setTimeout(() => {
      isHung = true;
      killGroup(child.pid!);
    }, timeoutMs);
    await once(child, "close");
    clearTimeout(timer);
    return { verdict: isHung ? "hung" : verdictOf(report), output };
  };

  return {
    run,
    try: async (mutant) => {
      const target = path.join(copy, mutant.file);
      const original = readFileSync(target, "utf8");
      writeFileSync(target, mutated(mutant));
      try {
        const { verdict, output } = await run(mutant.tests, mutant.named);
        return { verdict: verdictOn(verdict), output };
      } finally {
        writeFileSync(target, original);
      }
    },
    close: () => rmSync(copy, { recursive: true, force: true }),
  };
};
