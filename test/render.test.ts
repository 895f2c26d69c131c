import { readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Entry, Event } from "../src/events.ts";
import { createPlainText } from "../src/cli/plain-text.ts";
import { footLines, render } from "../src/cli/render.ts";
import { createScreen } from "../src/cli/screen.ts";
import { clip, terminalText, widthOf, wrap } from "../src/cli/terminal-text.ts";
import { createTranscript } from "../src/cli/transcript.ts";
import { type RunState, createState, fold } from "../src/state.ts";
import { arbitraryLog } from "./generate.ts";
import { controlCharacters, terminalCommands } from "./hostile-events.ts";
import { terminal } from "./emulated-terminal.ts";
import { useWorkCount } from "./work.ts";

const countWork = useWorkCount();
const START = 1_700_000_000_000;

const golden = (name: string): Entry[] =>
  readFileSync(path.join(import.meta.dirname, `../golden/runs/${name}.jsonl`), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

const entriesOf = (...events: Event[]): Entry[] =>
  events.map((event, index) => ({ seq: index + 1, at: START + index * 1000, event }));

const stateOf = (entries: readonly Entry[]): RunState => {
  const state = createState();
  for (const entry of entries) fold(state, entry);
  return state;
};

const lastAt = (entries: readonly Entry[]) => entries.at(-1)!.at;
const view = { width: 100, height: 40, color: false };
const drawn = (entries: readonly Entry[], options: Partial<typeof view> = {}) =>
  render(stateOf(entries), { ...view, now: lastAt(entries), ...options });
const until = (entries: readonly Entry[], isIt: (event: Event) => boolean) =>
  entries.slice(0, entries.findIndex(({ event }) => isIt(event)) + 1);

const start: Event = { type: "run-start", protocol: 1, run: "r", name: "agent", model: "m" };
const step: Event = { type: "step-start", step: "s" };
const stepEnd: Event = { type: "step-end", step: "s", finish: "tools" };
const call = (id: string, name: string): Event[] => [
  { type: "tool-start", call: id, name },
  { type: "tool-input-end", call: id, input: { path: "notes.md" } },
];

describe("the tree", () => {
  test("shows the state of calls: pending, executing with the time so far, ended with its duration", () => {
    const entries = entriesOf(start, step, ...call("a", "read"), stepEnd);
    expect(drawn(entries)).toContain("○ read  notes.md  pending");
    const running = [
      ...entries,
      ...entriesOf(start, step, ...call("a", "read"), stepEnd, { type: "tool-execute", call: "a" }).slice(5),
    ];
    const now = lastAt(running) + 2500;
    expect(render(stateOf(running), { ...view, now }).join("\n")).toMatch(
      /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] read {2}notes.md {2}executing {2}2 s/,
    );
    const ended = entriesOf(
      start,
      step,
      ...call("a", "read"),
      stepEnd,
      { type: "tool-execute", call: "a" },
      {
        type: "tool-end",
        call: "a",
        outcome: "ok",
        ms: 42,
        content: [{ type: "text", text: "one\ntwo\nthree\nfour\nfive" }],
      },
    );
    const lines = drawn(ended);
    expect(lines).toContain("✓ read  notes.md  done  42 ms");
    expect(lines).toContain("  … 2 more lines");
  });

  test("shows no duration for a call that never executed", () => {
    const lines = drawn(
      entriesOf(start, step, ...call("a", "rm"), stepEnd, { type: "tool-end", call: "a", outcome: "denied" }),
    );
    expect(lines).toContain("⊘ rm  notes.md  denied");
  });

  test("shows no duration for what a crash interrupted", () => {
    const lines = drawn(golden("crash"));
    expect(lines).toContain("✗ watch_deploy  lantern-web  interrupted");
    expect(lines.some((line) => line.startsWith("✗ Interrupted  50 tokens in"))).toBe(true);
  });

  test("nests sub-agents, collapses thinking to its duration and ends with usage", () => {
    const lines = drawn(golden("nested"));
    expect(lines.some((line) => line.startsWith("│ │ │ │ ◆ reader") || line.includes("◆ reader"))).toBe(true);
    expect(
      lines.filter((line) => /◆ (researcher|reader|summarizer)/.test(line)).map((line) => line.indexOf("◆")),
    ).toEqual([0, 2, 4]);
    expect(lines.some((line) => /✻ Thought for \d/.test(line))).toBe(true);
    expect(lines.at(-1)).toMatch(/^✓ Finished {2}[\d.]+ s {2}[\d,]+ tokens in, \d+ out/);
  });

  test("shows an open ask with how to answer it, then the answer", () => {
    const entries = golden("approval");
    const open = stateOf(until(entries, ({ type }) => type === "ask-start"));
    const lines = render(open, { ...view, now: lastAt(entries), howToAnswer: ({ id }) => [`answer ${id} so`] });
    expect(lines.join("\n")).toMatch(/\? Allow send_report\? {2}waiting for you/);
    expect(lines.join("\n")).toMatch(/answer \S+ so/);
    expect(drawn(entries).join("\n")).toContain("✓ Allowed with edits by Ada");
  });

  test("claims no current activity when it has lost the server", () => {
    const state = stateOf(entriesOf(start, step));
    const foot = (isLive: boolean, text: string) =>
      footLines(state, { ...view, now: START + 5000, known: { text, isLive } });
    expect(foot(true, "live")[0]).toMatch(/^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] Working {2}5 s {2}live$/);
    expect(foot(false, "connection lost")).toEqual(["○ connection lost  last seen: Working, 5 s"]);
  });

  test("shows a failed call in red, and color adds only colors", () => {
    const entries = golden("failing-tool");
    const coloured = drawn(entries, { color: true });
    expect(coloured.join("\n")).toContain("\x1b[31m✗\x1b[0m");
    // eslint-disable-next-line no-control-regex
    expect(coloured.map((line) => line.replace(/\x1b\[\d+m/g, ""))).toEqual(drawn(entries));
  });

  test("returns each settled line once: any prefix followed by the rest equals the whole", () => {
    fc.assert(
      fc.property(arbitraryLog(), (entries) => {
        const state = createState();
        const transcript = createTranscript(state);
        const options = { width: 80, color: false, now: lastAt(entries) };
        const lines: string[] = [];
        for (const entry of entries) {
          fold(state, entry);
          lines.push(...transcript.settled(options));
          expect(transcript.live({ ...options, height: 12 }).length).toBeLessThanOrEqual(12);
        }
        expect(transcript.live({ ...options, height: 12 })).toEqual([]);
        expect(lines).toEqual(createTranscript(state).settled(options));
      }),
      { numRuns: 60 },
    );
  });

  test("has no line wider than the terminal", () => {
    fc.assert(
      fc.property(arbitraryLog(), fc.integer({ min: 60, max: 120 }), fc.nat(), (entries, width, cut) => {
        const prefix = entries.slice(0, 1 + (cut % entries.length));
        for (const line of drawn(prefix, { width })) expect(widthOf(line)).toBeLessThanOrEqual(width);
      }),
      { numRuns: 60 },
    );
  });

  test("reprocesses only the part of a long text that fits", async () => {
    const text = "word ".repeat(200_000);
    const state = stateOf(
      entriesOf(start, step, { type: "text-start", part: "p" }, { type: "text-delta", part: "p", delta: text }),
    );
    const transcript = createTranscript(state);
    expect(transcript.settled({ ...view, now: START })).toHaveLength(1);
    let live: string[] = [];
    const work = await countWork(() => void (live = transcript.live({ ...view, height: 10, now: START })));
    expect(live).toHaveLength(10);
    expect(work).toBeLessThan(10_000);
  });
});

