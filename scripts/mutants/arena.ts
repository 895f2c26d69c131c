import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Mutant } from "./broken-promises.ts";

/** A copy of the repository in which promises can be broken. */
export interface Arena {
  /** What the tests print if they fail; undefined if they pass. */
  failureOf(tests: readonly string[]): string | undefined;
  /** Whether one of its tests noticed. */
  kills(mutant: Mutant): boolean;
  close(): void;
}

const ROOT = path.join(import.meta.dirname, "../..");
const LEFT_OUT = new Set(["node_modules", ".git", ".runcast", "results"]);

/** The sources with the mutant in them. Throws if they have changed so much that it no longer applies. */
export const mutated = ({ file, edits }: Mutant): string => {
  let text = readFileSync(path.join(ROOT, file), "utf8");
  for (const [find, replace] of edits) {
    if (!text.includes(find)) throw new Error(`the mutant of ${file} no longer applies: ${find}`);
    text = text.replace(find, () => replace);
  }
  return text;
};

export const createArena = (): Arena => {
  const copy = mkdtempSync(path.join(tmpdir(), "runcast-mutants-"));
  cpSync(ROOT, copy, { recursive: true, filter: (source) => !LEFT_OUT.has(path.basename(source)) });
  symlinkSync(path.join(ROOT, "node_modules"), path.join(copy, "node_modules"));

  const failureOf = (tests: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["node_modules/vitest/vitest.mjs", "run", "--bail=1", ...tests],
      { cwd: copy, encoding: "utf8", timeout: 180_000, maxBuffer: 64 * 1024 * 1024 },
    );
    return status === 0 ? undefined : `${stdout}\n${stderr}`;
  };

  return {
    failureOf,
    kills: (mutant) => {
      const target = path.join(copy, mutant.file);
      const original = readFileSync(target, "utf8");
      writeFileSync(target, mutated(mutant));
      try {
        return failureOf(mutant.tests) !== undefined;
      } finally {
        writeFileSync(target, original);
      }
    },
    close: () => rmSync(copy, { recursive: true, force: true }),
  };
};
