import { afterEach, expect } from "vitest";
import type { Entry, Event } from "../src/events.ts";
import type { Log } from "../src/log.ts";
import { memory } from "../src/logs/memory.ts";
import { type Runner, type RunnerOptions, createRunner } from "../src/runner.ts";
import type { RunContext, Source } from "../src/source.ts";
import { verify } from "../src/verify.ts";

const runners: Runner[] = [];
afterEach(async () => {
  await Promise.all(runners.splice(0).map((runner) => runner.close()));
});

/** A runner, by default on its own log. Closed after the test. */
export const setUp = (options: Partial<RunnerOptions> = {}): { runner: Runner; log: Log } => {
  const log = options.log ?? memory();
  const runner = createRunner({ graceMs: 100, ...options, log });
  runners.push(runner);
  return { runner, log };
};

export const request = { messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "hi" }] }] };

export const entriesOf = async (log: Log, run: string): Promise<readonly Entry[]> => await log.read(run, 0, 1_000_000);

export const untilEnd = async (log: Log, run: string): Promise<Event[]> => {
  while ((await log.info(run))?.endedAt === undefined) await new Promise((tick) => setTimeout(tick, 1));
  const entries = await entriesOf(log, run);
  expect(verify(entries)).toBeUndefined();
  return entries.map(({ event }) => event);
};

export const untilEvent = async (log: Log, run: string, isIt: (event: Event) => boolean): Promise<void> => {
  while (!(await entriesOf(log, run)).some(({ event }) => isIt(event)))
    await new Promise((tick) => setTimeout(tick, 2));
};

export const play = async (source: Source, options: Partial<RunnerOptions> = {}) => {
  const { runner, log } = setUp(options);
  const { run } = await runner.start(request, { name: "test", source });
  return { runner, log, run, events: await untilEnd(log, run) };
};

/** A call that is executing. */
export const started: readonly Event[] = [
  { type: "step-start", step: "s" },
  { type: "tool-start", call: "c", name: "t" },
  { type: "tool-input-end", call: "c", input: {} },
  { type: "step-end", step: "s", finish: "tools" },
  { type: "tool-execute", call: "c" },
];

/** Yields these events and waits for the abort. */
export const waiting = (events: readonly Event[], seen: { context?: RunContext } = {}): Source =>
  async function* (_, context) {
    seen.context = context;
    yield* events;
    await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
  };
