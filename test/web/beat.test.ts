import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createReader } from "../../src/markdown.ts";
import { nextBeat } from "../../web/src/kit/beat.ts";
import { showSoon, showWaiting } from "../../web/src/kit/show.ts";
import { createHighlighter } from "../../web/src/markdown/highlight.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("everything that waits for a beat shares one timer, and the next beat is another", async () => {
  const beats = [nextBeat(), nextBeat(), nextBeat()];
  expect(vi.getTimerCount()).toBe(1);
  await vi.runAllTimersAsync();
  await Promise.all(beats);
  expect(vi.getTimerCount()).toBe(0);
  void nextBeat();
  expect(vi.getTimerCount()).toBe(1);
  await vi.runAllTimersAsync();
});

test("colors are shown with the text of the beat", async () => {
  const replies = new EventTarget();
  vi.stubGlobal("Worker", function Worker() {
    return Object.assign(replies, { postMessage: () => undefined });
  });
  const reader = createReader();
  reader.read("```ts\nconst a = 1;\n", false);
  const code = reader.parser.document.children[0]!;
  const highlighting = createHighlighter()(code);
  highlighting.listen();
  highlighting.update();
  const order: string[] = [];
  highlighting.subscribe(0, () => order.push("colors"));
  void nextBeat().then(() => showSoon(() => order.push("text")));
  replies.dispatchEvent(new MessageEvent("message", { data: { block: 1, lines: [[5, 3, 7, -1]] } }));
  expect(order).toEqual([]);
  expect(vi.getTimerCount()).toBe(1);
  await vi.runAllTimersAsync();
  showWaiting();
  expect(order).toEqual(["text", "colors"]);
  expect(highlighting.lines(0)).toEqual([[5, 3, 7, -1]]);
});
