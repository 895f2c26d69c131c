import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openWebui } from "../../src/dialects/open-webui.ts";
import { STYLES } from "../../src/dialects/open-webui/styles.ts";
import type { Frame } from "../../src/dialect.ts";
import type { Entry, Event } from "../../src/events.ts";
import { call, ended, framesOf, itemsOf, linesOf, page, run, shown } from "../dialects/open-webui-page.ts";
import { link, numbered } from "../dialects/dialect-frames.ts";
import { arbitraryLog } from "../generate.ts";

const WAYS = STYLES.flatMap((style) => [style, `${style}; mode=native`]);

/** Any UTF-16 units in any order: whole characters, and unpaired halves of others. */
const texts = fc
  .array(fc.oneof(fc.constantFrom("a", " ", '"', "\\", "é", "🦉", "\ud83e", "\udd89", "\ud800", "\udfff")), {
    maxLength: 20,
  })
  .map((pieces) => pieces.join(""));

/** A text and any way to split it: between any two units, including empty pieces. */
const cutTexts = texts.chain((text) =>
  fc.array(fc.nat({ max: text.length }), { maxLength: 12 }).map((places) => {
    const edges = [0, ...places.toSorted((one, other) => one - other), text.length];
    return { text, deltas: edges.slice(1).map((edge, index) => text.slice(edges[index], edge)) };
  }),
);

/** Not even as an escape sequence, which a reader of JSON within JSON would turn into an unpaired half. */
const expectWhole = (frames: readonly Frame[]): void => {
  for (const { data } of frames) {
    expect(data.isWellFormed()).toBe(true);
    expect(data).not.toMatch(/\\ud[89a-f]/i);
  }
};

const worded = (kind: "text" | "thinking", deltas: readonly string[]): Entry[] =>
  run(
    { type: "step-start", step: "s" },
    { type: `${kind}-start`, part: "p" },
    ...deltas.map((delta): Event => ({ type: `${kind}-delta`, part: "p", delta })),
    { type: `${kind}-end`, part: "p" },
    { type: "step-end", step: "s", finish: "stop" },
  );

describe("however a text is split into deltas", () => {
  test.each(["text", "thinking"] as const)("its %s arrives unchanged, in whole characters", (kind) => {
    fc.assert(
      fc.property(cutTexts, ({ text, deltas }) => {
        const frames = framesOf(worded(kind, deltas));
        expectWhole(frames);
        const sent = linesOf(frames).flatMap(({ type, delta }) =>
          String(type).endsWith("_text.delta") ? [delta] : [],
        );
        expect(sent.join("")).toBe(text.toWellFormed());
        expect(itemsOf(frames)[0]!["content"][0]?.text ?? "").toBe(text.toWellFormed());
      }),
    );
  });

  test("interleaved parts keep their own halves", () => {
    const textDelta = (part: string, delta: string): Event => ({ type: "text-delta", part, delta });
    const frames = framesOf(
      run(
        { type: "text-start", part: "p" },
        { type: "text-start", part: "q" },
        textDelta("p", "\ud83e"),
        textDelta("q", "\ud83d"),
        { type: "status", text: "meanwhile" },
        textDelta("p", "\udd89"),
        textDelta("q", "\ude42"),
        { type: "text-end", part: "p" },
        { type: "text-end", part: "q" },
      ),
    );
    expect(itemsOf(frames).map(({ content }) => content[0].text)).toEqual(["🦉", "🙂"]);
  });

  test("a call's arguments are unchanged and whole, even if their JSON escapes halves", () => {
    fc.assert(
      fc.property(cutTexts, fc.boolean(), ({ text, deltas }, isEnded) => {
        const pieces = [`{"half":"\\ud83e","text":"`, ...deltas.map((delta) => spelled(delta)), `"}`];
        const frames = framesOf(
          run(
            { type: "tool-start", call: "c", name: "look" },
            ...pieces.map((delta): Event => ({ type: "tool-input-delta", call: "c", delta })),
            ...(isEnded ? [{ type: "tool-input-end", call: "c" } as const] : []),
            { type: "tool-execute", call: "c" },
            ended("c", "x"),
          ),
        );
        expectWhole(frames);
        const { arguments: input } = itemsOf(frames).find(({ type }) => type === "function_call")!;
        expect(JSON.parse(input)).toEqual({ half: "\ufffd", text: text.toWellFormed() });
      }),
    );
  });

  test.each(["cards", "details"])("half a character at the end of arguments is marked as lost once in %s", (style) => {
    const ends: Event[] = [{ type: "tool-input-end", call: "c" }, { type: "tool-execute", call: "c" }, ended("c", "x")];
    for (let from = 0; from < ends.length; from++) {
      const frames = framesOf(
        run(
          { type: "tool-start", call: "c", name: "look" },
          { type: "tool-input-delta", call: "c", delta: "no JSON \ud83e" },
          ...ends.slice(from),
        ),
        style,
      );
      expectWhole(frames);
      const last = JSON.stringify(itemsOf(frames)[0]);
      expect(last.match(/no JSON \ufffd*/g)).toEqual(["no JSON \ufffd"]);
    }
  });

  test("an answer without streaming contains it whole", () => {
    fc.assert(
      fc.property(cutTexts, ({ text, deltas }) => {
        const answer = openWebui.answer!({ link, page });
        for (const entry of worded("text", deltas)) answer.take(entry);
        const { choices } = JSON.parse(answer.body().body) as { choices: { message: { content: string } }[] };
        expect(choices[0]!.message.content).toBe(text.trim() === "" ? "" : text.toWellFormed());
      }),
    );
  });
});

