import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Entry } from "../../src/events.ts";
import { verify } from "../../src/verify.ts";
import { type CrashStory, type Execution, crash, crashStories, takeOver } from "../crashing.ts";
import { randomFrom } from "../random.ts";

const IS_LONG = process.env.RUNCAST_LONG === "1";
/** The number of crash points in the long form. */
const CRASH_POINTS = 20_000;
let hit = 0;

const GOLDEN = path.join(import.meta.dirname, "../../golden/runs");
const goldens = readdirSync(GOLDEN).filter((file) => file.endsWith(".jsonl"));

/** Checks all guarantees for a run that outlives its process, no matter where it was cut. */
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
    const before = events.find((other) => other.type === "tool-end" && other.call === event.repeats);
    expect(before, `${at}: ${event.repeats} had ended`).toMatchObject({ outcome: "interrupted" });
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
  // The short form skips points between two deltas: a cut there is like a cut between any others.
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
      hit += taken;
    }
  });

  test.each(goldens)("in the recorded run %s, regardless of its source", async (file) => {
    const recorded = readFileSync(path.join(GOLDEN, file), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Entry);
    for (let length = 1; length < recorded.length; length++) {
      const isPiece =
        recorded[length - 1]!.event.type.endsWith("-delta") && recorded[length]!.event.type.endsWith("-delta");
      if (isPiece && !IS_LONG) continue;
      const { entries, executions } = await takeOver(recorded.slice(0, length));
      const at = `${file} after ${length}`;
      expect(verify(entries), at).toBeUndefined();
      expect(entries.slice(0, length), at).toEqual(recorded.slice(0, length));
      expect(entries.filter(({ event }) => event.type === "run-end").length, at).toBe(1);
      const executed = executions.map(({ call }) => call);
      expect(new Set(executed).size, `${at}: a call ran twice`).toBe(executed.length);
      const ended = recorded.slice(0, length).flatMap(({ event }) => (event.type === "tool-end" ? [event.call] : []));
      expect(
        executed.filter((call) => ended.includes(call)),
        `${at}: an ended call ran`,
      ).toEqual([]);
      hit++;
    }
  });

  test("and so do the next processes", async () => {
    const random = randomFrom(Number(process.env.RUNCAST_SEED ?? 7));
    for (let round = 0; IS_LONG ? hit < CRASH_POINTS : round < 60; round++) {
      const story = crashStories[Math.floor(random() * crashStories.length)]!;
      const first = 1 + Math.floor(random() * 60);
      const second = first + 1 + Math.floor(random() * 40);
      const deaths = [first, second, second + 1 + Math.floor(random() * 40)];
      const { entries, executions, taken } = await crash(story, deaths);
      check(entries, executions, deaths);
      hit += taken;
    }
    console.log(`${hit} crash points: 0 lost, 0 twice, 0 finished calls repeated`);
  });
});