describe("the plain text", () => {
  test("has a line per event, in order, and text line by line", () => {
    const state = createState();
    const plain = createPlainText(state, { width: 1000, color: false });
    const lines = golden("everything").flatMap((entry) => {
      fold(state, entry);
      return plain(entry);
    });
    const places = [
      "> Hello",
      "▾ search_notes",
      "✓ search_notes",
      "✗ weather_lookup",
      "◆ researcher",
      "✓ Finished",
    ].map((words) => lines.findIndex((line) => line.startsWith(words)));
    expect(places).not.toContain(-1);
    expect(lines).toContain("- 409 of 412 tests pass (99.3%). The other three fail on Mondays.");
  });

  test("names the agent when sub-agents take turns, even if they share a name", () => {
    const says = (agent: string, part: string, text: string): Event[] => [
      { type: "text-start", part, agent },
      { type: "text-delta", part, agent, delta: text },
      { type: "text-end", part, agent },
    ];
    const entries = entriesOf(
      start,
      { type: "agent-start", agent: "a", name: "reader", task: "one" },
      { type: "agent-start", agent: "b", name: "reader", task: "two" },
      { type: "step-start", step: "sa", agent: "a" },
      { type: "step-start", step: "sb", agent: "b" },
      ...says("b", "pb", "of b"),
      ...says("a", "pa", "of a"),
      { type: "agent-start", agent: "c", parent: "a", name: "writer" },
      { type: "step-start", step: "sc", agent: "c" },
      ...says("b", "pb2", "of b again"),
      ...says("c", "pc", "of c"),
      { type: "agent-end", agent: "b", outcome: "done" },
      ...says("a", "pa2", "of a at last"),
    );
    const state = createState();
    const plain = createPlainText(state, { width: 1000, color: false });
    const lines = entries.flatMap((entry) => {
      fold(state, entry);
      return plain(entry);
    });
    expect(lines.slice(1).map((words) => words.replace(/ {2}[\d.]+ s$/, ""))).toEqual([
      "◆ reader  one",
      "◆ reader 2  two",
      "◇ reader",
      "  ── step ──",
      "◇ reader 2",
      "  ── step ──",
      "  of b",
      "◇ reader",
      "  of a",
      "  ◆ writer",
      "    ── step ──",
      "◇ reader 2",
      "  of b again",
      "◇ reader",
      "  ◇ writer",
      "    of c",
      "✓ reader 2  done",
      "◇ reader",
      "  of a at last",
    ]);
  });

  test("survives logs of any shape, even invalid ones", () => {
    fc.assert(
      fc.property(arbitraryLog(), fc.nat(), (entries, hole) => {
        const without = entries.filter((_, index) => index !== 1 + (hole % entries.length));
        const state = createState();
        const plain = createPlainText(state, { width: 1000, color: false });
        for (const [index, { at, event }] of without.entries()) {
          const entry = { seq: index + 1, at, event };
          fold(state, entry);
          plain(entry);
        }
      }),
    );
  });
});

