import { execFileSync } from "node:child_process";
import { globSync } from "node:fs";
import { describe, expect, test } from "vitest";

/** The path of a program that some suites need. Undefined if it is not installed. */
export const findProgram = (name: string): string | undefined => {
  // Debian installs each version of Postgres in its own directory.
  const kept = name === "postgres" ? globSync("/usr/lib/postgresql/*/bin/postgres").at(-1) : undefined;
  if (kept) return kept;
  try {
    return execFileSync("which", [name], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim() || undefined;
  } catch {
    return undefined;
  }
};

/**
 * Describes a suite that needs a real component. If it is missing, the suite is skipped with a note, or fails with
 * RUNCAST_REQUIRE_ALL=1.
 */
export const describeWith = (program: string, name: string, suite: (path: string) => void): void => {
  const path = findProgram(program);
  if (path) {
    describe(name, () => suite(path));
    return;
  }
  absent(name, `${program} is not installed`);
};

/** Reports a suite whose component is missing: a failure if RUNCAST_REQUIRE_ALL=1, otherwise a note. */
export const absent = (name: string, reason: string, { isRequired = true } = {}): void => {
  if (isRequired && process.env.RUNCAST_REQUIRE_ALL === "1") {
    test(name, () => expect.fail(`${reason}, and RUNCAST_REQUIRE_ALL=1 requires it`));
    return;
  }
  console.log(`skipped: ${name} (${reason})`);
  // Counts as skipped. The line above gives the reason.
  test.skip(name, () => {});
};
