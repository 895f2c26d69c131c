import { expect, test } from "vitest";
import { historyFile, history } from "../bench/web/history.ts";
import { judge } from "../bench/web/judge.ts";
import type { Mark, Measured } from "../bench/web/measure.ts";
import { listStream, mixedStream } from "../bench/web/stream.ts";

const textOf = (beats: ReturnType<typeof mixedStream>): string =>
  beats.map((beat) => (beat.kind === "token" ? beat.text : "")).join("");

/** A page whose script cost grows with each mark as `cost` specifies. */
const measured = (cost: (index: number) => number, longest = 20): Measured => {
  const marks: Mark[] = [];
  for (let index = 0, script = 0; index <= 20; script += cost(index++))
    marks.push({ tokens: index * 1000, script, layout: 0, style: 0, task: 0, heap: index * 1000 });
  return { marks, tasks: { count: 100, p50: 2, p99: 10, max: longest, cpu: { p99: 10, max: longest } } };
};

test("the stream is deterministic and complete", () => {
  const beats = mixedStream(20_000, 5000, 10);
  expect(mixedStream(20_000, 5000, 10)).toEqual(beats);
  expect(beats.filter(({ kind }) => kind === "token").length).toBe(20_000);
  expect(beats.filter(({ kind }) => kind === "card").length).toBe(40);
  for (const part of ["\n## ", "\n- ", "\n  - ", "```ts\n", "| --- | ---: | --- |", "**", "](https://"])
    expect(textOf(beats)).toContain(part);
  expect(textOf(listStream(4000)).match(/^- /gm)!.length).toBe(4000);
});

test("the conversation before it has the requested number of messages and cards", () => {
  const { conversations, runs } = JSON.parse(historyFile(history(500))) as {
    conversations: { messages: unknown[] }[];
    runs: Record<string, { event: { type: string } }[]>;
  };
  expect(conversations[0]!.messages.length).toBe(1000);
  expect(
    Object.values(runs)
      .flat()
      .filter(({ event }) => event.type === "tool-end").length,
  ).toBe(500);
});

test("a page that slows down, stalls or is not five times leaner misses its targets", () => {
  const flat = measured(() => 10);
  const peer = measured(() => 60);
  const about = { tokens: 20_000, quick: false };
  expect(judge({ runcast: flat, streamdown: peer, useChat: peer, list: flat }, about).missed).toBe(0);
  expect(
    judge({ runcast: measured((index) => index), streamdown: undefined, useChat: undefined, list: undefined }, about)
      .missed,
  ).toBe(1);
  expect(
    judge({ runcast: measured(() => 10, 200), streamdown: undefined, useChat: undefined, list: undefined }, about)
      .missed,
  ).toBe(1);
  expect(judge({ runcast: flat, streamdown: measured(() => 40), useChat: peer, list: flat }, about).missed).toBe(1);
});
