import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createPlainText } from "../src/cli/plain-text.ts";
import { render } from "../src/cli/render.ts";
import { createViewer } from "../src/cli/viewer.ts";
import type { Entry } from "../src/events.ts";
import { createState, fold } from "../src/state.ts";
import { terminal } from "./emulated-terminal.ts";

const entries = readFileSync(path.join(import.meta.dirname, "../golden/runs/failing-tool.jsonl"), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Entry);
const now = entries.at(-1)!.at;
const executing = entries.findIndex(({ event }) => event.type === "tool-execute") + 1;

/** What is written when a call executes, in a terminal with the next frame, and in total. */
const shown = (isTTY: boolean) => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  let written = "";
  const write = (text: string) => (written += text).length > 0;
  const output = { isTTY, columns: 101, rows: 60, write } as unknown as NodeJS.WriteStream;
  const viewer = createViewer({ output, color: false, clock: () => now });
  for (const entry of entries.slice(0, executing)) viewer.add(entry);
  vi.advanceTimersByTime(100);
  const during = written;
  for (const entry of entries.slice(executing)) viewer.add(entry);
  viewer.end();
  return { during, whole: written };
};

test("in a terminal, a run is a tree that is drawn again", () => {
  const { during, whole } = shown(true);
  expect(terminal(during).join("\n")).toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] weather_lookup .* executing/);
  const state = createState();
  for (const entry of entries) fold(state, entry);
  const tree = render(state, { width: 100, height: 60, color: false, now });
  expect(terminal(whole).filter((line) => line !== "")).toEqual(tree);
});

test("elsewhere, a run is plain lines", () => {
  const state = createState();
  const plain = createPlainText(state, { width: 10_000, color: false });
  const lines = entries.flatMap((entry) => {
    fold(state, entry);
    return plain(entry);
  });
  expect(shown(false).whole).toBe(`${lines.join("\n")}\n`);
});
