import { readFileSync } from "node:fs";
import { act, type ComponentType, createElement, type Provider, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import type { Entry } from "../../../src/events.ts";
import { createState, fold, type RunState } from "../../../src/state.ts";
import { type Drawn, type DrawnView, fact, sorted } from "./drawn.ts";
import { flushFrames } from "./frames.ts";
import { paintOf } from "./paint.ts";

interface RunViewProps {
  readonly state: RunState;
  readonly actions: object;
  readonly moment: number;
}

const web = `${import.meta.dirname}/../../../web/src`;
// The tests' compiler does not read JSX.
const { RunView } = (await import(`${web}/run/run-view.tsx`)) as { RunView: ComponentType<RunViewProps> };
const { WindowingContext } = (await import(`${web}/kit/windowing.ts`)) as { WindowingContext: Provider<unknown> };
const { createDrafts } = await import("../../../web/src/run/drafts.ts");

/** Renders the whole run. */
const windowing = {
  watch: (_: Element, listener: (isInWindow: boolean) => void) => {
    listener(true);
    return () => {};
  },
};

/** The page's view of a run, mounted once and then updated. */
export const openPage = (entries: readonly Entry[]): DrawnView => {
  const state = createState();
  const home = document.createElement("div");
  document.body.append(home);
  const root = createRoot(home);
  const actions = { drafts: createDrafts() };
  const draw = (moment: number): void =>
    root.render(
      createElement(
        WindowingContext,
        { value: windowing },
        createElement(RunView, { state, actions, moment }) as ReactNode,
      ),
    );
  return {
    at: async (seq) => {
      await act(async () => {
        while (state.seq < seq) fold(state, entries[state.seq]!);
        flushFrames();
        draw(entries[seq - 1]!.at);
      });
      await unfold(home);
      return { facts: read(home), text: home.textContent ?? "" };
    },
    close: () => {
      act(() => root.unmount());
      home.remove();
    },
  };
};

/** Expands what hides cards: rows of calls, and sub-agents that have ended. */
const unfold = async (home: HTMLElement): Promise<void> => {
  for (;;) {
    const [closed] = home.querySelectorAll<HTMLElement>(
      '[data-folded="true"], [data-agent] > div > button[aria-expanded="false"]',
    );
    if (!closed) return;
    await act(async () => closed.click());
  }
};

const text = (home: Element, selector: string): string => home.querySelector(selector)?.textContent ?? "";

const colors = readFileSync(`${web}/tokens.css`, "utf8");
/** The color that the user sees, regardless of the badge's text. */
const paint = ({ classList }: Element): string => {
  const [name] = [...classList].filter((word) => word.startsWith("text-"));
  return name === undefined ? "none" : paintOf(colors, `--color-${name.slice("text-".length)}`);
};

const look = (home: Element) => {
  const mark = home.querySelector<HTMLElement>("[data-state]")!;
  return {
    color: paint(mark),
    spins: mark.querySelector(".animate-spin, .spin") !== null,
    word: mark.textContent ?? "",
  };
};

const all = <Found>(root: ParentNode, selector: string, of: (element: HTMLElement) => Found): Found[] =>
  [...root.querySelectorAll<HTMLElement>(selector)].map(of);

const read = (home: HTMLElement): Drawn => {
  const end = home.querySelector<HTMLElement>("[data-run-end]");
  return {
    calls: sorted(
      all(home, "[data-call] > :first-child", (line) => {
        const { color, spins, word } = look(line);
        return fact({
          color,
          spins,
          name: text(line, "[data-name]"),
          summary: text(line, "[data-summary]"),
          edits: text(line, "[data-edits]"),
          repeat: text(line, "[data-repeat]"),
          exit: text(line, "[data-exit-failed]"),
          word,
          time: text(line, "[data-time]"),
        });
      }),
    ),
    agents: sorted(
      all(home, "[data-agent] > :first-child", (line) => {
        const { color, spins, word } = look(line);
        return fact({ color, spins, name: text(line, "[data-name]"), word, time: text(line, "[data-time]") });
      }),
    ),
    asks: sorted(
      all(home, "[data-ask]", (ask) => fact({ title: text(ask, "[data-title]"), outcome: text(ask, "[data-answer]") })),
    ),
    retries: sorted(all(home, "[data-retry], [data-resume]", (retry) => retry.textContent ?? "")),
    thoughts: sorted(
      all(home, "[data-kind=thinking] > summary", (summary) =>
        fact({ title: text(summary, "[data-title]"), time: text(summary, "[data-time]") }),
      ),
    ),
    run: end
      ? fact({
          color: look(end).color,
          spins: look(end).spins,
          title: text(end, "[data-title]"),
          time: text(end, "[data-time]"),
          advice: text(end, ":scope > [data-advice]"),
        })
      : "",
  };
};
