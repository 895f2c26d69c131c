import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { historyFile, history } from "../bench/web/history.ts";
import { judge, type Samples } from "../bench/web/judge.ts";
import type { Mark, Measured } from "../bench/web/measure.ts";
import { specificationTable } from "../bench/web/specification.ts";
import { listStream, mixedStream } from "../bench/web/stream.ts";
import { commonMarkExamples } from "./markdown/examples.ts";
import { htmlOf } from "./web/markdown-html.ts";

const textOf = (beats: ReturnType<typeof mixedStream>): string =>
  beats.map((beat) => (beat.kind === "token" ? beat.text : "")).join("");

/**
 * A page whose script cost grows with each mark as `cost` specifies, and whose main thread works `whole` times as long as
 * its script in total.
 */
const measured = (cost: (index: number) => number, longest = 20, whole = 2): Measured => {
  const marks: Mark[] = [];
  for (let index = 0, script = 0; index <= 20; script += cost(index++))
    marks.push({ tokens: index * 1000, script, layout: 0, style: 0, task: script * whole, heap: index * 1000 });
  return { marks, tasks: { count: 100, p50: 2, p99: 10, max: longest, cpu: { p99: 10, max: longest }, frames: 300 } };
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

const NONE: Samples = {
  runcast: undefined,
  streamdown: undefined,
  useChat: undefined,
  streamingMarkdown: undefined,
  list: undefined,
};

test("a page that slows down, stalls, is not five times leaner in script or not three times in all, misses its targets", () => {
  const flat = measured(() => 10);
  const peer = measured(() => 60);
  const missed = (samples: Partial<Samples>): number =>
    judge({ ...NONE, ...samples }, { tokens: 20_000, quick: false, peersEveryMs: 0 }).missed;
  const all = { runcast: flat, streamdown: peer, useChat: peer, streamingMarkdown: flat, list: flat };
  expect(missed(all)).toBe(0);
  expect(missed({ runcast: measured((index) => index) })).toBe(1);
  expect(missed({ runcast: measured(() => 10, 200) })).toBe(1);
  expect(missed({ ...all, streamdown: measured(() => 40) })).toBe(1);
  expect(missed({ ...all, useChat: measured(() => 60, 20, 0.5) })).toBe(1);
});

test("the table of costs shows what each page's main thread did", () => {
  const { rows } = judge(
    { ...NONE, runcast: measured(() => 10), streamingMarkdown: measured(() => 5) },
    { tokens: 20_000, quick: true, peersEveryMs: 50 },
  );
  expect(rows).toContain("| runcast | 400 | 200 | 0 | 0 | 200 | 300 |");
  expect(rows).toContain("| streaming-markdown | 200 | 100 | 0 | 0 | 100 | 300 |");
  expect(rows).toContain("New text is shown: runcast every 50 ms; the others every 50 ms.");
  const usual = judge({ ...NONE, runcast: measured(() => 10) }, { tokens: 20_000, quick: true, peersEveryMs: 0 });
  expect(usual.rows.at(-1)).toMatch(/runcast every 50 ms; .* once per frame, useChat as chunks arrive/);
});

test("the score of a parser ignores what a page may choose, and nothing else", () => {
  const specified = new Map(commonMarkExamples.map(({ text, html }) => [text, html]));
  const [, , ...scores] = specificationTable({
    runcast: htmlOf,
    chosen: (text) =>
      specified
        .get(text)!
        .replaceAll('"language-', '"')
        .replaceAll("\n</code>", "</code>")
        .replaceAll(/<br \/>\n?/g, "<br>"),
    plain: (text) => text,
  });
  expect(scores.slice(1)).toEqual(["| chosen | 652 / 652 |", expect.stringMatching(/^\| plain \| \d{1,2} \//)]);
  const document = readFileSync(new URL("../docs/markdown.md", import.meta.url), "utf8").replaceAll(/\s+/g, " ");
  expect(document).toContain(`Runcast shows ${/\d+/.exec(scores[0]!)![0]} of the 652 examples`);
});
