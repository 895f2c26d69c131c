import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe } from "vitest";
import type { Log } from "../../src/log.ts";
import { type LogVariant, logVariants } from "./log-variants.ts";

/** A log of one variant, opened anew for each test and closed after it. */
export interface OpenLog {
  readonly variant: LogVariant;
  /** What one process has open, and what another has: the same where only one process can. */
  readonly one: Log;
  readonly other: Log;
  /** Closes both and opens them again. */
  reopen(): Promise<void>;
}

/** Runs these tests over every log. */
export const eachLog = (title: string, tests: (opened: OpenLog) => void): void =>
  describe.for(Object.entries(logVariants))(`${title} (%s)`, ([, variant]) => {
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
