import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openWebui } from "../../src/dialects/open-webui.ts";
import type { Entry } from "../../src/events.ts";
import { goldenRuns } from "../contracts/dialect-variants.ts";
import { arbitraryLog } from "../generate.ts";
import { closings } from "./closings.ts";
import { expectFaithful, type Faithful } from "./faithful.ts";
import { generations } from "./generations.ts";
import { startShowing, twice } from "./showing.ts";

const styles: readonly Faithful[] = [
  { style: "cards", hasCards: true, tellsDenied: true },
  { style: "details", hasCards: true, tellsDenied: false },
  { style: "citations", hasCards: false, tellsDenied: false },
];
const cases = styles.flatMap((faithful) =>
  generations.map((generation) => ({ ...faithful, faithful, generation, name: generation.name })),
);

const runs = (count: number, size: number) => fc.sample(arbitraryLog(size), { numRuns: count, seed: 7 });
const short = goldenRuns.filter(({ entries }) => entries.length < 400);

describe.each(cases)("$style in generation $name", ({ style, faithful, generation }) => {
  const tell = (entries: readonly Entry[]) => {
    const showing = startShowing(openWebui, style, generation);
    const { webui } = showing;
    for (const entry of entries) {
      showing.take(entry, () => expect(twice(webui.display(), generation)).toEqual([]));
      expectFaithful(showing, faithful, webui.display());
      // Whoever loads the page now sees the same.
      if (generation.overlaysReload) expectFaithful(showing, faithful, webui.reloaded());
    }
    webui.end();
    expect(webui.executes).toEqual([]);
    expectFaithful(showing, faithful, webui.display(), true);
    expectFaithful(showing, faithful, webui.reloaded(), true);
    expect(webui.display().status?.shimmers ?? false).toBe(false);
    expect(webui.message.executed).toEqual([]);
    expect(webui.message.unknown).toEqual([]);
    expect(webui.longestLine).toBeLessThan(64 * 1024);
  };

  test("at every moment of every golden run, what is shown is what is true", () => {
    for (const { entries } of short) tell(entries);
  });

  test("and of generated runs", () => {
    for (const entries of runs(15, 2)) tell(entries);
  });

  test("however a run ends early, no call is open and Open WebUI runs nothing", () => {
    for (const entries of runs(3, 2))
      for (let count = 1; count < entries.length; count += 2)
        for (const closing of closings(entries.slice(0, count))) {
          const showing = startShowing(openWebui, style, generation);
          for (const entry of [...entries.slice(0, count), ...closing]) showing.take(entry);
          showing.webui.end();
          expect(showing.webui.executes).toEqual([]);
          expectFaithful(showing, faithful, showing.webui.reloaded(), true);
        }
  });

  test("whenever somebody presses Stop, Open WebUI runs nothing and keeps what was shown", () => {
    for (const entries of runs(3, 2))
      for (let count = 1; count < entries.length; count += 2) {
        const showing = startShowing(openWebui, style, generation);
        for (const entry of entries.slice(0, count)) showing.take(entry);
        const { webui } = showing;
        const before = webui.display().items;
        webui.stop();
        expect(webui.executes).toEqual([]);
        expect(webui.reloaded().items).toHaveLength(before.length);
      }
  });
});
