import { expect } from "vitest";
import { openWebui } from "../../src/dialects/open-webui.ts";
import type { Entry } from "../../src/events.ts";
import { closings } from "./closings.ts";
import { expectFaithful, type Faithful } from "./faithful.ts";
import { type Generation, generations } from "./generations.ts";
import { type Showing, startShowing, twice } from "./showing.ts";

const styles: readonly Faithful[] = [
  { style: "cards", hasCards: true, hasResultItems: true, tellsDenied: true },
  { style: "details", hasCards: true, hasResultItems: false, tellsDenied: false },
  { style: "citations", hasCards: false, hasResultItems: false, tellsDenied: false },
];

/** Every style that shows items one after the other, in every generation. */
export const tellings = styles.flatMap((faithful) =>
  generations.map((generation) => createTelling(faithful, generation)),
);

export interface Telling {
  readonly name: string;
  /** Tells a run, looking after every frame and every entry. */
  run(entries: readonly Entry[]): void;
  /** Tells the run up to every `step`th entry, and then each way it can end there. */
  endings(entries: readonly Entry[], step: number): void;
  /** Tells the run up to every `step`th entry; then somebody presses Stop. */
  stops(entries: readonly Entry[], step: number): void;
}

function createTelling(faithful: Faithful, generation: Generation): Telling {
  const start = (entries: readonly Entry[]): Showing => {
    const showing = startShowing(openWebui, faithful.style, generation);
    for (const entry of entries) showing.take(entry);
    return showing;
  };

  const end = (showing: Showing): void => {
    const { webui } = showing;
    webui.end();
    expect(webui.executes).toEqual([]);
    expectFaithful(showing, faithful, webui.display(), true);
    expectFaithful(showing, faithful, webui.reloaded(), true);
    expect(webui.display().status?.shimmers ?? false).toBe(false);
    expect(webui.message.executed).toEqual([]);
    expect(webui.message.unknown).toEqual([]);
    expect(webui.longestLine).toBeLessThan(64 * 1024);
  };

  return {
    name: `${faithful.style} in generation ${generation.name}`,
    run(entries) {
      const showing = start([]);
      const { webui } = showing;
      for (const entry of entries) {
        showing.take(entry, () => expect(twice(webui.display(), generation)).toEqual([]));
        expectFaithful(showing, faithful, webui.display());
        // Whoever loads the page now sees the same.
        if (generation.overlaysReload) expectFaithful(showing, faithful, webui.reloaded());
      }
      end(showing);
    },
    endings(entries, step) {
      for (let count = 1; count < entries.length; count += step) {
        const prefix = entries.slice(0, count);
        for (const closing of closings(prefix)) end(start([...prefix, ...closing]));
      }
    },
    stops(entries, step) {
      for (let count = 1; count < entries.length; count += step) {
        const { webui } = start(entries.slice(0, count));
        const before = webui.display().items;
        webui.stop();
        expect(webui.executes).toEqual([]);
        expect(webui.reloaded().items).toHaveLength(before.length);
      }
    },
  };
}
