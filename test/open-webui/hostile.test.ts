import { describe, expect, test } from "vitest";
import { openWebui } from "../../src/dialects/open-webui.ts";
import { STYLES } from "../../src/dialects/open-webui/styles.ts";
import type { Entry, Event } from "../../src/events.ts";
import { type Generation, generations } from "./generations.ts";
import { HOSTILE, HOSTILE_LONG } from "./hostile.ts";
import { markup } from "./markup.ts";
import { oneCall } from "./one-call.ts";
import { startShowing } from "./showing.ts";

/** All the ways in which a tool's text gets into a run. */
const places: Readonly<Record<string, (text: string) => readonly Entry[]>> = {
  "a result": (text) => oneCall({ outcome: "ok", content: [{ type: "text", text }] }),
  "a value": (text) => oneCall({ outcome: "ok", value: { [text.slice(0, 300)]: text } }),
  "an argument": (text) => oneCall({ outcome: "ok" }, { input: { text, [text.slice(0, 300)]: 1 } }),
  "an error": (text) => oneCall({ outcome: "error", error: { code: "x", message: text } }),
  "its own text": (text) =>
    oneCall(
      { outcome: "ok" },
      { between: during({ type: "text-start", part: "words", call: "call_1" }, ...words(text)) },
    ),
  activity: (text) =>
    oneCall(
      { outcome: "ok" },
      {
        between: during(
          { type: "status", call: "call_1", text },
          { type: "tool-progress", call: "call_1", note: text },
          { type: "tool-output-delta", call: "call_1", stream: "stdout", delta: text },
          { type: "notice", level: "info", text },
        ),
      },
    ),
  "a question": (text) =>
    oneCall(
      { outcome: "ok" },
      {
        between: during({ type: "ask-start", ask: "ask_1", kind: "input", call: "call_1", title: text, message: text }),
      },
    ),
  "a source and a file": (text) =>
    oneCall(
      { outcome: "ok" },
      {
        between: during(
          { type: "citation", citation: "c1", call: "call_1", title: text, text, url: text },
          { type: "file", call: "call_1", name: text, url: "https://example.invalid/x" },
        ),
      },
    ),
};

const during = (...events: readonly Event[]) => events;
const words = (text: string): readonly Event[] => [
  { type: "text-delta", part: "words", delta: text.slice(0, 7) },
  { type: "text-delta", part: "words", delta: text.slice(7) },
  { type: "text-end", part: "words" },
];

const OWN = new Set(["Before.", "After."]);

const tell = (style: string, generation: Generation, entries: readonly Entry[]) => {
  const showing = startShowing(openWebui, style, generation);
  const { webui } = showing;
  const found: string[] = [];
  const kinds: string[][] = [];
  for (const entry of entries) {
    showing.take(entry);
    const display = webui.display();
    found.push(...markup(display, (text) => OWN.has(text)));
    kinds.push(display.items.map(({ kind }) => kind));
  }
  webui.end();
  const { executed, dialogs, unknown, title, tasks, followUps, embeds, error } = webui.message;
  const done = { executed, dialogs, unknown, title, tasks, followUps, embeds, error, runs: webui.executes, kinds };
  return { found, done, longestLine: webui.longestLine, sources: webui.display().sources.length };
};

describe.each(STYLES)("tool output in style %s", (style) => {
  describe.each(generations.filter(({ name }) => name === "A" || name === "D"))("in generation $name", (generation) => {
    test.each(Object.entries(places))("as %s is never markup, an event or code", (_, place) => {
      const harmless = tell(style, generation, place("words"));
      for (const { name, text } of HOSTILE) {
        const { found, done, longestLine } = tell(style, generation, place(text()));
        expect(found, name).toEqual([]);
        expect(done, name).toEqual({ ...harmless.done, kinds: expect.anything() });
        // Blank text may omit a line, but nothing may add one.
        for (const [index, kinds] of done.kinds.entries())
          expect(kinds.length, name).toBeLessThanOrEqual(harmless.done.kinds[index]!.length);
        expect(longestLine, name).toBeLessThan(64 * 1024);
      }
    });

    test("is truncated if it is long", () => {
      for (const { name, text } of HOSTILE_LONG) {
        const { found, done, longestLine } = tell(style, generation, places["a result"]!(text()));
        expect(found, name).toEqual([]);
        expect({ runs: done.runs, executed: done.executed }, name).toEqual({ runs: [], executed: [] });
        expect(longestLine, name).toBeLessThan(64 * 1024);
      }
    });
  });
});
