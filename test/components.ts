import { execFileSync } from "node:child_process";
import { globSync } from "node:fs";
import { describe, expect, test } from "vitest";

/** The path of a program that some suites test against, or undefined where it is not installed. */
export const findProgram = (name: string): string | undefined => {
  // Debian keeps the programs of each version of Postgres in a folder of its own.
  const kept = name === "postgres" ? globSync("/usr/lib/postgresql/*/bin/postgres").at(-1) : undefined;
  if (kept) return kept;
  try {
    return execFileSync("which", [name], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim() || undefined;
  } catch {
    return undefined;
  }
};

/**
 * Describes a suite that needs a real component. Where it is absent the suite is skipped with one line that says so; with
 * RUNCAST_REQUIRE_ALL=1 that is a failure.
 */
export const describeWith = (program: string, name: string, suite: (path: string) => void): void => {
  const path = findProgram(program);
  if (path) {
    describe(name, () => suite(path));
    return;
  }
  absent(name, `${program} is not installed`);
};

/** Stands for a suite whose component is absent: a failure where RUNCAST_REQUIRE_ALL=1 requires it, else one line that says so. */
export const absent = (name: string, reason: string, { isRequired = true } = {}): void => {
  if (isRequired && process.env.RUNCAST_REQUIRE_ALL === "1") {
    test(name, () => expect.fail(`${reason}, and RUNCAST_REQUIRE_ALL=1 requires it`));
    return;
  }
  console.log(`skipped: ${name} (${reason})`);
  // So that it shows in the count: the line above says why.
  test.skip(name, () => {});
};
