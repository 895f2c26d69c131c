// @vitest-environment happy-dom
import { act, type ComponentType, createElement } from "react";
import { createRoot } from "react-dom/client";
import { expect, onTestFinished, test } from "vitest";
import type { Event } from "../../src/events.ts";
import { createState, fold, type RunState } from "../../src/state.ts";
import { flushFrames } from "../contracts/views/frames.ts";
import { useWorkCount } from "../work.ts";

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

const countWork = useWorkCount();
// The tests' compiler does not read JSX.
const web = `${import.meta.dirname}/../../web/src`;
const { RunView } = (await import(`${web}/run/run-view.tsx`)) as {
  RunView: ComponentType<{ readonly state: RunState; readonly actions: object }>;
};
const { createDrafts } = await import("../../web/src/run/drafts.ts");

const TOKENS = 100;

/** The page's view of a run with this many finished calls, and then a text. */
const showRun = (cards: number) => {
  const state = createState();
  let seq = 0;
  const take = (event: Event) => fold(state, { seq: ++seq, at: 1_700_000_000_000 + seq, event });
  take({ type: "run-start", protocol: 2, run: "run_1", name: "test" });
  take({ type: "step-start", step: "step_1" });
  for (let index = 0; index < cards; index++) {
    const call = `call_${index}`;
    take({ type: "text-start", part: `before_${index}` });
    take({ type: "text-delta", part: `before_${index}`, delta: `Call ${index}.` });
    take({ type: "text-end", part: `before_${index}` });
    take({ type: "tool-start", call, name: "look" });
    take({ type: "tool-input-end", call, input: { index } });
    take({ type: "tool-execute", call });
    take({ type: "tool-end", call, outcome: "ok", content: [{ type: "text", text: "found" }] });
  }
  take({ type: "text-start", part: "answer" });
  const home = document.createElement("div");
  document.body.append(home);
  const root = createRoot(home);
  onTestFinished(() => act(() => root.unmount()));
  act(() => root.render(createElement(RunView, { state, actions: { drafts: createDrafts() } })));
  const say = (count: number, delta: string) => {
    for (let index = 0; index < count; index++)
      act(() => {
        take({ type: "text-delta", part: "answer", delta });
        flushFrames();
      });
  };
  return { home, say, take };
};

test("a token costs the page the same with 5 cards and with 300", async () => {
  const work = [];
  for (const cards of [5, 300]) {
    const { home, say } = showRun(cards);
    say(10, "early ");
    expect(home.querySelectorAll(".rows").length).toBeGreaterThan(0);
    work.push(await countWork(() => say(TOKENS, "word ")));
    expect(home.textContent).toContain("word word");
  }
  const [few, many] = work as [number, number];
  expect(few).toBeGreaterThan(TOKENS);
  expect(many).toBeLessThan(few * 1.25);
});

test.each(["word ", "A line.\n", "A paragraph.\n\n"])(
  "a token costs the page the same early and late in a text: %j",
  async (delta) => {
    const { home, say } = showRun(1);
    say(TOKENS, delta);
    const early = await countWork(() => say(TOKENS, delta));
    say(20 * TOKENS, delta);
    const late = await countWork(() => say(TOKENS, delta));
    expect(home.textContent!.length).toBeGreaterThan(20 * TOKENS * delta.trim().length);
    expect(early).toBeGreaterThan(TOKENS);
    expect(late).toBeLessThan(early * 1.25);
  },
);

test("a frame shows the blocks that it reads, so that they do not cost another frame", () => {
  const { home, say, take } = showRun(1);
  say(1, "First.");
  const paragraphs = () => [...home.querySelectorAll("[data-node=answer] p")].map(({ textContent }) => textContent);
  expect(paragraphs()).toEqual(["First."]);
  // `act` would render everything that is scheduled.
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
  onTestFinished(() => void Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true }));
  take({ type: "text-delta", part: "answer", delta: "\n\nSecond **bold** paragraph" });
  flushFrames();
  expect(paragraphs()).toEqual(["First.", "Second bold paragraph"]);
  take({ type: "text-delta", part: "answer", delta: " and `code`" });
  flushFrames();
  expect(paragraphs()).toEqual(["First.", "Second bold paragraph and code"]);
});