/** As JSON writes it within a string, but with unpaired halves unescaped. */
const spelled = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll('"', '\\"');

/** The same log with an unpaired half in each of its strings, and with consistent IDs. */
const halved = (value: unknown, key = ""): unknown => {
  if (typeof value === "string") return FIXED.has(key) ? value : `${value.slice(0, 2)}\ud83e${value.slice(2)}\udd89`;
  if (Array.isArray(value)) return value.map((one) => halved(one, key));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, halved(one, name)]));
};
const FIXED = new Set(["type", "outcome", "kind", "level", "finish", "stream", "change", "mediaType", "name", "op"]);

describe.each(WAYS)("in style %s", (style) => {
  test("no half is sent, regardless of the event and field that contains one", () => {
    const check = (entries: readonly Entry[]) => expectWhole(framesOf(halved(entries) as Entry[], style));
    fc.assert(fc.property(arbitraryLog(), check), { numRuns: 30 });
  });

  test("no half is created by a cut, at any position", () => {
    for (const before of ["", "x"]) {
      expectWhole(framesOf(everywhere(before + "🦉".repeat(20_000)), style));
      // Colors are removed after a first cut, and the rest may be too short for another.
      for (const most of [480, 800, 1600, 2000, 4000, 8000, 16_000])
        expectWhole(
          framesOf(everywhere(`${before}${"\u001b[m".repeat(6000)}`.slice(0, most - 1) + "🦉 and more"), style),
        );
    }
  });
});

test("ids that differ only in halves stay different, and no call is left open", () => {
  const [one, two] = ["c\ud800", "c\ud801"];
  const frames = framesOf(run(...call(one, "one"), ...call(two, "two"), ended(one, "1"), ended(two, "2")));
  expectWhole(frames);
  expect(shown(frames)).toEqual(["[one {} completed: 1]", "[two {} completed: 2]"]);
});

/** A text in every field that text can come from. */
const everywhere = (text: string): Entry[] =>
  numbered([
    { type: "run-start", protocol: 1, run: "r", name: text },
    { type: "step-start", step: "s" },
    { type: "step-retry", step: "s", attempt: 1, wait: 1, error: { code: "x", message: text } },
    { type: "text-start", part: "p" },
    { type: "text-delta", part: "p", delta: text },
    { type: "text-end", part: "p" },
    { type: "thinking-start", part: "t" },
    { type: "thinking-delta", part: "t", delta: text },
    { type: "thinking-end", part: "t" },
    ...call("c", text, { [text]: text }),
    { type: "tool-progress", call: "c", note: text },
    { type: "status", text },
    { type: "notice", level: "info", text },
    { type: "ask-start", ask: "a", kind: "confirmation", title: text, message: text, value: text },
    { type: "ask-end", ask: "a", outcome: "answered" },
    { type: "citation", citation: "n", title: text, text, author: text },
    { type: "file", name: text, url: "https://example.invalid/x", mediaType: text },
    { type: "data", name: "title", value: text },
    { type: "data", name: "tags", value: [text] },
    { type: "data", name: "follow-ups", value: [text] },
    { type: "data", name: "todos", value: [{ id: "1", text, status: "done" }] },
    ended("c", text),
    { type: "step-end", step: "s", finish: "stop" },
    { type: "run-end", outcome: "error", error: { code: "x", message: text } },
  ]);
