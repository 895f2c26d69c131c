import { expect } from "vitest";
import { openWebui } from "../../src/dialects/open-webui.ts";
import type { Entry } from "../../src/events.ts";
import type { RunState } from "../../src/state.ts";
import { earlyEnds } from "./early-ends.ts";
import { createToolLines, expectCollapsed } from "./collapsed.ts";
import type { Display } from "./display.ts";
import { expectFaithful, type Faithful } from "./faithful.ts";
import { type Generation, generations } from "./generations.ts";
import { type Showing, shownItems, startShowing, twice } from "./showing.ts";

const styles: readonly Faithful[] = [
  { style: "cards", hasCards: true, hasResultItems: true, showsDenied: true },
  { style: "details", hasCards: true, hasResultItems: false, showsDenied: false },
  { style: "citations", hasCards: false, hasResultItems: false, showsDenied: false },
  { style: "live", hasCards: false, hasResultItems: false, showsDenied: false },
];

/** What Stop must not change. The state of a call and the time of a thought may change. */
const lasting = (item: ReturnType<typeof shownItems>[number]): unknown =>
  item.kind === "card" ? [item.name, item.arguments, item.result] : item.text.trim();

/** Every style in every generation. */
export const styleChecks: readonly StyleCheck[] = generations.flatMap((generation) => [
  ...styles.map((faithful) => createStyleCheck(faithful.style, generation, () => faithfully(faithful))),
  createStyleCheck("collapse", generation, () => collapsing()),
]);

export interface StyleCheck {
  readonly name: string;
  /** Sends a run, and checks after every frame and every entry. */
  run(entries: readonly Entry[]): void;
  /** Sends the run up to every `step`th entry, and then ends it in each possible way. */
  endings(entries: readonly Entry[], step: number): void;
  /** Sends the run up to every `step`th entry, then presses Stop. */
  stops(entries: readonly Entry[], step: number): void;
}

/** Checks what is shown after each entry. */
interface Look {
  take(entry: Entry, state: RunState): void;
  expectTrue(showing: Showing, display: Display, isOver: boolean): void;
}

const faithfully = (faithful: Faithful): Look => ({
  take: () => {},
  expectTrue: (showing, display, isOver) => expectFaithful(showing, faithful, display, isOver),
});

const collapsing = (): Look => {
  const lines = createToolLines();
  return {
    take: lines.take,
    expectTrue: ({ state }, display, isOver) => void expectCollapsed(state, lines.names, display, isOver),
  };
};

function createStyleCheck(style: string, generation: Generation, createLook: () => Look): StyleCheck {
  const start = (entries: readonly Entry[]) => {
    const showing = startShowing(openWebui, style, generation);
    const look = createLook();
    const take = (entry: Entry, onFrame?: () => void) => {
      showing.take(entry, onFrame);
      look.take(entry, showing.state);
    };
    for (const entry of entries) take(entry);
    return { showing, look, take, webui: showing.webui };
  };

  const end = ({ showing, look, webui }: ReturnType<typeof start>): void => {
    webui.end();
    expect(webui.executes).toEqual([]);
    look.expectTrue(showing, webui.display(), true);
    look.expectTrue(showing, webui.reloaded(), true);
    expect(webui.display().status?.shimmers ?? false).toBe(false);
    expect(webui.message.executed).toEqual([]);
    expect(webui.message.unknown).toEqual([]);
    expect(webui.longestLine).toBeLessThan(64 * 1024);
  };

  return {
    name: `${style} in generation ${generation.name}`,
    run(entries) {
      const started = start([]);
      const { showing, look, webui } = started;
      for (const entry of entries) {
        started.take(entry, () => expect(twice(webui.display(), generation)).toEqual([]));
        look.expectTrue(showing, webui.display(), false);
        // A page that is loaded now must show the same.
        if (generation.overlaysReload) look.expectTrue(showing, webui.reloaded(), false);
      }
      end(started);
    },
    endings(entries, step) {
      for (let count = 1; count < entries.length; count += step) {
        const prefix = entries.slice(0, count);
        for (const closing of earlyEnds(prefix)) end(start([...prefix, ...closing]));
      }
    },
    stops(entries, step) {
      for (let count = 1; count < entries.length; count += step) {
        const { webui } = start(entries.slice(0, count));
        const before = shownItems(webui.display(), generation).map(lasting);
        webui.stop();
        expect(webui.executes).toEqual([]);
        expect(webui.reloaded().status?.shimmers ?? false).toBe(false);
        expect(shownItems(webui.reloaded(), generation).map(lasting)).toEqual(before);
      }
    },
  };
}
