import { describe, expect, test } from "vitest";
import type { Entry } from "../../src/events.ts";
import { verify } from "../../src/verify.ts";
import { type CrashStory, type Execution, crash, crashStories } from "../crashing.ts";
import { randomFrom } from "../random.ts";

const IS_LONG = process.env.RUNCAST_LONG === "1";

/** Every promise of a run that outlives its process, whatever was cut. */
const check = (entries: readonly Entry[], executions: readonly Execution[], deaths: readonly number[]): void => {
  const at = `deaths after ${deaths.join(", ")}`;
  expect(verify(entries), at).toBeUndefined();
  const events = entries.map(({ event }) => event);
  expect(events.filter(({ type }) => type === "run-end").length, at).toBe(1);
  const executed = new Map<string, number>();
  for (const { call } of executions) executed.set(call, (executed.get(call) ?? 0) + 1);
  for (const [call, count] of executed) {
    expect(count, `${at}: ${call} ran`).toBe(1);
    expect(
      events.some((event) => event.type === "tool-execute" && event.call === call),
      `${at}: ${call}`,
    ).toBe(true);
  }
  const repeatable = new Set(executions.filter((execution) => execution.repeatable).map(({ name }) => name)).add(
    "task",
  );
  for (const event of events) {
    if (event.type !== "tool-start" || event.repeats === undefined) continue;
    expect(repeatable.has(event.name), `${at}: ${event.name} was repeated`).toBe(true);
  }
  const end = events.at(-1);
  expect(end?.type === "run-end" && ["done", "cancelled"].includes(end.outcome), `${at}: ${JSON.stringify(end)}`).toBe(
    true,
  );
};

const pointsOf = async (story: CrashStory): Promise<number[]> => {
  const { entries } = await crash(story, []);
  const all = entries.slice(0, -1);
  const isPiece = ({ event }: Entry) => "delta" in event;
  // In the short form not every token: a cut between two of them is like a cut between any others.
  return all
    .filter((entry, index) => IS_LONG || !isPiece(entry) || !isPiece(all[index + 1] ?? entry))
    .map(({ seq }) => seq);
};

describe("a process that dies after any entry", { timeout: IS_LONG ? 1_800_000 : 300_000 }, () => {
  test.each(crashStories.map((story) => [story.name, story] as const))("in the story %s", async (_, story) => {
    const points = await pointsOf(story);
    expect(points.length).toBeGreaterThan(2);
    for (const point of points) {
      const { entries, executions, taken } = await crash(story, [point]);
      expect(taken).toBe(1);
      check(entries, executions, [point]);
    }
  });

  test("and so does the next, and the one after that", async () => {
    const random = randomFrom(7);
    for (let round = 0; round < (IS_LONG ? 2000 : 60); round++) {
      const story = crashStories[Math.floor(random() * crashStories.length)]!;
      const first = 1 + Math.floor(random() * 60);
      const second = first + 1 + Math.floor(random() * 40);
      const deaths = [first, second, second + 1 + Math.floor(random() * 40)];
      const { entries, executions } = await crash(story, deaths);
      check(entries, executions, deaths);
    }
  });
});
