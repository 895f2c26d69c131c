import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildPageIfStale } from "../build-page.ts";
import type { Mutant } from "./broken-promises.ts";

/** A copy of the repository in which promises can be broken. */
export interface Sandbox {
  /** The result of the tests, and their output if they do not pass. `named`: only tests with this in their names. */
  run(
    tests: readonly string[],
    named?: string,
  ): Promise<{ readonly verdict: "passed" | "failed" | "hung"; readonly output: string }>;
  /** Runs the tests of a mutant and returns its verdict. One at a time. */
  try(mutant: Mutant): Promise<Verdict>;
  close(): void;
}

/**
 * - `killed`: a test failed, by an assertion or by its own timeout (vitest's `testTimeout`).
 * - `survived`: all of them passed.
 * - `hung`: the tests were still running when the sandbox stopped them. That does not count as a kill: there is no
 *   evidence that a test noticed, a slow machine looks the same, and in CI such a mutant would time out the job instead
 *   of failing a test that names the broken promise.
 */
export type Verdict = "killed" | "survived" | "hung";

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

const VERDICTS = { passed: "survived", failed: "killed", hung: "hung" } as const;

/** The built page would otherwise look stale after every mutation, and each test run would build it again. */
const FUTURE = new Date("2100-01-01");

export const createSandbox = ({ timeoutMs = 300_000 } = {}): Sandbox => {
  buildPageIfStale();
  const copy = mkdtempSync(path.join(tmpdir(), "runcast-mutants-"));
  cpSync(ROOT, copy, { recursive: true, filter: (source) => !LEFT_OUT.has(path.basename(source)) });
  symlinkSync(path.join(ROOT, "node_modules"), path.join(copy, "node_modules"));
  utimesSync(path.join(copy, "dist/web/element.js"), FUTURE, FUTURE);

  const run: Sandbox["run"] = async (tests, named) => {
    const child = spawn(
      process.execPath,
      ["node_modules/vitest/vitest.mjs", "run", "--bail=1", ...(named === undefined ? [] : ["-t", named]), ...tests],
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
    const [status] = await once(child, "close");
    clearTimeout(timer);
    return { verdict: isHung ? "hung" : status === 0 ? "passed" : "failed", output };
  };

  return {
    run,
    try: async (mutant) => {
      const target = path.join(copy, mutant.file);
      const original = readFileSync(target, "utf8");
      writeFileSync(target, mutated(mutant));
      try {
        return VERDICTS[(await run(mutant.tests, mutant.named)).verdict];
      } finally {
        writeFileSync(target, original);
      }
    },
    close: () => rmSync(copy, { recursive: true, force: true }),
  };
};