describe("hostile text", () => {
  const hostile = terminalCommands;
  const control = controlCharacters;

  const everywhere = entriesOf(
    {
      ...start,
      name: hostile,
      model: hostile,
      message: { role: "user", content: [{ type: "text", text: hostile }] },
    } as Event,
    { type: "status", text: hostile },
    { type: "step-start", step: "s", model: hostile },
    { type: "step-retry", step: "s", attempt: 1, wait: 5, error: { code: "x", message: hostile } },
    { type: "thinking-start", part: "t" },
    { type: "thinking-delta", part: "t", delta: hostile },
    { type: "thinking-end", part: "t" },
    { type: "text-start", part: "p" },
    { type: "text-delta", part: "p", delta: `${hostile}\n${hostile}` },
    { type: "text-end", part: "p" },
    { type: "tool-start", call: "c", name: hostile, title: hostile },
    { type: "tool-input-delta", call: "c", delta: JSON.stringify({ [hostile]: hostile }) },
    { type: "tool-input-end", call: "c" },
    stepEnd,
    {
      type: "ask-start",
      ask: "a",
      kind: "approval",
      call: "c",
      title: hostile,
      message: hostile,
      value: { [hostile]: hostile },
    },
    { type: "ask-end", ask: "a", outcome: "answered", answer: { allow: true, reason: hostile }, by: hostile },
    { type: "tool-execute", call: "c" },
    { type: "status", call: "c", text: hostile },
    { type: "tool-progress", call: "c", note: hostile, fraction: 0.5 },
    { type: "tool-output-delta", call: "c", stream: "stdout", delta: `${hostile}\n${hostile}` },
    {
      type: "ask-start",
      ask: "b",
      kind: "choice",
      call: "c",
      options: [{ value: hostile, label: hostile, description: hostile }],
    },
    { type: "ask-end", ask: "b", outcome: "answered", answer: { value: hostile } },
    { type: "agent-start", agent: "g", call: "c", name: hostile, task: hostile, model: hostile },
    { type: "agent-end", agent: "g", outcome: "error", error: { code: "x", message: hostile, hint: hostile } },
    { type: "citation", citation: "x", title: hostile, url: hostile, call: "c" },
    { type: "file", name: hostile, call: "c" },
    { type: "notice", level: "info", text: hostile },
    {
      type: "tool-end",
      call: "c",
      outcome: "ok",
      content: [
        { type: "text", text: hostile },
        { type: "json", value: hostile },
      ],
    },
    { type: "run-end", outcome: "error", error: { code: "x", message: hostile, hint: hostile } },
  );

  test("never reaches the terminal, at any moment, in either form", () => {
    const state = createState();
    const plain = createPlainText(state, { width: 200, color: false, howToAnswer: () => [] });
    for (const entry of everywhere) {
      fold(state, entry);
      for (const line of [...plain(entry), ...render(state, { ...view, now: entry.at })])
        expect(line).not.toMatch(control);
    }
  });

  test("loses its escape sequences and keeps its text", () => {
    expect(terminalText("\x1b[1mbold\x1b[0m and\tplain\r\nnext\rlast")).toBe("bold and    plain\nnext\nlast");
    expect(terminalText("naïve 日本 👩‍👩‍👧 é")).toBe("naïve 日本 👩‍👩‍👧 é");
  });
});

