import { describe, expect, test } from "vitest";
import { openWebui } from "../../src/dialects/open-webui.ts";
import { STYLES } from "../../src/dialects/open-webui/styles.ts";
import type { Entry, Event } from "../../src/events.ts";
import { createWindow } from "../../src/server/window.ts";
import { frameText } from "../../src/sse.ts";
import { type Generation, generation } from "./generations.ts";
import { createOpenWebui } from "./open-webui.ts";

const TOKENS = 500;
const TOKEN_MS = 20;

/** A tool returns 50 KB, then the model answers with 500 tokens, 50 per second. */
const entries: readonly Entry[] = (() => {
  const start = 1_700_000_000_000;
  const answered: readonly Event[] = [
    { type: "run-start", protocol: 1, run: "run_1", name: "agent" },
    { type: "step-start", step: "step_1" },
    { type: "tool-start", call: "call_1", name: "read_file" },
    { type: "tool-input-end", call: "call_1", input: { path: "notes.tex" } },
    { type: "step-end", step: "step_1", finish: "tools" },
    { type: "tool-execute", call: "call_1" },
    {
      type: "tool-end",
      call: "call_1",
      outcome: "ok",
      content: [{ type: "text", text: "0123456789 lines\n".repeat(3012) }],
    },
    { type: "step-start", step: "step_2" },
    { type: "text-start", part: "part_1" },
  ];
  const tokens = Array.from({ length: TOKENS }, (): Event => ({ type: "text-delta", part: "part_1", delta: "token " }));
  const end: readonly Event[] = [
    { type: "text-end", part: "part_1" },
    { type: "step-end", step: "step_2", finish: "stop" },
    { type: "run-end", outcome: "done", answer: ["part_1"], usage: { input: 10_000, output: TOKENS } },
  ];
  return [...answered, ...tokens, ...end].map((event, index) => ({
    seq: index + 1,
    at: start + Math.max(0, index - answered.length) * TOKEN_MS,
    event,
  }));
})();

const socketBytes = async (rules: Generation, style: string, everyToken = false): Promise<number> => {
  const webui = createOpenWebui(rules);
  const encode = openWebui.encode({ style, link: ({ file }) => `https://runcast.example/files/${file}` });
  const window = createWindow((after, limit) => entries.slice(after, after + limit), openWebui.windowMs!);
  const sent = everyToken
    ? entries
    : await window.read(0, entries.length, Infinity, { releasedTo: Infinity, onHeld: () => {} });
  expect(sent.at(-1)!.seq).toBe(entries.length);
  for (const entry of sent) for (const frame of encode(entry)) webui.take(frameText(frame));
  const seconds = (TOKENS * TOKEN_MS) / 1000;
  for (let beat = 0; beat < (seconds * 1000) / openWebui.heartbeat.everyMs; beat++)
    for (const frame of openWebui.heartbeat.frames({ waiting: "model", since: 0 })) webui.take(frameText(frame));
  webui.end();
  return webui.socketBytes();
};

describe.each(STYLES)("50 KB from a tool and 500 tokens in style %s", (style) => {
  test("cost a tab of Open WebUI 0.10 at most 1.5 MB", async () => {
    expect(await socketBytes(generation("A"), style)).toBeLessThan(1.5 * 2 ** 20);
  });

  test("cost a tab of Open WebUI 0.12 at most 200 KB", async () => {
    expect(await socketBytes(generation("D"), style)).toBeLessThan(200 * 1024);
  });
});

test("merging tokens keeps the number of snapshots low", async () => {
  const merged = await socketBytes(generation("A"), "cards");
  expect(await socketBytes(generation("A"), "cards", true)).toBeGreaterThan(3 * merged);
});
