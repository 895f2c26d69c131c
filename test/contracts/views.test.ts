// @vitest-environment happy-dom
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Entry, Event, Finish } from "../../src/events.ts";
import { createState, fold } from "../../src/state.ts";
import { delegationOf } from "../../src/view.ts";
import { arbitraryLog } from "../generate.ts";
import { flushFrames } from "./views/frames.ts";
import { openElement } from "./views/element.ts";
import { mentionsOf, words } from "./views/mentions.ts";
import { openPage } from "./views/page.ts";
import { openTerminal } from "./views/terminal.ts";

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

const runs = path.join(import.meta.dirname, "../../golden/runs");
const golden = (file: string): Entry[] =>
  readFileSync(path.join(runs, file), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Entry);

const entriesOf = (...events: readonly Event[]): Entry[] =>
  events.map((event, index) => ({ seq: index + 1, at: 1_700_000_000_000 + index * 700, event }));

/** Checks that all three views show the same facts after each of these entries. */
const agree = async (entries: readonly Entry[], isLooked: (entry: Entry) => boolean): Promise<void> => {
  const state = createState();
  const page = openPage(entries);
  const terminal = openTerminal(entries);
  const element = await openElement(entries);
  try {
    for (const entry of entries) {
      if (!isLooked(entry)) continue;
      while (state.seq < entry.seq) fold(state, entries[state.seq]!);
      const views = {
        page: await page.at(entry.seq),
        terminal: await terminal.at(entry.seq),
        element: await element.at(entry.seq),
      };
      const where = `after entry ${entry.seq}, ${entry.event.type}`;
      expect(views.terminal.facts, `terminal and page ${where}`).toEqual(views.page.facts);
      expect(views.element.facts, `element and page ${where}`).toEqual(views.page.facts);
      const calls = [...state.nodes.values()].filter((node) => node.kind === "call" && !delegationOf(node));
      expect(views.page.facts.calls.length, `the cards ${where}`).toBe(calls.length);
      const mentions = mentionsOf(state);
      for (const [name, { text }] of Object.entries(views)) {
        const shown = words(text);
        expect(
          mentions.filter((mention) => !shown.includes(mention)),
          `what the ${name} lacks ${where}`,
        ).toEqual([]);
      }
    }
  } finally {
    page.close();
    element.close();
    flushFrames();
  }
};

/** An embed is another document, about which no view states facts. */
const withoutEmbeds = (entries: readonly Entry[]): Entry[] =>
  entries.filter(({ event }) => event.type !== "embed").map((entry, index) => ({ ...entry, seq: index + 1 }));

const IS_LONG = process.env.RUNCAST_LONG === "1";
/** Another token changes no fact, so the short form checks only some of them. */
const isFact = ({ seq, event }: Entry): boolean => IS_LONG || !event.type.endsWith("-delta") || seq % 11 === 0;

