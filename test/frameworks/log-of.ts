import type { Entry, Event } from "../../src/events.ts";
import { memory } from "../../src/logs/memory.ts";
import { createRunner } from "../../src/runner.ts";
import { Refusal } from "../../src/source.ts";

/** The log that a runner writes for a source's events. A run without a run-end was cut. */
export const logOf = async (events: readonly Event[]): Promise<readonly Entry[]> => {
  const log = memory();
  const runner = createRunner({ log, graceMs: 10 });
  const source = async function* () {
    yield* events;
    if (events.at(-1)?.type !== "run-end") throw new Refusal("upstream-cut", "The stream broke off.");
  };
  const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "go" }] }];
  const { run } = await runner.start({ messages }, { name: "recorded", source });
  while ((await log.info(run))?.endedAt === undefined) await new Promise((resolve) => setImmediate(resolve));
  await runner.close();
  return await log.read(run, 0, 1_000_000);
};