test("widths: wide, combining and joined characters", () => {
  expect(widthOf("abc")).toBe(3);
  expect(widthOf("日本")).toBe(4);
  expect(widthOf("e\u0301")).toBe(1);
  expect(widthOf("👩‍👩‍👧")).toBe(2);
  expect(clip("日本語", 5)).toBe("日本…");
  expect(clip("abcdef", 4)).toBe("abc…");
  expect(wrap("one two three", 7)).toEqual(["one two", "three"]);
  expect(wrap("日本語日本語", 6)).toEqual(["日本語", "日本語"]);
  expect(wrap("", 10)).toEqual([""]);
});

test("the screen: settled lines scroll away once, live lines are redrawn", () => {
  const arbitraryLines = fc.array(fc.string({ unit: fc.constantFrom("a", "b", " ", "日"), maxLength: 19 }), {
    maxLength: 5,
  });
  fc.assert(
    // A terminal of unknown size reports 0.
    fc.property(
      fc.array(fc.tuple(arbitraryLines, arbitraryLines), { minLength: 1 }),
      fc.constantFrom(40, 0),
      (frames, columns) => {
        let written = "";
        const write = (text: string) => (written += text).length > 0;
        const screen = createScreen({ columns, rows: 24, write } as unknown as NodeJS.WriteStream);
        for (const [standing, moving] of frames) screen.draw(standing, moving);
        screen.close();
        expect(terminal(written)).toEqual([...frames.flatMap(([standing]) => standing), ...frames.at(-1)![1]]);
      },
    ),
  );
});

test("a terminal of unknown size gets the usual size", () => {
  let written = "";
  const write = (text: string) => (written += text).length > 0;
  const screen = createScreen({ columns: 0, rows: 0, write } as unknown as NodeJS.WriteStream);
  expect(screen.size()).toEqual({ width: 79, height: 24 });
  screen.draw([], ["one"]);
  screen.draw(["one"], ["two"]);
  expect(terminal(written)).toEqual(["one", "two"]);
});
