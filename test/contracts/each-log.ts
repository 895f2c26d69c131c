import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe } from "vitest";
import type { Log } from "../../src/log.ts";
import { describeWith } from "../components.ts";
import { type LogVariant, logVariants } from "./log-variants.ts";

/** A log of one variant, opened for each test and closed after it. */
export interface OpenLog {
  readonly variant: LogVariant;
  /** The logs of two processes. The same log for variants that only one process can open. */
  readonly one: Log;
  readonly other: Log;
  /** Closes both and opens them again. */
  reopen(): Promise<void>;
}

/** Describes every log whose engine is installed. */
export const describeLogs = (title: string, suite: (name: string, variant: LogVariant) => void): void => {
  for (const [name, variant] of Object.entries(logVariants)) {
    const full = `${title} (${name})`;
    if (variant.program) describeWith(variant.program, full, () => suite(name, variant));
    else describe(full, () => suite(name, variant));
  }
};

/** Runs these tests for every log. */
export const eachLog = (title: string, tests: (opened: OpenLog) => void): void =>
  describeLogs(title, (_, variant) => {
    let directory: string;
    const logs: Log[] = [];
    const open = async () => {
      logs.push(await variant.open(directory));
      logs.push(variant.shared ? await variant.open(directory) : logs[0]!);
    };
    const close = async () => {
      for (const log of new Set(logs.splice(0))) await log.close();
    };
    beforeEach(async () => {
      directory = await mkdtemp(path.join(tmpdir(), "runcast-log-"));
      await open();
    });
    afterEach(async () => {
      await close();
      await rm(directory, { recursive: true, force: true });
    });
    tests({
      variant,
      get one() {
        return logs[0]!;
      },
      get other() {
        return logs[1]!;
      },
      reopen: async () => {
        await close();
        await open();
      },
    });
  });