describe("page, element and terminal show the same facts", { timeout: IS_LONG ? 900_000 : 120_000 }, () => {
  test.each(readdirSync(runs).filter((file) => file.endsWith(".jsonl")))("after every entry of %s", async (file) => {
    await agree(golden(file), isFact);
  });

  test("after every entry of any log", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryLog(2), (entries) => agree(withoutEmbeds(entries), isFact)),
      { numRuns: IS_LONG ? 100 : 8 },
    );
  });

  test.each<[Finish, RegExp]>([
    ["stop", /^color=green \| title=Finished(?!.*advice=)/],
    ["length", /title=Cut off at the output limit .*advice=.*Ask the agent to continue/],
    ["filter", /title=Stopped by a content filter .*advice=.*Rephrase/],
    ["interrupted", /^color=red \| title=Interrupted .*advice=.*Send the message again/],
  ])("of an answer that finished as %s", async (finish, shown) => {
    const entries = entriesOf(
      { type: "run-start", protocol: 1, run: "r", name: "agent" },
      { type: "agent-start", agent: "a", name: "reader" },
      { type: "step-start", step: "u", agent: "a" },
      { type: "step-end", step: "u", agent: "a", finish },
      { type: "agent-end", agent: "a", outcome: "done" },
      { type: "step-start", step: "s" },
      { type: "text-start", part: "p" },
      { type: "text-delta", part: "p", delta: "Once upon a" },
      { type: "text-end", part: "p" },
      { type: "step-end", step: "s", finish },
      { type: "run-end", outcome: "done" },
    );
    await agree(entries, () => true);
    const { run } = (await openTerminal(entries).at(entries.length)).facts;
    expect(run).toMatch(shown);
  });

  test("of a failed command in a successful call, and of arguments that the user edited", async () => {
    const entries = entriesOf(
      { type: "run-start", protocol: 2, run: "r", name: "agent" },
      { type: "step-start", step: "s" },
      ...["a", "b"].flatMap((call): Event[] => [
        { type: "tool-start", call, name: "run" },
        { type: "tool-input-end", call, input: { command: "make" } },
      ]),
      { type: "step-end", step: "s", finish: "tools" },
      { type: "tool-execute", call: "a" },
      { type: "tool-end", call: "a", outcome: "ok", value: { kind: "execute", exitCode: 1 } },
      { type: "tool-execute", call: "b", input: { command: "make test" } },
      { type: "tool-output-delta", call: "b", stream: "stdout", delta: "no" },
      { type: "tool-end", call: "b", outcome: "ok", value: { exitCode: 2 } },
      { type: "run-end", outcome: "done" },
    );
    await agree(entries, () => true);
    const { calls } = (await openTerminal(entries).at(entries.length)).facts;
    expect(calls).toEqual([
      expect.stringContaining("summary=make test | edits=(arguments edited) | exit=Exit code 2"),
      expect.stringContaining("summary=make | exit=Exit code 1"),
    ]);
  });

  test("of a call that repeats an interrupted one, with arguments or a sub-agent of its own", async () => {
    const call = (id: string, repeats?: string): Event[] => [
      { type: "tool-start", call: id, name: "look", ...(repeats !== undefined && { repeats }) },
      { type: "tool-input-end", call: id, input: { path: "a.md" } },
    ];
    const entries = entriesOf(
      { type: "run-start", protocol: 2, run: "r", name: "agent" },
      { type: "step-start", step: "s" },
      ...["a", "b"].flatMap((id) => call(id)),
      { type: "step-end", step: "s", finish: "tools" },
      ...["a", "b"].flatMap((id): Event[] => [
        { type: "tool-execute", call: id },
        { type: "tool-end", call: id, outcome: "interrupted" },
      ]),
      { type: "run-resume", owner: "o", after: 10, reason: "expired" },
      ...call("c", "a"),
      { type: "tool-execute", call: "c", input: { path: "b.md" } },
      { type: "tool-end", call: "c", outcome: "ok", value: 1 },
      ...call("d", "b"),
      { type: "tool-execute", call: "d" },
      { type: "agent-start", agent: "h", name: "helper", call: "d" },
      { type: "agent-end", agent: "h", outcome: "done" },
      { type: "tool-end", call: "d", outcome: "ok", value: 1 },
      { type: "run-end", outcome: "done" },
    );
    await agree(entries, () => true);
    const { calls } = (await openTerminal(entries).at(entries.length)).facts;
    expect(calls.filter((drawn) => drawn.includes("word=interrupted"))).toHaveLength(2);
    expect(calls.filter((drawn) => drawn.includes("repeat="))).toEqual([
      expect.stringContaining("| repeat=(repeats an interrupted call) |"),
      expect.stringContaining("edits=(arguments edited) | repeat=(repeats an interrupted call)"),
    ]);
  });

  test("of calls that only start a sub-agent, which are one card with it, and of one with its own error", async () => {
    const delegate = (id: string, end: Event): Event[] => [
      { type: "tool-execute", call: `call ${id}` },
      { type: "agent-start", agent: id, call: `call ${id}`, name: id, task: `Task ${id}` },
      { type: "agent-end", agent: id, outcome: "done" },
      end,
    ];
    const entries = entriesOf(
      { type: "run-start", protocol: 1, run: "r", name: "agent" },
      { type: "step-start", step: "s" },
      ...["a", "b"].flatMap((id): Event[] => [
        { type: "tool-start", call: `call ${id}`, name: "task" },
        { type: "tool-input-end", call: `call ${id}`, input: { agent: id, task: `Task ${id}` } },
      ]),
      { type: "step-end", step: "s", finish: "tools" },
      ...delegate("a", { type: "tool-end", call: "call a", outcome: "ok" }),
      ...delegate("b", { type: "tool-end", call: "call b", outcome: "error", error: { code: "e", message: "no" } }),
      { type: "run-end", outcome: "done" },
    );
    await agree(entries, () => true);
    const { calls, agents } = (await openTerminal(entries).at(entries.length)).facts;
    expect(calls).toEqual([expect.stringContaining("word=failed")]);
    expect(agents).toEqual([expect.stringContaining("name=a"), expect.stringContaining("name=b")]);
  });

  test("of a sub-agent with a long task, which the page and the element show in full", async () => {
    const task = `Read\n${"one file, then ".repeat(40)}the last one`;
    const entries = entriesOf(
      { type: "run-start", protocol: 1, run: "r", name: "agent" },
      { type: "step-start", step: "s" },
      { type: "tool-start", call: "c", name: "task" },
      { type: "tool-input-end", call: "c", input: { task } },
      { type: "step-end", step: "s", finish: "tools" },
      { type: "tool-execute", call: "c" },
      { type: "agent-start", agent: "a", call: "c", name: "reader", task },
    );
    await agree(entries, () => true);
    for (const view of [openPage(entries), await openElement(entries)]) {
      expect((await view.at(entries.length)).text).toContain("the last one");
      view.close();
    }
    flushFrames();
  });

  test("of calls that were interrupted or never ran", async () => {
    const call = (id: string): Event[] => [
      { type: "tool-start", call: id, name: "look" },
      { type: "tool-input-end", call: id, input: { path: "a.md" } },
    ];
    const entries = entriesOf(
      { type: "run-start", protocol: 1, run: "r", name: "agent" },
      { type: "step-start", step: "s" },
      ...["a", "b", "c", "d"].flatMap(call),
      { type: "step-end", step: "s", finish: "tools" },
      { type: "tool-execute", call: "a" },
      { type: "tool-execute", call: "d" },
      { type: "tool-end", call: "a", outcome: "interrupted" },
      { type: "tool-end", call: "b", outcome: "denied" },
      { type: "tool-end", call: "c", outcome: "cancelled" },
      { type: "tool-end", call: "d", outcome: "error", error: { code: "e", message: "no" } },
      { type: "run-end", outcome: "interrupted" },
    );
    await agree(entries, () => true);
  });
});
