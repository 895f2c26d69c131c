import { describe, expect, test } from "vitest";
import { openWebui } from "../../src/dialects/open-webui.ts";
import { STYLES } from "../../src/dialects/open-webui/styles.ts";
import type { Entry, Event } from "../../src/events.ts";
import { createWindow } from "../../src/server/window.ts";
import { frameText } from "../../src/sse.ts";
import { goldenRuns } from "../contracts/dialect-variants.ts";
import { browserMessage, loadedMessage } from "./browser.ts";
import { collapsed } from "./collapsed.ts";
import { display } from "./display.ts";
import { generation, generations } from "./generations.ts";
import { createOpenWebui } from "./open-webui.ts";
import { shownItems, startShowing } from "./showing.ts";

const CALLS = 60;
const WORDS = "All work and no play makes a long answer. ";

/** Far more than fits in a line: 60 results of 10 KB, some of them failures, and an answer of 300 KB. */
const large: readonly Entry[] = (() => {
  const calls = Array.from({ length: CALLS }, (_, index): readonly Event[] => {
    const call = `call_${index}`;
    const text = `${index} `.repeat(4000);
    return [
      { type: "step-start", step: `step_${index}` },
      { type: "tool-start", call, name: `tool_${index}` },
      { type: "tool-input-end", call, input: { index } },
      { type: "step-end", step: `step_${index}`, finish: "tools" },
      { type: "tool-execute", call },
      index % 7 === 3
        ? { type: "tool-end", call, outcome: "error", error: { code: "x", message: text } }
        : { type: "tool-end", call, outcome: "ok", content: [{ type: "text", text }] },
    ];
  });
  const events: readonly Event[] = [
    { type: "run-start", protocol: 1, run: "run_1", name: "agent" },
    ...calls.flat(),
    { type: "step-start", step: "last" },
    { type: "text-start", part: "answer" },
    ...Array.from({ length: 50 }, (): Event => ({ type: "text-delta", part: "answer", delta: WORDS.repeat(150) })),
    { type: "text-end", part: "answer" },
    { type: "step-end", step: "last", finish: "stop" },
    { type: "run-end", outcome: "done", answer: ["answer"] },
  ];
  return events.map((event, index) => ({ seq: index + 1, at: 1_700_000_000_000 + index * 100, event }));
})();
const ANSWER = WORDS.repeat(150 * 50).trim();

describe.each(generations)("in generation $name", (rules) => {
  test.each(["cards", "details"])("%s: for any amount, every call has its card and the answer is complete", (style) => {
    const { webui, take } = startShowing(openWebui, style, rules);
    for (const entry of large) take(entry);
    webui.end();
    for (const shown of [webui.display(), webui.reloaded()]) {
      const items = shownItems(shown, rules);
      const cards = items.filter((item) => item.kind === "card");
      expect(cards).toHaveLength(CALLS);
      for (const [index, card] of cards.entries()) {
        const isFailed = index % 7 === 3 && rules.tellsFailed;
        expect(card).toMatchObject({
          name: `tool_${index}`,
          arguments: { index },
          state: isFailed ? "failed" : "done",
        });
        expect(String(card.result)).toMatch(new RegExp(`^(?:Error: )?(?:${index} ){50}`));
      }
      const last = items.at(-1)!;
      expect(last.kind === "text" && last.text.trim() === ANSWER).toBe(true);
    }
    expect(webui.executes).toEqual([]);
    expect(webui.longestLine).toBeLessThan(64 * 1024);
  });

  test.each(["citations", "collapse"])("%s: for any amount, the answer is complete", (style) => {
    const { webui, take } = startShowing(openWebui, style, rules);
    for (const entry of large) take(entry);
    webui.end();
    const shown = webui.reloaded();
    const answer = style === "collapse" ? collapsed(shown).answer : (shown.items.at(-1) as { text: string }).text;
    expect(answer.trim() === ANSWER).toBe(true);
    if (style === "citations") expect(shown.sources).toHaveLength(CALLS);
    else expect(collapsed(shown).summary).toBe(`🔍 Execution Steps (${CALLS} tools)`);
    expect(webui.longestLine).toBeLessThan(64 * 1024);
  });

  test.each(STYLES)("%s: merged tokens lead to the same final display", async (style) => {
    for (const { entries } of goldenRuns) {
      const read = (after: number, limit: number) => entries.slice(after, after + limit);
      const window = createWindow(read, openWebui.windowMs!);
      const edge = { releasedTo: Infinity, onHeld: () => {} };
      const merged = await window.read(0, entries.length, Infinity, edge);
      const [one, other] = [entries, merged].map((logEntries) => {
        const webui = createOpenWebui(rules);
        const encode = openWebui.encode({ style, link: ({ file }) => `/files/${file}` });
        for (const entry of logEntries) for (const frame of encode(entry)) webui.take(frameText(frame));
        webui.end();
        return webui.reloaded();
      });
      expect(other).toEqual(one);
    }
  });
});

test.each(STYLES)(
  "%s: a page of 0.10 that is loaded during a run shows everything after the next heartbeat",
  (style) => {
    const rules = generation("A");
    for (const { entries } of goldenRuns.filter(({ entries: { length } }) => length < 60)) {
      const { webui, take } = startShowing(openWebui, style, rules);
      for (const entry of entries) {
        take(entry);
        const page = loadedMessage(webui.saved);
        const heard = webui.emitted.length;
        for (const frame of openWebui.heartbeat.frames({ waiting: "tool", since: 0 })) webui.take(frameText(frame));
        const later = webui.emitted.slice(heard).reduce((message, each) => browserMessage(message, each, rules), page);
        expect(display(later, rules).items).toEqual(webui.display().items);
      }
    }
  },
);
